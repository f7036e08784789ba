(* Runs the extracted remoteness on 10-to-0 by 1 or 2 and on random finite games with ties, and compares it with the
   definition in words, worked out here from the end of the game. *)
open Reference

let failures = ref 0
let expect what ok = if not ok then (incr failures; Printf.printf "FAILED: %s\n" what)

let seed = ref 1
let random n = seed := ((!seed * 25214903917) + 11) land ((1 lsl 48) - 1); (!seed lsr 20) mod n

(* Games whose positions are numbers; every move leads to a smaller one, so the number bounds the length. *)
let solved next n = remoteness next Fun.id n

(* A winner takes the least remote lost child, a loser the most remote child, otherwise the least remote tied one. *)
let in_words next last =
  let known = Array.make (last + 1) (Tie, 0) in
  for n = 0 to last do
    known.(n) <- (match next n with
      | Over o -> o, 0
      | Moves (q, l) ->
        let of_value v = List.filter_map (fun q -> let o, k = known.(q) in if o = v then Some k else None) (q :: l) in
        let least = List.fold_left min max_int and greatest = List.fold_left max 0 in
        match of_value Loss, of_value Tie with
        | (_ :: _ as lost), _ -> Win, 1 + least lost
        | [], (_ :: _ as tied) -> Tie, 1 + least tied
        | [], [] -> Loss, 1 + greatest (of_value Win))
  done;
  known

let () =
  let take n = if n = 0 then Over Loss else if n = 1 then Moves (0, []) else Moves (n - 1, [ n - 2 ]) in
  let table = List.init 11 (solved take) in
  expect "10-to-0 by 1 or 2: lost at multiples of 3" (List.for_all Fun.id (List.mapi (fun n (o, _) -> (o = Loss) = (n mod 3 = 0)) table));
  expect "10-to-0 by 1 or 2: remoteness" (List.map snd table = [ 0; 1; 1; 2; 3; 3; 4; 5; 5; 6; 7 ]);
  let ties = ref 0 in
  for _ = 1 to 300 do
    let last = 4 + random 9 in
    let state n =
      if n = 0 || random 4 = 0 then Over (match random 3 with 0 -> Loss | 1 -> Tie | _ -> Win)
      else Moves (random n, List.init (random 3) (fun _ -> random n)) in
    let states = Array.init (last + 1) state in
    let next n = states.(n) in
    let words = in_words next last in
    if fst words.(last) = Tie then incr ties;
    expect "a random game" (solved next last = words.(last))
  done;
  Printf.printf "remoteness: 10-to-0 by 1 or 2 and 300 random games, %d of them tied, %d failures\n" !ties !failures;
  exit (if !failures = 0 then 0 else 1)
