(** The reference checker of Dark Hex claims, and what its verdict means. *)
From Coq Require Import NArith Arith List Bool Lia.
From Formal Require Import Sums DarkHex BestResponse Value Trie PlanFile HexBoard Memo.
Import ListNotations.
Open Scope N_scope.

(** The game depends on the winning condition on sets of cells of the board only. *)
Lemma game_win_ext cells rule win win' p mine theirs :
  (forall q f, win q (filter f cells) = win' q (filter f cells)) ->
  forall h g t, game cells rule win p mine theirs h g t = game cells rule win' p mine theirs h g t.
Proof.
  intros E h g. pattern h, g. apply (play_ind cells). clear h g. intros h g IH t. unfold room in IH.
  destruct t; [rewrite !game_mine|rewrite !game_theirs]; apply sum_ext; intros c Hc;
    pose proof (legal_shrinks cells c true _ Hc); pose proof (legal_shrinks cells c false _ Hc);
    unfold stones; rewrite E; rewrite !IH by lia; reflexivity.
Qed.

(** The best response, computed with a memory. *)
Definition quick_response cells rule win p m moves n (h g : history) (t : bool) : N :=
  fst (br_memo cells rule win p m moves (length (legal cells h)) h
    (if t then worlds n g else after_turn cells rule win p moves h (worlds n g)) empty).

Lemma quick_response_right cells rule win p m moves n h g t :
  quick_response cells rule win p m moves n h g t = best_response cells rule win p m moves n h g t.
Proof. apply br_memo_right; [auto|apply truthful_empty]. Qed.

Section Verify.
Variables rows columns : nat.
Variable rule : mode.

(** The start: with an announced opening Black owns the cell, White knows that it is occupied, and White moves. *)
Definition black_start (opening : option cell) : history := match opening with None => [] | Some c => [(c, true)] end.
Definition white_start (opening : option cell) : history := match opening with None => [] | Some c => [(c, false)] end.
Definition black_first (opening : option cell) : bool := match opening with None => true | Some _ => false end.

Record outcome := { white_best : N; black_total : N; black_best : N; white_total : N }.

Definition measure (win : player -> list cell -> bool) (opening : option cell) (black white : list entry) : outcome :=
  let cells := board rows columns in
  let hB := black_start opening in
  let hW := white_start opening in
  let t := black_first opening in
  let readyB := map prepare black in
  let readyW := map prepare white in
  let nB := length black in
  let nW := length white in
  {| black_total := lottery nB (ready_mass readyB) hB;
     white_best := quick_response cells rule win White (ready_mass readyB) (ready_choices cells readyB) nB hW hB (negb t);
     white_total := lottery nW (ready_mass readyW) hW;
     black_best := quick_response cells rule win Black (ready_mass readyW) (ready_choices cells readyW) nW hB hW t |}.

Definition opening_right (win : player -> list cell -> bool) (opening : option cell) : bool :=
  let cells := board rows columns in
  match opening with None => true | Some c => mem c cells end &&
  negb (win Black (stones cells (black_start opening))) && negb (win White (stones cells (white_start opening))).

(** [Some (a, b)]: the value is [a/b]. *)
Definition verify (opening : option cell) (black white : list entry) : option (N * N) * outcome :=
  let cells := board rows columns in
  let win := table_win (make_tables rows columns) cells in
  let o := measure win opening black white in
  (if filled_check cells win && opening_right win opening &&
      forallb (plan_right cells) black && forallb (plan_right cells) white &&
      (0 <? black_total o) && (0 <? white_total o) &&
      ((black_total o - white_best o) * white_total o =? black_best o * black_total o)
   then Some (black_best o, white_total o) else None, o).

(** What the checker accepts is the value of the game whose winning condition is the plain definition. *)
Theorem verify_sound opening black white a b o :
  verify opening black white = (Some (a, b), o) ->
  is_value (board rows columns) rule (joined rows columns)
    (black_start opening) (white_start opening) (black_first opening) a b.
Proof.
  unfold verify. set (cells := board rows columns). set (win := table_win (make_tables rows columns) cells).
  destruct (_ && _) eqn:C; [|discriminate]. intros E. injection E as <- <- <-.
  rewrite !andb_true_iff in C. destruct C as [[[[[[F S] PB] PW] TB] TW] V].
  apply N.ltb_lt in TB, TW. apply N.eqb_eq in V. unfold measure in *. cbn [black_best white_best black_total white_total] in *.
  rewrite !quick_response_right in *.
  assert (ND : NoDup cells) by apply seq_NoDup.
  assert (X : forall q f, win q (filter f cells) = joined rows columns q (filter f cells))
    by (intros; apply table_win_joined).
  assert (O : ongoing cells win Black (black_start opening) (white_start opening)).
  { unfold opening_right in S. rewrite !andb_true_iff, !negb_true_iff in S. destruct S as [[_ SB] SW].
    split; [|split; [|split; [|split; [exact SB|exact SW]]]]; destruct opening as [c|]; simpl; try discriminate;
      intros x; destruct (Nat.eqb x c); simpl; congruence. }
  pose proof (exact_value cells rule win ND (filled_by_computation _ _ F) _ _ (black_first opening) O
    (file_mass black) (file_choices cells black) (length black)
    (file_mass white) (file_choices cells white) (length white)
    (files_covered cells black PB) (files_conserved cells ND black PB)
    (files_covered cells white PW) (files_conserved cells ND white PW) TB TW V) as (P & (x & Cx & Px & Gx) & (y & Cy & Py & Gy)).
  split; [exact P|]. split.
  - exists x. split; [exact Cx|]. split; [exact Px|]. intros z Hz.
    rewrite <- (game_win_ext cells rule win) by auto. now apply Gx.
  - exists y. split; [exact Cy|]. split; [exact Py|]. intros z Hz.
    rewrite <- (game_win_ext cells rule win) by auto. now apply Gy.
Qed.
End Verify.
