(** From two best responses to the value of the game.

    Steps (8 and below are in BestResponse.v and DarkHex.v):
    9. Lotteries: the sum of plans is a plan, and the payoff is the sum of the payoffs. [lottery_conserved],
       [lottery_payoff]
    10. The best response to a lottery bounds every response, mixtures included, and is reached by a deterministic one.
        [best_response_bounds], [best_response_reached]
    11. One minus White's best response is a lower bound, Black's best response an upper bound. [lower_bound],
        [upper_bound]
    12. Equal bounds are the minimax value, and there is only one value. [exact_value], [value_unique] *)
From Coq Require Import NArith Arith List Bool Lia.
From Formal Require Import Sums DarkHex BestResponse.
Import ListNotations.
Open Scope N_scope.

Section Value.
Variable cells : list cell.
Variable rule : mode.
Variable win : player -> list cell -> bool.
Hypothesis NoDup_cells : NoDup cells.
Hypothesis filled : filled_has_winner cells win.

Notation game := (game cells rule win).
Notation conserved := (conserved cells).

(** ** Lotteries: the sum of realization plans is a realization plan, and the payoff is the sum of the payoffs. *)
Definition lottery (n : nat) (m : nat -> plan) : plan := fun h => sum (fun i => m i h) (seq 0 n).

Lemma lottery_conserved n m : (forall i, conserved (m i)) -> conserved (lottery n m).
Proof.
  intros H h Hl. unfold lottery. split.
  - rewrite sum_swap. apply sum_ext. intros i _. now apply H.
  - intros c Hc. apply sum_ext. intros i _. now apply H.
Qed.

Theorem lottery_payoff p mine n m : forall h g t,
  game p mine (lottery n m) h g t = sum (fun i => game p mine (m i) h g t) (seq 0 n).
Proof.
  intros h g. pattern h, g. apply (play_ind cells). clear h g. intros h g IH t. unfold room in IH.
  destruct t.
  - rewrite game_mine. erewrite (sum_ext (fun i => game _ _ _ _ _ _)) by (intros; apply game_mine).
    rewrite sum_swap. apply sum_ext. intros c Hc.
    pose proof (legal_shrinks cells c true h Hc). pose proof (legal_shrinks cells c false h Hc).
    destruct (has c true g); [apply IH; lia|]. destruct (win p _); [|apply IH; lia].
    unfold lottery. now rewrite sum_mul_l.
  - rewrite game_theirs. erewrite (sum_ext (fun i => game _ _ _ _ _ _)) by (intros; apply game_theirs).
    rewrite sum_swap. apply sum_ext. intros c Hc.
    pose proof (legal_shrinks cells c true g Hc). pose proof (legal_shrinks cells c false g Hc).
    destruct (has c true h); [apply IH; lia|]. destruct (win _ _); [now rewrite sum_zero|apply IH; lia].
Qed.

(** ** The best response to a lottery of [n] plans, from the start of the game *)
Definition worlds (n : nat) (g : history) : list world := map (fun i => (i, g)) (seq 0 n).
Definition best_response p m moves n (h g : history) (t : bool) : N :=
  br cells rule win p m moves (length (legal cells h)) h
    (if t then worlds n g else after_turn cells rule win p moves h (worlds n g)).

Theorem best_response_bounds p mine m moves n h g t :
  covered cells m moves -> (forall i, conserved (m i)) -> conserved mine ->
  game p mine (lottery n m) h g t <= mine h * best_response p m moves n h g t.
Proof.
  intros Hcov Hm Hmine. rewrite lottery_payoff. unfold best_response.
  transitivity (gain cells rule win p m mine h (if t then worlds n g else after_turn cells rule win p moves h (worlds n g))).
  - unfold gain. destruct t.
    + unfold worlds. induction (seq 0 n); simpl; [lia|]. unfold worth at 1. simpl. lia.
    + rewrite <- after_turn_worth by auto. unfold worlds. induction (seq 0 n); simpl; [lia|]. unfold worth at 1. simpl. lia.
  - eapply response_at_most; eauto.
Qed.

Theorem best_response_reached p m moves n h g t :
  covered cells m moves -> (forall i, conserved (m i)) -> reachable cells h ->
  exists s, lawful cells s /\ follows s h = true /\
    game p (pure s) (lottery n m) h g t = best_response p m moves n h g t.
Proof.
  intros Hcov Hm R.
  destruct (response_attained cells rule win p m moves h
    (if t then worlds n g else after_turn cells rule win p moves h (worlds n g)) Hcov Hm NoDup_cells R) as (s & L & F & E).
  exists s. repeat split; auto. unfold best_response. rewrite <- E, lottery_payoff. unfold gain. destruct t.
  - unfold worlds. induction (seq 0 n); simpl; [lia|]. unfold worth at 1. simpl. lia.
  - rewrite <- after_turn_worth by auto. unfold worlds. induction (seq 0 n); simpl; [lia|]. unfold worth at 1. simpl. lia.
Qed.

(** ** Values. A game starts at Black's history [hB] and White's [hW]; Black moves first if [t]. *)
Variables hB hW : history.
Variable t : bool.
Hypothesis start : ongoing cells win Black hB hW.

(** With [x] Black wins at least [a/b] of the mass, whatever White does. *)
Definition black_guarantees (x : plan) (a b : N) : Prop :=
  forall y, conserved y -> a * (x hB * y hW) <= b * game Black x y hB hW t.
(** With [y] White lets Black win at most [a/b] of the mass, whatever Black does. *)
Definition white_guarantees (y : plan) (a b : N) : Prop :=
  forall x, conserved x -> b * game Black x y hB hW t <= a * (x hB * y hW).
(** [a/b] is the minimax value: each player can guarantee it. *)
Definition is_value (a b : N) : Prop := 0 < b /\
  (exists x, conserved x /\ 0 < x hB /\ black_guarantees x a b) /\
  (exists y, conserved y /\ 0 < y hW /\ white_guarantees y a b).

Theorem value_unique a b c d : is_value a b -> is_value c d -> a * d = c * b.
Proof.
  assert (Half : forall a b c d, is_value a b -> is_value c d -> a * d <= c * b).
  { clear. intros a b c d (Hb & (x & Cx & Px & Gx) & _) (Hd & _ & (y & Cy & Py & Gy)).
    specialize (Gx y Cy). specialize (Gy x Cx). set (m := x hB * y hW) in *.
    assert (Pm : 0 < m) by (unfold m; now apply N.mul_pos_pos).
    apply (N.mul_le_mono_pos_r _ _ m Pm). set (G := game Black x y hB hW t) in *.
    transitivity (d * (b * G)); [nia|]. transitivity (b * (c * m)); [|lia]. nia. }
  intros H K. apply N.le_antisymm; apply Half; auto.
Qed.

(** Black's lottery concedes to White at most what White's best response wins. *)
Theorem lower_bound m moves n :
  covered cells m moves -> (forall i, conserved (m i)) ->
  let T := lottery n m hB in
  let W := best_response White m moves n hW hB (negb t) in
  black_guarantees (lottery n m) (T - W) T.
Proof.
  intros Hcov Hm T W y Hy.
  pose proof (best_response_bounds White y m moves n hW hB (negb t) Hcov Hm Hy) as B. fold W in B.
  pose proof (game_total cells rule win Black (lottery n m) y filled (lottery_conserved n m Hm) Hy hB hW t start) as E.
  simpl in E. fold T in E |- *. set (G := game Black (lottery n m) y hB hW t) in *.
  set (L := game White y (lottery n m) hW hB (negb t)) in *.
  assert (T * y hW - y hW * W <= G) by lia.
  replace ((T - W) * (T * y hW)) with (T * (T * y hW - y hW * W)); [nia|].
  rewrite N.mul_sub_distr_r, N.mul_sub_distr_l. f_equal; lia.
Qed.

(** White's lottery concedes to Black at most what Black's best response wins. *)
Theorem upper_bound m moves n :
  covered cells m moves -> (forall i, conserved (m i)) ->
  let T := lottery n m hW in
  let B := best_response Black m moves n hB hW t in
  white_guarantees (lottery n m) B T.
Proof.
  intros Hcov Hm T B x Hx.
  pose proof (best_response_bounds Black x m moves n hB hW t Hcov Hm Hx) as E. fold B in E. fold T. nia.
Qed.

(** The main theorem: equal bounds are the value. *)
Theorem exact_value mB movesB nB mW movesW nW :
  covered cells mB movesB -> (forall i, conserved (mB i)) ->
  covered cells mW movesW -> (forall i, conserved (mW i)) ->
  let TB := lottery nB mB hB in
  let TW := lottery nW mW hW in
  let W := best_response White mB movesB nB hW hB (negb t) in
  let B := best_response Black mW movesW nW hB hW t in
  0 < TB -> 0 < TW -> (TB - W) * TW = B * TB -> is_value B TW.
Proof.
  intros Cb Kb Cw Kw TB TW W B PB PW E. split; [auto|]. split.
  - exists (lottery nB mB). split; [now apply lottery_conserved|]. split; [auto|].
    intros y Hy. pose proof (lower_bound mB movesB nB Cb Kb y Hy) as L. fold TB W in L. fold TB.
    set (G := game Black (lottery nB mB) y hB hW t) in *.
    apply (N.mul_le_mono_pos_r _ _ TB PB).
    replace (B * (TB * y hW) * TB) with (B * TB * (TB * y hW)) by lia. rewrite <- E.
    replace ((TB - W) * TW * (TB * y hW)) with (TW * ((TB - W) * (TB * y hW))) by lia. nia.
  - exists (lottery nW mW). split; [now apply lottery_conserved|]. split; [auto|].
    now apply upper_bound with (moves := movesW).
Qed.
End Value.
