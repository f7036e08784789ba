(** The reference checkers as OCaml. Numbers become zarith's, cells (below 64) become OCaml's. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
From Formal Require Import DarkHex PlanFile Verify.
Extraction "reference" verify.
