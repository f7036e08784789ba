(* Runs the extracted checker of proof sets on a position of Honey Islands Battle.
   Usage: honey RULE CELL... : the position after stones on these cells, RULE is standard or redundant-hint.
   The solutions are enumerated here from the puzzle's rules, the derivation is found by an untrusted search, and the
   extracted checker accepts it or not. The enumeration is not proved; it shares nothing with the Rust checker. *)
open Reference

(* The hexagon: cell numbers by rows from the top, left to right; q and r are axial coordinates. *)
let coordinates =
  List.concat_map (fun r -> List.init 9 (fun i -> i - 4, r) |> List.filter (fun (q, r) -> abs (q + r) <= 4))
    (List.init 9 (fun i -> i - 4)) |> Array.of_list
let number = Hashtbl.create 61
let () = Array.iteri (fun i c -> Hashtbl.add number c i) coordinates
let neighbours = Array.map (fun (q, r) ->
    List.filter_map (fun (dq, dr) -> Hashtbl.find_opt number (q + dq, r + dr))
      [ 1, 0; -1, 0; 0, 1; 0, -1; 1, -1; -1, 1 ]) coordinates
let bit c = 1 lsl c
let all = bit 61 - 1
let rec count s = if s = 0 then 0 else 1 + count (s land (s - 1))
let members s =
  let rec from c s = if s = 0 then [] else if s land 1 = 1 then c :: from (c + 1) (s lsr 1) else from (c + 1) (s lsr 1) in
  from 0 s
let beside = Array.map (List.fold_left (fun a n -> a lor bit n) 0) neighbours
let around s = List.fold_left (fun a c -> a lor beside.(c)) 0 (members s) land lnot s

(* For each cell the connected sets of six cells of which it is the first, with the cells around them. *)
let islands =
  let found = Hashtbl.create 100000 in
  let rec grow c s k =
    if not (Hashtbl.mem found s) then begin
      Hashtbl.add found s c;
      if k < 6 then List.iter (fun n -> if n > c then grow c (s lor bit n) (k + 1)) (members (around s))
    end in
  for c = 0 to 60 do grow c (bit c) 1 done;
  let lists = Array.make 61 [] in
  Hashtbl.iter (fun s c -> if count s = 6 then lists.(c) <- (s, around s) :: lists.(c)) found;
  lists

(* At most how many islands a set of cells has room for: a component of n cells at most (n + 1) / 7 of them, since any
   two of its islands are separated by a black cell of the component. *)
let rec room free =
  if free = 0 then 0
  else
    let rec spread s = let t = s lor (around s land free) in if t = s then s else spread t in
    let component = spread (free land -free) in
    (count component + 1) / 7 + room (free land lnot component)

(* Every solution in which the cells of [black] are black: each cell in turn is black or is the first cell of an
   island; the cells around an island are black. What is left to do depends only on the free cells and on the number of
   islands to come; where that led to nothing it is not tried again. *)
let solutions black =
  let found = ref [] and dead = Hashtbl.create 100000 in
  let rec go black free left =
    if left = 0 then begin
      let whole = count (black lor free) = 25 in
      if whole then found := (black lor free) :: !found;
      whole
    end else if room free < left || Hashtbl.mem dead (free, left) then false
    else begin
      let first = free land -free in
      let try_island any (island, wall) =
        island land lnot free = 0 && go (black lor wall) (free land lnot (island lor wall)) (left - 1) || any in
      let any = List.fold_left try_island false islands.(count (first - 1)) in
      let any = go (black lor first) (free land lnot first) left || any in
      if not any then Hashtbl.add dead (free, left) ();
      any
    end in
  ignore (go black (all land lnot black) 6);
  !found

let is_black s c = (s lsr c) land 1 = 1

let () =
  let r, name, stones = match Array.to_list Sys.argv with
    | _ :: "standard" :: l -> Standard, "standard", List.map int_of_string l
    | _ :: "redundant-hint" :: l -> RedundantHint, "redundant-hint", List.map int_of_string l
    | _ -> prerr_endline "usage: honey standard|redundant-hint CELL..."; exit 64 in
  let l = solutions (List.fold_left (fun s c -> s lor bit c) 0 stones) in
  let cells = List.init 61 Fun.id in
  let v, steps = Derive.derive l cells is_black r stones in
  (* The checker is given the solutions that have all stones: for positions from here on the others make no difference. *)
  match conclude l cells is_black r steps stones with
  | Some w when w = v -> Printf.printf "%s %s: %d solutions, %d steps, %s\n" name
      (String.concat " " (List.map string_of_int stones)) (List.length l) (List.length steps) (if w then "won" else "lost")
  | _ -> print_endline "failure not-derived"; exit 1
