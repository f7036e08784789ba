(** Best responses to a lottery over realization plans, and the value of the game.

    Player [p] responds to an opponent who has drawn one of several plans before the game, plan [i] with the
    mass that it gives to the empty history, and keeps to it. A world is a plan with a private history of it.

    Steps (4 and below are in DarkHex.v, 9 and above in Value.v):
    5. The opponent's turn leads from a belief to the belief at our next turn, and loses no mass that we can still
       win. [replies_worth], [after_turn_worth]
    6. At our turn, what a realization plan gains is the sum over its probes. [gain_step]
    7. So no realization plan gains more than its own mass times the belief recursion. [response_at_most]
       A randomised response is a realization plan: behaviour strategies are, and so are mixtures (step 9).
    8. The policy that probes the best cell for its belief gains exactly the belief recursion. [response_attained] *)
From Coq Require Import NArith Arith List Bool Permutation Lia.
From Formal Require Import Sums DarkHex.
Import ListNotations.
Open Scope N_scope.

Definition world := (nat * history)%type.

Section BestResponse.
Variable cells : list cell.
Variable rule : mode.
Variable win : player -> list cell -> bool.
Variable p : player.

(** The opponent's plans, and the probes among which each of them chooses at a history. *)
Variable theirs : nat -> plan.
Variable moves : nat -> history -> list cell.

Notation stones := (stones cells).
Notation legal := (legal cells).
Notation game := (game cells rule win p).
Notation conserved := (conserved cells).

(** Every probe that carries mass is among the chosen ones. *)
Definition covered : Prop := forall i g, NoDup (moves i g) /\ incl (moves i g) (legal g) /\
  forall c, In c (legal g) -> ~ In c (moves i g) -> theirs i ((c, true) :: g) = 0.

Definition mass (w : world) : N := theirs (fst w) (snd w).
Definition weight (ws : list world) : N := sum mass ws.
Definition holds (c : cell) (w : world) : bool := has c true (snd w).

(** The worlds in which we are to move again, after the opponent's turn in world [w]; our history is [h]. *)
Fixpoint replies (k : nat) (h : history) (w : world) : list world :=
  match k with
  | O => []
  | S k =>
    flat_map (fun c =>
      if has c true h then
        match rule with
        | Classic => replies k h (fst w, (c, false) :: snd w)
        | Abrupt => [(fst w, (c, false) :: snd w)]
        end
      else if win (other p) (stones ((c, true) :: snd w)) then []
      else [(fst w, (c, true) :: snd w)]) (moves (fst w) (snd w))
  end.

Definition after_turn (h : history) (ws : list world) : list world :=
  flat_map (fun w => replies (length (legal (snd w))) h w) ws.

(** What we see of a probe of [c] at history [h] with belief [ws]: it wins at once, or the opponent moves and we are
    to move again; or it collides. [rest] values the beliefs that follow. *)
Definition probe (rest : history -> list world -> N) (h : history) (ws : list world) (c : cell) : N :=
  let free := filter (fun w => negb (holds c w)) ws in
  let held := filter (holds c) ws in
  (if win p (stones ((c, true) :: h)) then weight free
   else rest ((c, true) :: h) (after_turn ((c, true) :: h) free)) +
  match rule with
  | Classic => rest ((c, false) :: h) held
  | Abrupt => rest ((c, false) :: h) (after_turn ((c, false) :: h) held)
  end.

(** The belief recursion: the best mass of won worlds that [p] can reach. *)
Fixpoint br (k : nat) (h : history) (ws : list world) : N :=
  match k with O => 0 | S k => best (probe (br k) h ws) (legal h) end.

(** ** Step 5: the opponent's turn *)
Section Turn.
Variable mine : plan.
Hypothesis Hcov : covered.
Hypothesis Hcons : forall i, conserved (theirs i).

Definition worth (h : history) (w : world) (t : bool) : N := game mine (theirs (fst w)) h (snd w) t.

Lemma sum_moves i g (f : cell -> N) :
  (forall c, In c (legal g) -> theirs i ((c, true) :: g) = 0 -> f c = 0) -> NoDup (legal g) ->
  sum f (legal g) = sum f (moves i g).
Proof.
  intros Z ND. destruct (Hcov i g) as (NDm & Inc & Out).
  rewrite (sum_filter (fun c => if in_dec Nat.eq_dec c (moves i g) then true else false)).
  rewrite (sum_zero_in f (filter (fun a => negb _) _)).
  - rewrite N.add_0_r. apply sum_perm. apply NoDup_Permutation; auto using NoDup_filter.
    intros c. rewrite filter_In. destruct (in_dec Nat.eq_dec c (moves i g)); intuition; discriminate.
  - intros c. rewrite filter_In. destruct (in_dec Nat.eq_dec c (moves i g)); simpl; intros []; [discriminate|auto].
Qed.

Hypothesis NoDup_cells : NoDup cells.
Lemma NoDup_legal h : NoDup (legal h).
Proof. unfold DarkHex.legal. now apply NoDup_filter. Qed.

Lemma replies_worth : forall k h w, (length (legal (snd w)) <= k)%nat ->
  worth h w false = sum (fun w' => worth h w' true) (replies k h w).
Proof.
  induction k; intros h [i g] L; simpl in *; unfold worth at 1; simpl; rewrite game_theirs.
  - destruct (legal g); simpl in *; [auto|lia].
  - rewrite (sum_moves i g).
    + rewrite sum_flat_map. apply sum_ext. intros c Hc.
      destruct (Hcov i g) as (_ & Inc & _). apply Inc in Hc. pose proof (legal_shrinks cells c false g Hc).
      destruct (has c true h).
      * unfold stays. destruct rule eqn:R; rewrite <- R.
        -- apply (IHk h (i, (c, false) :: g)). simpl. lia.
        -- simpl. unfold worth. simpl. lia.
      * destruct (win _ _); simpl; auto. unfold worth. simpl. lia.
    + intros c Hc Z. destruct (Hcons i g) as [_ E]; [intros F; now rewrite F in Hc|]. specialize (E c Hc).
      destruct (has c true h); [apply game_no_mass; auto; congruence|].
      destruct (win _ _); auto. apply game_no_mass; auto.
    + apply NoDup_legal.
Qed.

Lemma after_turn_worth h ws :
  sum (fun w => worth h w false) ws = sum (fun w => worth h w true) (after_turn h ws).
Proof. unfold after_turn. rewrite sum_flat_map. apply sum_ext. intros. now apply replies_worth. Qed.

(** ** Step 6: our turn. What a realization plan gains is the sum over its probes. *)
Definition gain (h : history) (ws : list world) : N := sum (fun w => worth h w true) ws.

Lemma gain_step h ws :
  gain h ws = sum (fun c =>
    let free := filter (fun w => negb (holds c w)) ws in
    let held := filter (holds c) ws in
    (if win p (stones ((c, true) :: h)) then mine ((c, true) :: h) * weight free
     else gain ((c, true) :: h) (after_turn ((c, true) :: h) free)) +
    match rule with
    | Classic => gain ((c, false) :: h) held
    | Abrupt => gain ((c, false) :: h) (after_turn ((c, false) :: h) held)
    end) (legal h).
Proof.
  unfold gain at 1. unfold worth. erewrite sum_ext by (intros; apply game_mine).
  rewrite sum_swap. apply sum_ext. intros c Hc. cbv zeta.
  rewrite (sum_filter (holds c)), N.add_comm. f_equal.
  - destruct (win p _).
    + unfold weight. rewrite sum_mul_l. apply sum_ext. intros w. rewrite filter_In, negb_true_iff.
      unfold holds. intros [_ ->]. reflexivity.
    + unfold gain. rewrite <- after_turn_worth. apply sum_ext. intros w. rewrite filter_In, negb_true_iff.
      unfold holds. intros [_ ->]. reflexivity.
  - transitivity (sum (fun w => worth ((c, false) :: h) w (stays rule true)) (filter (holds c) ws)).
    + apply sum_ext. intros w. rewrite filter_In. unfold holds. intros [_ ->]. reflexivity.
    + unfold stays. destruct rule eqn:R; [reflexivity|]. unfold gain. now rewrite <- after_turn_worth.
Qed.

(** ** Step 7: no realization plan, so no response at all, gains more than its own mass times the belief recursion. *)
Theorem response_at_most : conserved mine -> forall k h ws, (length (legal h) <= k)%nat ->
  gain h ws <= mine h * br k h ws.
Proof.
  intros Hm. induction k; intros h ws L.
  - rewrite gain_step. destruct (legal h); simpl in *; lia.
  - rewrite gain_step. simpl br.
    destruct (list_eq_dec Nat.eq_dec (legal h) []) as [->|Hl]; [simpl; lia|].
    destruct (Hm h Hl) as [S E].
    transitivity (sum (fun c => mine ((c, true) :: h) * probe (br k) h ws c) (legal h)).
    + apply sum_le. intros c Hc. cbv zeta. unfold probe. rewrite N.mul_add_distr_l.
      pose proof (legal_shrinks cells c true h Hc). pose proof (legal_shrinks cells c false h Hc).
      apply N.add_le_mono.
      * destruct (win p _); [lia|]. apply IHk; lia.
      * rewrite <- (E c Hc). destruct rule; apply IHk; lia.
    + rewrite <- S, sum_mul_r. apply sum_le. intros c Hc. apply N.mul_le_mono_l.
      now apply best_in.
Qed.
End Turn.

(** ** Step 8: some deterministic response reaches it *)

(** A deterministic response names a probe at every history; its realization plan lays mass one on the histories
    that follow it. *)
Definition policy := history -> cell.
Definition lawful (s : policy) : Prop := forall h, legal h <> [] -> In (s h) (legal h).
Fixpoint follows (s : policy) (h : history) : bool :=
  match h with [] => true | (c, _) :: h => Nat.eqb c (s h) && follows s h end.
Definition pure (s : policy) : plan := fun h => if follows s h then 1 else 0.

Lemma pure_conserved s : NoDup cells -> lawful s -> conserved (pure s).
Proof.
  intros ND Hs h Hl. unfold pure. simpl. split; [|reflexivity].
  transitivity (sum (fun c => if Nat.eqb c (s h) then (if follows s h then 1 else 0) else 0) (legal h)).
  - apply sum_ext. intros c _. now destruct (Nat.eqb c (s h)).
  - apply sum_single; auto. unfold DarkHex.legal. now apply NoDup_filter.
Qed.

Lemma follows_agree s s' h : (forall h', (length h' < length h)%nat -> s h' = s' h') -> follows s h = follows s' h.
Proof.
  induction h as [|[c b] h IH]; simpl; intros H; auto. rewrite (H h), IH; auto.
Qed.

Lemma probe_ext r r' h ws c :
  (forall b ws, r ((c, b) :: h) ws = r' ((c, b) :: h) ws) -> probe r h ws c = probe r' h ws c.
Proof. intros E. unfold probe. rewrite !E. destruct rule; now rewrite ?E. Qed.

Lemma br_bound : forall k k' h ws, (length (legal h) <= k)%nat -> (length (legal h) <= k')%nat ->
  br k h ws = br k' h ws.
Proof.
  induction k; intros k' h ws L L'.
  - destruct k'; auto. simpl. destruct (legal h); simpl in *; [auto|lia].
  - destruct k'; simpl.
    + destruct (legal h); simpl in *; [auto|lia].
    + apply best_ext. intros c Hc. apply probe_ext. intros b ws'.
      pose proof (legal_shrinks cells c b h Hc). apply IHk; lia.
Qed.

(** What we believe after each history, from the start [h0] with belief [ws0]. *)
Definition step (c : cell) (b : bool) (h : history) (ws : list world) : list world :=
  if b then after_turn ((c, true) :: h) (filter (fun w => negb (holds c w)) ws)
  else match rule with
       | Classic => filter (holds c) ws
       | Abrupt => after_turn ((c, false) :: h) (filter (holds c) ws)
       end.
Fixpoint belief (n : nat) (ws0 : list world) (h : history) : list world :=
  if (length h <=? n)%nat then ws0
  else match h with [] => ws0 | (c, b) :: h => step c b h (belief n ws0 h) end.

Lemma belief_start ws0 h : belief (length h) ws0 h = ws0.
Proof. destruct h as [|[]]; simpl; auto. now rewrite Nat.leb_refl. Qed.

Lemma belief_step n ws0 c b h : (n <= length h)%nat ->
  belief n ws0 ((c, b) :: h) = step c b h (belief n ws0 h).
Proof. intros L. cbn [belief]. destruct (Nat.leb_spec (length ((c, b) :: h)) n); auto. simpl in *. lia. Qed.

(** The best probe at a history. *)
Definition argbest (f : cell -> N) (l : list cell) : cell :=
  match find (fun c => N.eqb (f c) (best f l)) l with Some c => c | None => hd 0%nat l end.

Lemma argbest_spec f l : l <> [] -> In (argbest f l) l /\ f (argbest f l) = best f l.
Proof.
  intros L. unfold argbest. destruct (find _ l) eqn:F.
  - apply find_some in F as [I E]. apply N.eqb_eq in E. auto.
  - destruct (best_attained f l L) as (c & I & E). eapply find_none in F; eauto. simpl in F.
    rewrite E, N.eqb_refl in F. discriminate.
Qed.

(** [start] is a history that some lawful response can have. *)
Definition reachable (start : history) : Prop := exists s, lawful s /\ follows s start = true.

Theorem response_attained start ws :
  covered -> (forall i, conserved (theirs i)) -> NoDup cells -> reachable start ->
  exists s, lawful s /\ follows s start = true /\
            gain (pure s) start ws = br (length (legal start)) start ws.
Proof.
  intros Hcov Hcons ND (s0 & L0 & F0).
  set (B := belief (length start) ws).
  set (s := fun h => if (length h <? length start)%nat then s0 h
                     else argbest (probe (br (pred (length (legal h)))) h (B h)) (legal h)).
  assert (Ls : lawful s).
  { intros h Hl. unfold s. destruct (_ <? _)%nat; [auto|]. now apply argbest_spec. }
  assert (Fs : follows s start = true).
  { rewrite (follows_agree s s0); auto. intros h L. unfold s. apply Nat.ltb_lt in L. now rewrite L. }
  exists s. repeat split; auto.
  assert (Main : forall k h, length (legal h) = k -> (length start <= length h)%nat -> follows s h = true ->
     gain (pure s) h (B h) = br k h (B h)).
  { induction k as [k IH] using lt_wf_ind. intros h Lk Ls' Fh. rewrite gain_step by auto.
    destruct (list_eq_dec Nat.eq_dec (legal h) []) as [El|Nl].
    - rewrite El in *. simpl in Lk. subst k. reflexivity.
    - destruct k as [|k]; [apply length_zero_iff_nil in Lk; tauto|]. simpl br.
      assert (E : s h = argbest (probe (br k) h (B h)) (legal h)).
      { unfold s. rewrite Lk. destruct (Nat.ltb_spec (length h) (length start)); [lia|auto]. }
      destruct (argbest_spec (probe (br k) h (B h)) (legal h) Nl) as [I V]. rewrite <- E in I, V.
      rewrite <- V. rewrite <- (sum_single (s h) (probe (br k) h (B h) (s h)) (legal h)); auto.
      2: { unfold DarkHex.legal. now apply NoDup_filter. }
      apply sum_ext. intros c Hc. cbv zeta.
      destruct (Nat.eqb_spec c (s h)) as [->|Nc].
      + unfold probe. pose proof (legal_shrinks cells (s h) true h Hc). pose proof (legal_shrinks cells (s h) false h Hc).
        assert (Go : forall b, gain (pure s) ((s h, b) :: h) (step (s h) b h (B h))
                               = br k ((s h, b) :: h) (step (s h) b h (B h))).
        { intros b. unfold B. rewrite <- belief_step by auto. fold B.
          rewrite (br_bound k (length (legal ((s h, b) :: h)))); [|destruct b; lia|lia].
          apply IH; auto; [destruct b; lia|simpl; lia|]. simpl. now rewrite Nat.eqb_refl. }
        pose proof (Go true) as Gt. pose proof (Go false) as Gf. unfold step in Gt, Gf.
        assert (P1 : pure s ((s h, true) :: h) = 1) by (unfold pure; simpl; now rewrite Nat.eqb_refl, Fh).
        rewrite P1, N.mul_1_l, Gt. f_equal. destruct rule; exact Gf.
      + assert (P0 : forall b, pure s ((c, b) :: h) = 0).
        { intros b. unfold pure. simpl. apply Nat.eqb_neq in Nc. now rewrite Nc. }
        assert (G0 : forall b ws', gain (pure s) ((c, b) :: h) ws' = 0).
        { intros b ws'. pose proof (response_at_most (pure s) Hcov Hcons ND (pure_conserved s ND Ls) _ ((c, b) :: h) ws'
            (le_n _)) as R. rewrite P0 in R. lia. }
        rewrite P0, !G0. destruct (win p _), rule; rewrite ?G0; lia. }
  pose proof (Main _ start eq_refl (le_n _) Fs) as M. unfold B in M. now rewrite belief_start in M.
Qed.
End BestResponse.
