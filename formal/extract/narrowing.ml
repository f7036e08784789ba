(* Runs the extracted checker of proof sets on random narrowing games. An untrusted search writes the derivation; the
   extracted checker accepts it, and its conclusion is compared with the extracted plain recursion. A derivation with
   one step spoiled must not lead to another conclusion. *)
open Reference

let black s c = (s lsr c) land 1 = 1
let seed = ref 1
let random n = seed := ((!seed * 25214903917) + 11) land ((1 lsl 48) - 1); (!seed lsr 20) mod n

let failures = ref 0 and games = ref 0 and spoiled = ref 0
let expect what ok = if not ok then (incr failures; Printf.printf "FAILED: %s\n" what)

let () =
  for i = 1 to 300 do
    let n = 4 + random 4 in
    let cells = List.init n Fun.id in
    let solutions = List.sort_uniq compare (List.init (2 + random 7) (fun _ -> random (1 lsl n))) in
    let r = if i mod 2 = 0 then Standard else RedundantHint in
    incr games;
    let plain = won solutions cells black r [] in
    let v, steps = Derive.derive solutions cells black r [] in
    expect "the search agrees with the plain recursion" (v = plain);
    expect "the derivation is accepted" (conclude solutions cells black r steps [] = Some plain);
    (* Without one step, or with one won step turned into a lost one, nothing false is concluded. *)
    let k = random (List.length steps) in
    let cut = List.filteri (fun j _ -> j <> k) steps in
    let turned = List.mapi (fun j s -> match s with WonBy (st, _) when j = k -> LostAll st | s -> s) steps in
    List.iter (fun l -> incr spoiled;
      expect "a spoiled derivation proves nothing false" (conclude solutions cells black r l [] <> Some (not plain))) [ cut; turned ];
    expect "a false search step is rejected"
      (conclude solutions cells black r [ Search ([], not plain) ] [] = None)
  done;
  Printf.printf "narrowing: %d random games, %d spoiled derivations, %d failures\n" !games !spoiled !failures;
  exit (if !failures = 0 then 0 else 1)
