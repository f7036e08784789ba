(** The reference checkers as OCaml. Numbers of type N and Z become zarith's, those of type nat (cells, counts; all far
    below 2^62) OCaml's. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From Formal Require Import DarkHex PlanFile Verify Narrowing Derivation Intervals Remoteness.
Extraction "reference" verify conclude won left may_place one key propagate remoteness.
