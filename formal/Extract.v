(** The reference checkers as OCaml. Numbers of type N and Z become zarith's, those of type nat (cells, counts; all far
    below 2^62) OCaml's. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From Formal Require Import DarkHex PlanFile Verify Narrowing Derivation Intervals Remoteness Dosello.
Extraction "reference" verify conclude won left may_place one key remoteness.
(* In a file of its own, since Dark Hex and DOSELLO both have a Black and a White. *)
Extraction "dosello_reference" perft initial legal_pairs play next canon dosello_interval.
