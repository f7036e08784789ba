(* Reads a Dark Hex claim and its .mix files and hands them to the extracted checker.
   Usage: darkhex FOLDER. The parsing here is not proved; what it reads is what the verdict is about. *)
module Big = Z
open Reference
module Z = Big (* zarith's, not the module of this name in Reference *)

let fail fmt = Printf.ksprintf (fun s -> print_endline ("failure " ^ s); exit 1) fmt

let lines file =
  let c = open_in_bin file in
  let s = really_input_string c (in_channel_length c) in
  close_in c;
  String.split_on_char '\n' s |> List.filter (fun l -> l <> "")

let words l = String.split_on_char ' ' l |> List.filter (fun w -> w <> "")
let big s = if String.length s > 0 && String.for_all (fun c -> c >= '0' && c <= '9') s then Z.of_string s else fail "number %S" s
let small s = match int_of_string_opt s with Some n when n >= 0 && n < 64 -> n | _ -> fail "small number %S" s

(* A cell from its square: column letter, then row number. *)
let square columns s =
  if String.length s < 2 then fail "square %S" s;
  let c = Char.code s.[0] - Char.code 'a' in
  let r = small (String.sub s 1 (String.length s - 1)) - 1 in
  if c < 0 || c >= columns || r < 0 then fail "square %S" s;
  (r * columns) + c

let value claim key = match List.find_opt (fun l -> match words l with k :: _ -> k = key | [] -> false) claim with
  | Some l -> String.concat " " (List.tl (words l))
  | None -> fail "the claim has no %s" key

(* A history from its number: [bits] a probe, oldest first; the result has the newest first. *)
let rec history bits n =
  if Z.sign n = 0 then []
  else
    let low = Z.to_int (Z.logand n (Z.of_int ((1 lsl bits) - 1))) in
    ((low lsr 1) - 1, low land 1 = 1) :: history bits (Z.shift_right n bits)

let header = [ "DARKHEX_MIXTURE"; "DARKHEX_OPENING_MIXTURE"; "DARKHEX_PUBLIC_MIXTURE" ]

(* A .mix file as a list of entries. With an opening, every plan "probes" the opening's cell first, with all its mass:
   as a success for Black, as a cell found occupied for White. *)
let mixture file ~rows ~columns ~rule ~owner ~opening =
  let toks = ref (List.concat_map words (lines file)) in
  let next () = match !toks with t :: r -> toks := r; t | [] -> fail "%s ends early" file in
  let expect w = let t = next () in if t <> w then fail "%s: %S where %S was expected" file t w in
  let kind = next () in
  if not (List.mem kind header) then fail "%s: unknown kind %S" file kind;
  if kind = "DARKHEX_PUBLIC_MIXTURE" then (expect "BOARD"; expect (string_of_int rows); expect (string_of_int columns))
  else (expect "ROWS"; expect (string_of_int rows); expect "COLUMNS"; expect (string_of_int columns));
  expect "MODE";
  expect (match kind, rule with
    | "DARKHEX_PUBLIC_MIXTURE", Classic -> "PUBLIC"
    | _, Classic -> "STANDARD"
    | _, Abrupt -> "ABRUPT");
  (match opening, kind with
  | None, "DARKHEX_MIXTURE" -> ()
  | Some c, ("DARKHEX_OPENING_MIXTURE" | "DARKHEX_PUBLIC_MIXTURE") ->
    expect "OPENING"; if square columns (next ()) <> c then fail "%s: another opening" file
  | _ -> fail "%s: the kind does not go with the opening" file);
  expect "OWNER"; expect (match owner with Black -> "BLACK" | White -> "WHITE");
  expect "POLICIES";
  let n = int_of_string (next ()) in
  let start = match opening, owner with
    | None, _ -> [] | Some c, Black -> [ (c, true) ] | Some c, White -> [ (c, false) ] in
  let cells = (rows * columns) - List.length start in
  let entry _ =
    expect "POLICY";
    let weight = big (next ()) in
    expect "PRIORITY";
    let order = List.init cells (fun _ -> small (next ())) in
    expect "DECISIONS";
    let k = int_of_string (next ()) in
    let decision _ =
      let h = history 5 (big (next ())) in
      let h = if owner = White then h @ start else h in
      let c = small (next ()) in
      (h, Go c) in
    let listed = List.init k decision in
    expect "END";
    let listed, order = match opening with
      | None -> listed, order
      | Some c -> ([], Go c) :: listed, order @ [ c ] in
    { total = weight; priority = order; listed } in
  let entries = List.init n entry in
  expect "DONE";
  if !toks <> [] then fail "%s goes on after DONE" file;
  entries

let () =
  let folder = if Array.length Sys.argv = 2 then Sys.argv.(1) else (prerr_endline "usage: darkhex FOLDER"; exit 64) in
  let claim = lines (Filename.concat folder "claim.txt") in
  if value claim "game" <> "dark-hex" || value claim "rotate" <> "no" then fail "not a claim that this checker reads";
  let rows = small (value claim "rows") and columns = small (value claim "columns") in
  let rule = match value claim "rule" with "classic" -> Classic | "abrupt" -> Abrupt | r -> fail "rule %S" r in
  let opening = match value claim "opening" with "none" -> None | s -> Some (square columns s) in
  let p, q = match String.split_on_char '/' (value claim "value") with
    | [ p; q ] -> big p, big q | [ p ] -> big p, Z.one | _ -> fail "value" in
  if Z.sign q = 0 then fail "value";
  let file key owner = mixture (Filename.concat folder (value claim key)) ~rows ~columns ~rule ~owner ~opening in
  let black = file "black" Black and white = file "white" White in
  Printf.printf "statement %s Dark Hex, %d rows, %d columns, opening %s: value %s/%s\n"
    (value claim "rule") rows columns (value claim "opening") (Z.to_string p) (Z.to_string q);
  let verdict, o = verify rows columns rule opening black white in
  Printf.printf "white-best-response %s of %s\nblack-best-response %s of %s\n%!" (Z.to_string o.white_best)
    (Z.to_string o.black_total) (Z.to_string o.black_best) (Z.to_string o.white_total);
  match verdict with
  | Some (a, b) when Z.equal (Z.mul a q) (Z.mul p b) ->
    let g = Z.gcd a b in
    if Z.sign a = 0 then print_endline "exact_value 0"
    else Printf.printf "exact_value %s/%s\n" (Z.to_string (Z.div a g)) (Z.to_string (Z.div b g))
  | Some (a, b) -> fail "refuted: the value is %s/%s" (Z.to_string a) (Z.to_string b)
  | None -> fail "not-proved"
