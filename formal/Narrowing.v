(** Narrowing games: stones on cells that are black in the hidden solution, until one solution is left.

    1. A finite list of solutions; [black s c]: cell [c] is black in [s]. [left st]: the solutions that have all stones.
    2. A cell is undetermined if it is black in some solutions left and white in others, determined if black in all.
    3. A stone goes on an undetermined cell or, under the redundant-hint rule, on a determined cell without a stone.
       Who leaves exactly one solution wins: a player who faces one solution has lost. [won] is the plain recursion.
    4. [won_by_left]: the value depends only on the solutions left and (redundant-hint rule) on the number [p] of
       determined cells without a stone.
    5. [left_by_determined]: the solutions left depend only on the determined cells D. So the value depends only on D,
       or on (D, p): [standard_key], [hint_key].
    6. [symmetry_preserves_value]: a permutation of cells and solutions changes no value.
    7. [derivation_sound]: what a proof set derives is the value. *)
From Coq Require Import Arith List Bool Permutation Lia.
Import ListNotations.

Inductive rule := Standard | RedundantHint.

Lemma filter_loses_one (f f' : nat -> bool) c l : NoDup l -> In c l -> f' c = false -> f c = true ->
  (forall x, x <> c -> f' x = f x) -> S (length (filter f' l)) = length (filter f l).
Proof.
  intros ND I F' F E. induction ND as [|a l N ND IH]; [destruct I|]. simpl. destruct I as [->|I].
  - rewrite F, F'. simpl. f_equal. f_equal. apply filter_ext_in. intros x Hx. apply E. intros ->. tauto.
  - rewrite (E a) by (intros ->; tauto). specialize (IH I). destruct (f a); simpl; lia.
Qed.

Section Narrowing.
Variable solution : Type.
Variable solutions : list solution.
Variable cells : list nat.
Variable black : solution -> nat -> bool.
Hypothesis NoDup_cells : NoDup cells.
Variable r : rule.

Definition stone (st : list nat) (c : nat) : bool := existsb (Nat.eqb c) st.
Definition left (st : list nat) : list solution := filter (fun s => forallb (black s) st) solutions.
Definition determined (l : list solution) (c : nat) : bool := forallb (fun s => black s c) l.
Definition undetermined (l : list solution) (c : nat) : bool := existsb (fun s => black s c) l && negb (determined l c).
Definition may_place (st : list nat) (c : nat) : bool :=
  undetermined (left st) c ||
  match r with Standard => false | RedundantHint => determined (left st) c && negb (stone st c) end.
Definition one (l : list solution) : bool := match l with [_] => true | _ => false end.

Fixpoint wins (k : nat) (st : list nat) : bool :=
  match k with
  | O => false
  | S k => negb (one (left st)) && existsb (fun c => may_place st c && negb (wins k (c :: st))) cells
  end.

(** The number of cells without a stone bounds the length of the game. *)
Definition empty_cells (st : list nat) : nat := length (filter (fun c => negb (stone st c)) cells).
Definition won (st : list nat) : bool := wins (S (empty_cells st)) st.

(** ** Termination *)
Lemma stone_determined st c : stone st c = true -> determined (left st) c = true.
Proof.
  unfold stone, determined, left. rewrite existsb_exists, forallb_forall. intros (x & I & E) s H.
  apply Nat.eqb_eq in E. subst. apply filter_In in H as [_ H]. rewrite forallb_forall in H. auto.
Qed.

Lemma may_place_free st c : may_place st c = true -> stone st c = false.
Proof.
  intros H. destruct (stone st c) eqn:E; auto. pose proof (stone_determined st c E) as D.
  unfold may_place, undetermined in H. rewrite D, E in H. destruct r; simpl in H; rewrite ?andb_false_r in H; discriminate.
Qed.

Lemma empty_cells_fall st c : In c cells -> stone st c = false -> S (empty_cells (c :: st)) = empty_cells st.
Proof.
  intros I E. unfold empty_cells. apply filter_loses_one with c; auto; unfold stone; simpl.
  - now rewrite Nat.eqb_refl.
  - fold (stone st c). now rewrite E.
  - intros x N. apply Nat.eqb_neq in N. now rewrite N.
Qed.

Lemma wins_bound : forall k k' st, empty_cells st < k -> empty_cells st < k' -> wins k st = wins k' st.
Proof.
  induction k; intros [|k'] st L L'; try lia. simpl. f_equal.
  assert (E : forall l, incl l cells -> existsb (fun c => may_place st c && negb (wins k (c :: st))) l =
                      existsb (fun c => may_place st c && negb (wins k' (c :: st))) l).
  { induction l as [|c l IHl]; simpl; auto. intros I. rewrite IHl by (intros x Hx; apply I; now right). f_equal.
    destruct (may_place st c) eqn:M; auto. f_equal. f_equal. apply may_place_free in M.
    pose proof (empty_cells_fall st c (I c (or_introl eq_refl)) M). apply IHk; lia. }
  apply E. apply incl_refl.
Qed.

(** The value by its recursion. *)
Theorem won_iff st : won st = true <->
  one (left st) = false /\ exists c, In c cells /\ may_place st c = true /\ won (c :: st) = false.
Proof.
  unfold won at 1. cbn [wins]. rewrite andb_true_iff, negb_true_iff, existsb_exists. split.
  - intros [O (c & I & H)]. split; auto. exists c. rewrite andb_true_iff, negb_true_iff in H. destruct H as [M W].
    repeat split; auto. rewrite <- W. pose proof (empty_cells_fall st c I (may_place_free st c M)). apply wins_bound; lia.
  - intros [O (c & I & M & W)]. split; auto. exists c. split; auto.
    pose proof (empty_cells_fall st c I (may_place_free st c M)).
    assert (X : wins (empty_cells st) (c :: st) = false) by (rewrite <- W; apply wins_bound; lia).
    now rewrite M, X.
Qed.

(** ** What the value depends on *)
Definition p (st : list nat) : nat := length (filter (fun c => determined (left st) c && negb (stone st c)) cells).

Lemma left_cons c st : left (c :: st) = filter (fun s => black s c) (left st).
Proof.
  unfold left. induction solutions as [|s l IH]; auto. cbn [filter]. rewrite IH. cbn [forallb].
  destruct (black s c) eqn:B, (forallb (black s) st); simpl; rewrite ?B; auto.
Qed.

Lemma left_determined c st : determined (left st) c = true -> left (c :: st) = left st.
Proof.
  rewrite left_cons. unfold determined. generalize (left st) as l. induction l as [|s l IH]; simpl; auto.
  rewrite andb_true_iff. intros [-> H]. now rewrite IH.
Qed.

(** p and the stones make up the determined cells. *)
Definition stones_on_board (st : list nat) : nat := length (filter (stone st) cells).
Lemma p_counts st : p st + stones_on_board st = length (filter (determined (left st)) cells).
Proof.
  unfold p, stones_on_board. clear NoDup_cells. induction cells as [|c l IH]; simpl; auto.
  pose proof (stone_determined st c) as D.
  destruct (stone st c) eqn:E; [rewrite (D eq_refl)|destruct (determined (left st) c)]; simpl; lia.
Qed.

Lemma stones_on_board_grow st c : In c cells -> stone st c = false ->
  stones_on_board (c :: st) = S (stones_on_board st).
Proof.
  intros I E. pose proof (empty_cells_fall st c I E) as F. unfold empty_cells, stones_on_board in *.
  assert (C : forall f : nat -> bool, length (filter f cells) + length (filter (fun c => negb (f c)) cells) = length cells).
  { clear. intros f. induction cells as [|a l IH]; simpl; auto. destruct (f a); simpl; lia. }
  pose proof (C (stone st)). pose proof (C (stone (c :: st))). lia.
Qed.

Lemma p_child st st' c : In c cells -> left st = left st' -> p st = p st' -> stone st c = false -> stone st' c = false ->
  p (c :: st) = p (c :: st').
Proof.
  intros I L P F F'. pose proof (p_counts st). pose proof (p_counts st').
  pose proof (p_counts (c :: st)). pose proof (p_counts (c :: st')).
  rewrite (stones_on_board_grow st c), (stones_on_board_grow st' c) in * by auto.
  rewrite !left_cons, L in *. lia.
Qed.

Definition same_key (st st' : list nat) : Prop :=
  left st = left st' /\ match r with Standard => True | RedundantHint => p st = p st' end.

Lemma hint_exists st : p st <> 0 <-> exists c, In c cells /\ determined (left st) c = true /\ stone st c = false.
Proof.
  unfold p. set (f := fun c => _ && _). split.
  - intros H. destruct (filter f cells) as [|c l] eqn:E; [simpl in H; lia|].
    assert (In c (filter f cells)) as I by (rewrite E; now left). apply filter_In in I as [I F]. exists c. unfold f in F.
    rewrite andb_true_iff, negb_true_iff in F. tauto.
  - intros (c & I & D & S) H. assert (In c (filter f cells)) as X.
    { apply filter_In. split; auto. unfold f. now rewrite D, S. }
    destruct (filter f cells); simpl in *; [auto|lia].
Qed.

Lemma p_hint st c : In c cells -> determined (left st) c = true -> stone st c = false -> S (p (c :: st)) = p st.
Proof.
  intros I D S. pose proof (p_counts st). pose proof (p_counts (c :: st)).
  rewrite (stones_on_board_grow st c) in * by auto. rewrite (left_determined c st D) in *. lia.
Qed.

Theorem won_by_left : forall st st', same_key st st' -> won st = won st'.
Proof.
  assert (Main : forall n st st', empty_cells st < n -> empty_cells st' < n -> same_key st st' -> won st = won st').
  { induction n as [|n IHn]; intros st st' Ln Ln' K; [lia|].
    assert (Half : forall st st', empty_cells st < S n -> empty_cells st' < S n -> same_key st st' ->
                   won st = true -> won st' = true).
    { clear st st' Ln Ln' K. intros st st' Ln Ln' [L P] W. apply won_iff in W as (O & c & I & M & W). apply won_iff.
      split; [now rewrite <- L|]. pose proof (may_place_free st c M) as F.
      assert (Go : forall c', In c' cells -> may_place st' c' = true -> same_key (c' :: st') (c :: st) ->
                 exists c, In c cells /\ may_place st' c = true /\ won (c :: st') = false).
      { intros c' I' M' K. exists c'. repeat split; auto. rewrite <- W.
        pose proof (empty_cells_fall st c I F). pose proof (empty_cells_fall st' c' I' (may_place_free st' c' M')).
        apply IHn; auto; lia. }
      unfold may_place in M. apply orb_true_iff in M as [M|M].
      - assert (M' : may_place st' c = true) by (unfold may_place; now rewrite <- L, M).
        apply (Go c I M'). split; [now rewrite !left_cons, L|]. destruct r; auto. symmetry.
        apply p_child; auto. now apply may_place_free.
      - destruct r eqn:R; [discriminate|]. apply andb_true_iff in M as [D _].
        assert (X : p st' <> 0). { rewrite <- P. apply hint_exists. eauto. }
        apply hint_exists in X as (c' & I' & D' & F').
        apply (Go c' I'); [unfold may_place; rewrite R, D', F'; apply orb_true_r|].
        split; [now rewrite !left_determined, L|]. rewrite R.
        pose proof (p_hint st c I D F). pose proof (p_hint st' c' I' D' F'). lia. }
    assert (K' : same_key st' st) by (destruct K; split; auto; destruct r; auto).
    destruct (won st) eqn:W.
    - symmetry. now apply (Half st st').
    - destruct (won st') eqn:W'; auto. rewrite <- W. now apply (Half st' st). }
  intros st st' K. apply (Main (S (empty_cells st + empty_cells st'))); auto; lia.
Qed.

(** ** The determined cells as a key *)
Definition D (st : list nat) : list nat := filter (determined (left st)) cells.

Theorem left_by_determined st st' : incl st cells -> incl st' cells -> D st = D st' -> left st = left st'.
Proof.
  assert (H : forall st, incl st cells -> left st = filter (fun s => forallb (black s) (D st)) solutions).
  { intros s0 I. unfold left at 1. apply filter_ext_in. intros s Hs. apply eq_true_iff_eq. rewrite !forallb_forall. split.
    - intros A c Hc. apply filter_In in Hc as [_ Hc]. unfold determined in Hc. rewrite forallb_forall in Hc.
      apply Hc. apply filter_In. split; auto. now apply forallb_forall.
    - intros A c Hc. apply A. apply filter_In. split; auto. apply stone_determined. apply existsb_exists.
      exists c. split; auto. apply Nat.eqb_refl. }
  intros I I' E. rewrite (H st I), (H st' I'), E. reflexivity.
Qed.

Theorem standard_key st st' : r = Standard -> incl st cells -> incl st' cells -> D st = D st' -> won st = won st'.
Proof. intros R I I' E. apply won_by_left. split; [now apply left_by_determined|]. now rewrite R. Qed.

Theorem hint_key st st' : incl st cells -> incl st' cells -> D st = D st' -> p st = p st' -> won st = won st'.
Proof. intros I I' E P. apply won_by_left. split; [now apply left_by_determined|]. now destruct r. Qed.

(** ** Symmetries *)
Section Symmetry.
Variable g : nat -> nat.
Variable gs : solution -> solution.
Hypothesis g_inj : forall a b, g a = g b -> a = b.
Hypothesis g_cells : Permutation (map g cells) cells.
Hypothesis gs_solutions : Permutation (map gs solutions) solutions.
Hypothesis g_black : forall s c, black (gs s) (g c) = black s c.

Lemma filter_permuted {A} (f : A -> bool) l l' : Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - eauto using Permutation_trans.
Qed.

Lemma left_turned st : Permutation (map gs (left st)) (left (map g st)).
Proof.
  unfold left.
  eapply Permutation_trans; [|apply filter_permuted; exact gs_solutions]. clear gs_solutions.
  assert (E : forall s, forallb (black (gs s)) (map g st) = forallb (black s) st).
  { intros s. induction st as [|c l IH]; simpl; auto. now rewrite g_black, IH. }
  induction solutions as [|s l IH]; simpl; auto. rewrite E. destruct (forallb (black s) st); simpl; auto.
Qed.

Lemma forallb_perm {A} (f : A -> bool) l l' : Permutation l l' -> forallb f l = forallb f l'.
Proof. induction 1; simpl; try congruence. destruct (f x), (f y); auto. Qed.
Lemma existsb_perm {A} (f : A -> bool) l l' : Permutation l l' -> existsb f l = existsb f l'.
Proof. induction 1; simpl; try congruence. destruct (f x), (f y); auto. Qed.

Lemma determined_turned st c : determined (left (map g st)) (g c) = determined (left st) c.
Proof.
  unfold determined. rewrite <- (forallb_perm _ _ _ (left_turned st)). induction (left st); simpl; auto.
  now rewrite g_black, IHl.
Qed.
Lemma black_turned st c : existsb (fun s => black s (g c)) (left (map g st)) = existsb (fun s => black s c) (left st).
Proof.
  rewrite <- (existsb_perm _ _ _ (left_turned st)). induction (left st); simpl; auto. now rewrite g_black, IHl.
Qed.
Lemma stone_turned st c : stone (map g st) (g c) = stone st c.
Proof.
  unfold stone. induction st as [|a l IH]; simpl; auto. rewrite IH. f_equal.
  destruct (Nat.eqb_spec c a); [subst; apply Nat.eqb_refl|]. apply Nat.eqb_neq. intros X. now apply g_inj in X.
Qed.
Lemma may_place_turned st c : may_place (map g st) (g c) = may_place st c.
Proof. unfold may_place, undetermined. now rewrite determined_turned, black_turned, stone_turned. Qed.
Lemma one_turned st : one (left (map g st)) = one (left st).
Proof.
  pose proof (Permutation_length (left_turned st)) as L. rewrite map_length in L.
  destruct (left st) as [|a [|b l]], (left (map g st)) as [|a' [|b' l']]; simpl in *; auto; discriminate.
Qed.

Theorem symmetry_preserves_value : forall st, won (map g st) = won st.
Proof.
  assert (Main : forall n st, empty_cells st < n -> won (map g st) = won st).
  { induction n as [|n IHn]; intros st L; [lia|]. apply eq_true_iff_eq. rewrite !won_iff, one_turned.
    split; intros [O (c & I & M & W)]; split; auto.
    - apply (Permutation_in _ (Permutation_sym g_cells)) in I. apply in_map_iff in I as (c0 & <- & I0). exists c0.
      rewrite may_place_turned in M. repeat split; auto. rewrite <- W. symmetry. apply (IHn (c0 :: st)).
      pose proof (empty_cells_fall st c0 I0 (may_place_free st c0 M)). lia.
    - exists (g c). rewrite may_place_turned. repeat split; auto.
      + apply (Permutation_in _ g_cells). now apply in_map.
      + rewrite <- W. apply (IHn (c :: st)). pose proof (empty_cells_fall st c I (may_place_free st c M)). lia. }
  intros st. apply (Main (S (empty_cells st))). lia.
Qed.
End Symmetry.

(** ** Proof sets: a value follows from a search, from a lost child, from all children, or by the key or a symmetry. *)
Variable alike : list nat -> list nat -> Prop.
Hypothesis alike_right : forall st st', alike st st' -> won st = won st'.

Inductive derives : list nat -> bool -> Prop :=
| by_search st : derives st (won st)
| by_child st c : one (left st) = false -> In c cells -> may_place st c = true -> derives (c :: st) false -> derives st true
| by_children st : (forall c, In c cells -> may_place st c = true -> derives (c :: st) true) -> derives st false
| by_key st st' v : same_key st st' -> derives st v -> derives st' v
| by_symmetry st st' v : alike st st' -> derives st v -> derives st' v.

Theorem derivation_sound st v : derives st v -> won st = v.
Proof.
  induction 1 as [st|st c O I M _ W|st _ W|st st' v K _ W|st st' v A _ W]; auto.
  - apply won_iff. eauto.
  - destruct (won st) eqn:E; auto. apply won_iff in E as (_ & c & I & M & E). rewrite (W c I M) in E. discriminate.
  - rewrite <- W. symmetry. now apply won_by_left.
  - rewrite <- W. symmetry. auto.
Qed.
End Narrowing.
