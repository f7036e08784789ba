(* An untrusted search that writes a derivation for the extracted checker of proof sets. *)
open Reference

(* The value of the position after the stones [st], and all steps that prove it, children first. *)
let derive solutions cells black r st =
  let known = Hashtbl.create 1000 and steps = ref [] in
  let rec solve st =
    let k = key solutions cells black r st in
    match Hashtbl.find_opt known k with
    | Some v -> v
    | None ->
      let here = left solutions black st in
      let moves = if one here then [] else List.filter (may_place solutions black r st) cells in
      (* Few solutions first: those games are short. *)
      let size c = List.length (List.filter (fun s -> black s c) here) in
      let moves = List.map snd (List.sort compare (List.map (fun c -> size c, c) moves)) in
      let v = match List.find_opt (fun c -> not (solve (c :: st))) moves with
        | Some c -> steps := WonBy (st, c) :: !steps; true
        | None -> steps := LostAll st :: !steps; false in
      Hashtbl.add known k v;
      v in
  let v = solve st in
  v, List.rev !steps
