(** The shortcuts of Classic: probes that the belief recursion may leave out without changing a value.

    1. More legal probes are never worse. [br_mono]
    2. If a cell is occupied in every world, never probing it costs nothing. [br_drop]
    3. So a probe that is certain to collide may be omitted. [certain_collisions_omitted]
    4. A belief is worth at most its weight, and two beliefs together at most the sum of their worths. [br_weight],
       [br_split]
    5. So a probe that wins if its cell is empty may be taken at once. [winning_probe_forced] *)
From Coq Require Import NArith Arith List Bool Permutation Lia.
From Formal Require Import Sums DarkHex BestResponse Memo.
Import ListNotations.
Open Scope N_scope.

Section Shortcuts.
Variable cells : list cell.
Variable win : player -> list cell -> bool.
Variable p : player.
Variable theirs : nat -> plan.
Variable moves : nat -> history -> list cell.

Notation br := (br cells Classic win p theirs moves).
Notation probe := (probe cells Classic win p theirs moves).
Notation replies := (replies cells Classic win p moves).
Notation after_turn := (after_turn cells Classic win p moves).
Notation legal := (legal cells).
Notation weight := (weight theirs).

Definition same_stones (h h' : history) : Prop := forall c, has c true h = has c true h'.

Lemma same_stones_cons x b h h' : same_stones h h' -> same_stones ((x, b) :: h) ((x, b) :: h').
Proof. intros S c. rewrite !has_cons. now rewrite S. Qed.

Lemma same_stones_miss x h h' : same_stones h h' -> same_stones ((x, false) :: h) h'.
Proof. intros S c. rewrite has_cons. simpl. now rewrite andb_false_r, S. Qed.

Lemma same_stones_stones h h' : same_stones h h' -> stones cells h = stones cells h'.
Proof. intros S. apply filter_ext. exact S. Qed.

Lemma same_stones_replies h h' : same_stones h h' -> forall k w, replies k h w = replies k h' w.
Proof. intros S. induction k; intros w; simpl; auto. apply flat_map_ext. intros c. now rewrite S, IHk. Qed.

Lemma same_stones_turn h h' ws : same_stones h h' -> after_turn h ws = after_turn h' ws.
Proof. intros S. apply flat_map_ext. intros w. now apply same_stones_replies. Qed.

Lemma legal_cons_spec x c b h : In x (legal ((c, b) :: h)) <-> In x (legal h) /\ x <> c.
Proof. rewrite legal_cons, filter_In, negb_true_iff, Nat.eqb_neq. reflexivity. Qed.

(** Step 1 *)
Lemma probe_mono k k' h h' ws c :
  (forall h1 h1' ws, same_stones h1 h1' -> incl (legal h1) (legal h1') -> br k h1 ws <= br k' h1' ws) ->
  same_stones h h' -> incl (legal h) (legal h') -> probe (br k) h ws c <= probe (br k') h' ws c.
Proof.
  intros IH S I. assert (I' : forall b, incl (legal ((c, b) :: h)) (legal ((c, b) :: h'))).
  { intros b x. rewrite !legal_cons_spec. intros []. auto. }
  unfold BestResponse.probe.
  rewrite (same_stones_stones _ _ (same_stones_cons c true h h' S)).
  rewrite (same_stones_turn _ _ _ (same_stones_cons c true h h' S)).
  apply N.add_le_mono.
  - destruct (win p _); [lia|]. apply IH; auto. now apply same_stones_cons.
  - apply IH; auto. now apply same_stones_cons.
Qed.

Theorem br_mono : forall k k' h h' ws, (k <= k')%nat -> same_stones h h' -> incl (legal h) (legal h') ->
  br k h ws <= br k' h' ws.
Proof.
  induction k; intros [|k'] h h' ws L S I; try (simpl; lia). simpl. apply best_le. intros c Hc.
  transitivity (probe (br k') h' ws c).
  - apply probe_mono; auto. intros. apply IHk; auto. lia.
  - apply best_in. auto.
Qed.

(** What a probe that is certain to collide is worth. *)
Lemma filter_all {A} (t : A -> bool) l : (forall a, In a l -> t a = true) ->
  filter t l = l /\ filter (fun a => negb (t a)) l = [].
Proof.
  induction l as [|a l IH]; simpl; auto. intros H. rewrite (H a (or_introl eq_refl)). simpl.
  destruct IH as [E F]; auto. now rewrite E, F.
Qed.

Definition occupied (c : cell) (ws : list world) : Prop := forall w, In w ws -> holds c w = true.

Lemma probe_certain k h ws c : occupied c ws -> probe (br k) h ws c = br k ((c, false) :: h) ws.
Proof.
  intros O. destruct (filter_all (holds c) ws O) as [E F]. unfold BestResponse.probe. rewrite E, F.
  unfold BestResponse.after_turn. simpl. rewrite br_nowhere. now destruct (win p _).
Qed.

(** Step 2 *)
Lemma replies_occupied c h : forall k w, holds c w = true -> occupied c (replies k h w).
Proof.
  unfold holds. induction k; intros w H w' I; simpl in I; [tauto|]. apply in_flat_map in I as (x & _ & I).
  assert (G : forall b, has c true ((x, b) :: snd w) = true) by (intros b; rewrite has_cons, H; apply orb_true_r).
  destruct (has x true h).
  - apply (IHk (fst w, (x, false) :: snd w)); auto. apply G.
  - destruct (win _ _); [destruct I|]. destruct I as [<-|[]]. apply G.
Qed.

Lemma turn_occupied c h ws : occupied c ws -> occupied c (after_turn h ws).
Proof. intros O w I. apply in_flat_map in I as (x & Hx & I). eapply replies_occupied; eauto. Qed.

Lemma filter_occupied c t ws : occupied c ws -> occupied c (filter t ws).
Proof. intros O w I. apply filter_In in I as [I _]. auto. Qed.

Theorem br_drop c : forall k h h' ws, same_stones h h' ->
  (forall x, In x (legal h) -> x <> c -> In x (legal h')) -> occupied c ws -> br k h ws <= br k h' ws.
Proof.
  induction k; intros h h' ws S I O; [simpl; lia|]. cbn [BestResponse.br]. apply best_le. intros x Hx.
  destruct (Nat.eq_dec x c) as [->|N].
  - rewrite probe_certain by auto. change (br k ((c, false) :: h) ws <= br (Datatypes.S k) h' ws).
    apply br_mono; [lia|now apply same_stones_miss|]. intros y Hy. apply legal_cons_spec in Hy as []. auto.
  - transitivity (probe (br k) h' ws x); [|apply best_in; auto]. unfold BestResponse.probe.
    assert (I' : forall b y, In y (legal ((x, b) :: h)) -> y <> c -> In y (legal ((x, b) :: h'))).
    { intros b y. rewrite !legal_cons_spec. intros []. auto. }
    rewrite (same_stones_stones _ _ (same_stones_cons x true h h' S)).
    rewrite (same_stones_turn _ _ _ (same_stones_cons x true h h' S)). apply N.add_le_mono.
    + destruct (win p _); [lia|]. apply IHk; [now apply same_stones_cons|apply I'|].
      now apply turn_occupied, filter_occupied.
    + apply IHk; [now apply same_stones_cons|apply I'|now apply filter_occupied].
Qed.

(** Step 3 *)
Definition certain (ws : list world) (c : cell) : bool := forallb (holds c) ws.

Theorem certain_collisions_omitted k h ws :
  br (S k) h ws = best (probe (br k) h ws) (filter (fun c => negb (certain ws c)) (legal h)).
Proof.
  set (m := best _ (filter _ _)).
  assert (Less : forall x, In x (legal h) -> certain ws x = false -> probe (br k) h ws x <= m).
  { intros x Hx C. apply (best_in (probe (br k) h ws)). apply filter_In. now rewrite C. }
  assert (Cert : forall x, certain ws x = true -> occupied x ws).
  { intros x C w Hw. unfold certain in C. rewrite forallb_forall in C. auto. }
  assert (Below : forall j h', (j <= k)%nat -> same_stones h' h -> incl (legal h') (legal h) -> br j h' ws <= m).
  { induction j; intros h' L S I; [simpl; lia|]. cbn [BestResponse.br]. apply best_le. intros x Hx.
    destruct (certain ws x) eqn:C.
    - rewrite probe_certain by auto. apply IHj; [lia|now apply same_stones_miss|].
      intros y Hy. apply legal_cons_spec in Hy as []. auto.
    - transitivity (probe (br k) h ws x); [|auto]. apply probe_mono; auto. intros. apply br_mono; auto. lia. }
  apply N.le_antisymm.
  - cbn [BestResponse.br]. apply best_le. intros x Hx. destruct (certain ws x) eqn:C; [|auto].
    rewrite probe_certain by auto. apply Below; auto.
    + now apply same_stones_miss.
    + intros y Hy. apply legal_cons_spec in Hy as []. auto.
  - unfold m. apply best_le. intros x Hx. apply filter_In in Hx as [Hx _].
    apply (best_in (probe (br k) h ws)). auto.
Qed.

(** Step 4 *)
Hypothesis NoDup_cells : NoDup cells.
Hypothesis Hcov : covered cells theirs moves.
Hypothesis Hcons : forall i, conserved cells (theirs i).

Lemma moves_mass i g : sum (fun c => theirs i ((c, true) :: g)) (moves i g) <= theirs i g.
Proof.
  destruct (list_eq_dec Nat.eq_dec (legal g) []) as [E|E].
  - destruct (Hcov i g) as (_ & I & _). rewrite E in I. apply incl_l_nil in I. rewrite I. simpl. lia.
  - rewrite <- (sum_moves cells win p theirs moves Hcov i g (fun c => theirs i ((c, true) :: g))); auto.
    + destruct (Hcons i g E) as [S _]. rewrite S. lia.
    + apply NoDup_filter; auto.
Qed.

Lemma replies_weight h : forall k w, weight (replies k h w) <= mass theirs w.
Proof.
  induction k; intros [i g]; simpl; [unfold BestResponse.weight; simpl; lia|].
  unfold BestResponse.weight. rewrite sum_flat_map.
  transitivity (sum (fun c => theirs i ((c, true) :: g)) (moves i g)); [|apply moves_mass].
  apply sum_le. intros c Hc. destruct (Hcov i g) as (_ & I & _). apply I in Hc.
  destruct (Hcons i g) as [_ E]; [intros F; now rewrite F in Hc|]. specialize (E c Hc).
  destruct (has c true h).
  - rewrite <- E. exact (IHk (i, (c, false) :: g)).
  - destruct (win _ _); simpl; [lia|]. unfold mass. simpl. lia.
Qed.

Lemma turn_weight h ws : weight (after_turn h ws) <= weight ws.
Proof.
  unfold BestResponse.weight, BestResponse.after_turn. rewrite sum_flat_map. apply sum_le. intros w _. apply replies_weight.
Qed.

Theorem br_weight : forall k h ws, br k h ws <= weight ws.
Proof.
  induction k; intros h ws; cbn [BestResponse.br]; [lia|]. apply best_le. intros c _. unfold BestResponse.probe.
  unfold BestResponse.weight at 2. rewrite (sum_filter (holds c)), N.add_comm. apply N.add_le_mono; [apply IHk|].
  destruct (win p _); [reflexivity|]. etransitivity; [apply IHk|]. apply turn_weight.
Qed.

Theorem br_split : forall k h ws ws', br k h (ws ++ ws') <= br k h ws + br k h ws'.
Proof.
  induction k; intros h ws ws'; cbn [BestResponse.br]; [lia|]. apply best_le. intros c Hc.
  transitivity (probe (br k) h ws c + probe (br k) h ws' c).
  - unfold BestResponse.probe. rewrite !filter_app. unfold BestResponse.weight, BestResponse.after_turn.
    rewrite flat_map_app, sum_app.
    match goal with |- (if _ then ?a + ?b else br k ?h1 (?u ++ ?v)) + br k ?h2 (?x ++ ?y) <= _ =>
      pose proof (IHk h1 u v) as T1; pose proof (IHk h2 x y) as T2 end.
    destruct (win p _).
    + etransitivity; [apply N.add_le_mono; [apply N.le_refl|exact T2]|]. rewrite N.add_shuffle1. apply N.le_refl.
    + etransitivity; [apply N.add_le_mono; [exact T1|exact T2]|]. rewrite N.add_shuffle1. apply N.le_refl.
  - apply N.add_le_mono; now apply best_in.
Qed.

(** Step 5 *)
Lemma filter_halves {A} (t : A -> bool) l : Permutation l (filter (fun a => negb (t a)) l ++ filter t l).
Proof.
  induction l as [|a l IH]; simpl; auto. destruct (t a); simpl; [|now constructor].
  now apply Permutation_cons_app.
Qed.

Theorem winning_probe_forced k h ws c :
  (length (legal h) <= S k)%nat -> In c (legal h) -> win p (stones cells ((c, true) :: h)) = true ->
  br (S k) h ws = probe (br k) h ws c.
Proof.
  intros L Hc W. apply N.le_antisymm; [|cbn [BestResponse.br]; apply (best_in (probe (br k) h ws)); auto].
  rewrite (br_perm cells Classic win p theirs moves (S k) h h ws _ (Permutation_refl h) (filter_halves (holds c) ws)).
  etransitivity; [apply br_split|]. unfold BestResponse.probe. rewrite W. apply N.add_le_mono; [apply br_weight|].
  pose proof (legal_shrinks cells c false h Hc).
  rewrite (br_bound cells Classic win p theirs moves k (S k) ((c, false) :: h)) by lia.
  apply br_drop with c.
  - intros x. symmetry. apply same_stones_miss. intros y. reflexivity.
  - intros x Hx N. apply legal_cons_spec. auto.
  - intros w Hw. apply filter_In in Hw. tauto.
Qed.
End Shortcuts.
