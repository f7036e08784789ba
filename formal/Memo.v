(** The belief recursion with a memory: the same values, computed once for each belief. *)
From Coq Require Import NArith Arith List Bool Permutation Lia Mergesort Orders.
From Formal Require Import Sums DarkHex BestResponse Trie PlanFile.
Import ListNotations.
Open Scope N_scope.

(** ** A belief does not depend on the order in which things are written *)
Fixpoint history_leb (g g' : history) : bool :=
  match g, g' with
  | [], _ => true
  | _, [] => false
  | e :: g, e' :: g' => if Nat.eqb (digit e) (digit e') then history_leb g g' else Nat.ltb (digit e) (digit e')
  end.

Definition world_leb (w w' : world) : bool :=
  if Nat.eqb (fst w) (fst w') then history_leb (snd w) (snd w') else Nat.ltb (fst w) (fst w').

Lemma history_leb_total : forall g g', history_leb g g' = true \/ history_leb g' g = true.
Proof.
  induction g as [|e g IH]; destruct g' as [|e' g']; simpl; auto.
  rewrite (Nat.eqb_sym (digit e') (digit e)). destruct (Nat.eqb_spec (digit e) (digit e')); auto.
  rewrite !Nat.ltb_lt. lia.
Qed.

Module WorldOrder <: TotalLeBool.
  Definition t := world.
  Definition leb := world_leb.
  Lemma leb_total : forall a b, leb a b = true \/ leb b a = true.
  Proof.
    intros [i g] [j g']. unfold leb, world_leb. simpl. rewrite (Nat.eqb_sym j i).
    destruct (Nat.eqb_spec i j); [apply history_leb_total|]. rewrite !Nat.ltb_lt. lia.
  Qed.
End WorldOrder.
Module WorldSort := Sort WorldOrder.

Module ProbeOrder <: TotalLeBool.
  Definition t := (cell * bool)%type.
  Definition leb (a b : t) := Nat.leb (digit a) (digit b).
  Lemma leb_total : forall a b, leb a b = true \/ leb b a = true.
  Proof. intros a b. unfold leb. rewrite !Nat.leb_le. lia. Qed.
End ProbeOrder.
Module ProbeSort := Sort ProbeOrder.

Definition world_dec (w w' : world) : {w = w'} + {w <> w'}.
Proof. repeat decide equality. Defined.

Section Memo.
Variable cells : list cell.
Variable rule : mode.
Variable win : player -> list cell -> bool.
Variable p : player.
Variable theirs : nat -> plan.
Variable moves : nat -> history -> list cell.

Notation br := (br cells rule win p theirs moves).
Notation probe := (probe cells rule win p theirs moves).
Notation replies := (replies cells rule win p moves).
Notation after_turn := (after_turn cells rule win p moves).
Notation legal := (legal cells).

Lemma has_perm c b h h' : Permutation h h' -> has c b h = has c b h'.
Proof.
  unfold has. induction 1; simpl; auto; [now rewrite IHPermutation| |congruence].
  now rewrite !orb_assoc, (orb_comm (_ && _)).
Qed.

Lemma legal_perm h h' : Permutation h h' -> legal h = legal h'.
Proof. intros P. apply filter_ext. intros c. now rewrite !(has_perm _ _ _ _ P). Qed.

Lemma stones_perm h h' : Permutation h h' -> stones cells h = stones cells h'.
Proof. intros P. apply filter_ext. intros c. now rewrite (has_perm _ _ _ _ P). Qed.

Lemma replies_perm h h' : Permutation h h' -> forall k w, replies k h w = replies k h' w.
Proof.
  intros P. induction k; intros w; simpl; auto. apply flat_map_ext. intros c.
  rewrite (has_perm _ _ _ _ P), IHk. reflexivity.
Qed.

Lemma after_turn_perm h h' ws ws' : Permutation h h' -> Permutation ws ws' ->
  Permutation (after_turn h ws) (after_turn h' ws').
Proof.
  intros P Q. unfold BestResponse.after_turn.
  rewrite (flat_map_ext _ (fun w => replies (length (legal (snd w))) h' w)) by (intros; now apply replies_perm).
  now apply Permutation_flat_map.
Qed.

Lemma filter_perm {A} (t : A -> bool) l l' : Permutation l l' -> Permutation (filter t l) (filter t l').
Proof.
  induction 1; simpl; auto.
  - destruct (t x); auto.
  - destruct (t x), (t y); auto. apply perm_swap.
  - eauto using Permutation_trans.
Qed.

Lemma br_perm : forall k h h' ws ws', Permutation h h' -> Permutation ws ws' -> br k h ws = br k h' ws'.
Proof.
  induction k; intros h h' ws ws' P Q; simpl; auto. rewrite (legal_perm h h' P). apply best_ext.
  intros c _. unfold BestResponse.probe. assert (P' : forall b, Permutation ((c, b) :: h) ((c, b) :: h')) by auto.
  rewrite (stones_perm _ _ (P' true)).
  f_equal.
  - destruct (win p _); [apply sum_perm; now apply filter_perm|].
    apply IHk; auto. apply after_turn_perm; auto. now apply filter_perm.
  - pose proof (filter_perm (holds c) ws ws' Q) as F.
    pose proof (after_turn_perm _ _ _ _ (P' false) F) as A.
    destruct rule; apply IHk; auto.
Qed.

Lemma br_nowhere : forall k h, br k h [] = 0.
Proof.
  induction k; intros h; simpl; auto. apply N.le_0_r, best_le. intros c _. unfold BestResponse.probe. simpl.
  rewrite !IHk. destruct (win p _), rule; simpl; lia.
Qed.

(** ** The memory: for each history, beliefs with their values *)
Definition memory := trie (list (list world * N)).

Fixpoint search (ws : list world) (l : list (list world * N)) : option N :=
  match l with
  | [] => None
  | (ws', v) :: l => if list_eq_dec world_dec ws ws' then Some v else search ws l
  end.
Definition recall (t : memory) (h : history) (ws : list world) : option N :=
  match lookup (code h) t with Some l => search ws l | None => None end.
Definition store (t : memory) (h : history) (ws : list world) (v : N) : memory :=
  insert (code h) ((ws, v) :: match lookup (code h) t with Some l => l | None => [] end) t.

(** Everything remembered is true. *)
Definition truthful (t : memory) : Prop :=
  forall h ws v, recall t h ws = Some v -> v = br (length (legal h)) h ws.

Lemma truthful_empty : truthful empty.
Proof. intros h ws v. unfold recall. destruct (code h); discriminate. Qed.

Lemma truthful_store t h ws : truthful t -> truthful (store t h ws (br (length (legal h)) h ws)).
Proof.
  intros T h' ws' v. unfold recall, store. rewrite lookup_insert.
  destruct (list_eq_dec Nat.eq_dec (code h') (code h)) as [E|E]; [|apply T].
  apply code_inj in E. subst. simpl. destruct (list_eq_dec world_dec ws' ws); [intros X; injection X as <-; now subst|].
  specialize (T h ws' v). unfold recall in T. destruct (lookup (code h) t); [exact T|discriminate].
Qed.

Fixpoint scan (f : cell -> memory -> N * memory) (l : list cell) (t : memory) : N * memory :=
  match l with
  | [] => (0, t)
  | c :: l => let '(a, t) := f c t in let '(b, t) := scan f l t in (N.max a b, t)
  end.

Definition probe_memo (rest : history -> list world -> memory -> N * memory)
    (h : history) (ws : list world) (c : cell) (t : memory) : N * memory :=
  let free := filter (fun w => negb (holds c w)) ws in
  let held := filter (holds c) ws in
  let '(a, t) :=
    if win p (stones cells ((c, true) :: h)) then (weight theirs free, t)
    else rest ((c, true) :: h) (after_turn ((c, true) :: h) free) t in
  let '(b, t) := rest ((c, false) :: h) (match rule with
    | Classic => held
    | Abrupt => after_turn ((c, false) :: h) held end) t in
  (a + b, t).

Fixpoint br_memo (k : nat) (h : history) (ws : list world) (t : memory) : N * memory :=
  match k, ws with
  | O, _ | _, [] => (0, t)
  | S k, _ =>
    let h := ProbeSort.sort h in
    let ws := WorldSort.sort ws in
    match recall t h ws with
    | Some v => (v, t)
    | None =>
      let '(v, t) := scan (probe_memo (br_memo k) h ws) (legal h) t in
      (v, store t h ws v)
    end
  end.

Theorem br_memo_right : forall k h ws t, (length (legal h) <= k)%nat -> truthful t ->
  fst (br_memo k h ws t) = br k h ws /\ truthful (snd (br_memo k h ws t)).
Proof.
  induction k as [|k IH]; intros h ws t L T; [split; auto|].
  destruct ws as [|w ws]; [split; [symmetry; apply br_nowhere|exact T]|].
  cbn [br_memo]. set (h' := ProbeSort.sort h). set (ws' := WorldSort.sort (w :: ws)).
  assert (Ph : Permutation h h') by apply ProbeSort.Permuted_sort.
  assert (Pw : Permutation (w :: ws) ws') by apply WorldSort.Permuted_sort.
  rewrite (br_perm (S k) h h' (w :: ws) ws' Ph Pw). rewrite (legal_perm h h' Ph) in L.
  destruct (recall t h' ws') eqn:R.
  { split; auto. simpl fst. rewrite (T _ _ _ R). apply br_bound; auto. }
  assert (Scan : forall l, (forall c, In c l -> In c (legal h')) -> forall t, truthful t ->
    fst (scan (probe_memo (br_memo k) h' ws') l t) = best (probe (br k) h' ws') l /\
    truthful (snd (scan (probe_memo (br_memo k) h' ws') l t))).
  { induction l as [|c l IHl]; intros I t' T'; [split; auto|]. cbn [scan].
    assert (Lc : forall b, (length (legal ((c, b) :: h')) <= k)%nat).
    { intros b. pose proof (legal_shrinks cells c b h' (I c (or_introl eq_refl))). lia. }
    assert (Pr : fst (probe_memo (br_memo k) h' ws' c t') = probe (br k) h' ws' c /\
                 truthful (snd (probe_memo (br_memo k) h' ws' c t'))).
    { unfold probe_memo, BestResponse.probe. cbv zeta.
      set (free := filter (fun w => negb (holds c w)) ws'). set (held := filter (holds c) ws').
      set (held' := match rule with Classic => held | Abrupt => after_turn ((c, false) :: h') held end).
      assert (E : match rule with Classic => br k ((c, false) :: h') held
                  | Abrupt => br k ((c, false) :: h') (after_turn ((c, false) :: h') held) end
                  = br k ((c, false) :: h') held') by (unfold held'; destruct rule; reflexivity).
      rewrite E. destruct (win p _).
      - destruct (IH ((c, false) :: h') held' t' (Lc false) T') as [V2 T2].
        destruct (br_memo k ((c, false) :: h') held' t') as [b t2]. simpl in *. now rewrite V2.
      - destruct (IH ((c, true) :: h') (after_turn ((c, true) :: h') free) t' (Lc true) T') as [V1 T1].
        destruct (br_memo k ((c, true) :: h') _ t') as [a t1]. simpl in V1, T1.
        destruct (IH ((c, false) :: h') held' t1 (Lc false) T1) as [V2 T2].
        destruct (br_memo k ((c, false) :: h') held' t1) as [b t2]. simpl in *. now rewrite V1, V2. }
    destruct (probe_memo (br_memo k) h' ws' c t') as [a t1]. destruct Pr as [V1 T1]. simpl in V1, T1.
    destruct (IHl (fun x Hx => I x (or_intror Hx)) t1 T1) as [V2 T2].
    destruct (scan _ l t1) as [b t2]. simpl in *. now rewrite V1, V2. }
  destruct (Scan (legal h') (fun _ H => H) t T) as [V T'].
  destruct (scan _ (legal h') t) as [v t']. simpl fst in *. simpl snd in *. split; [exact V|].
  assert (E : v = br (length (legal h')) h' ws').
  { rewrite V. apply (br_bound cells rule win p theirs moves (S k)); auto. }
  rewrite E. now apply truthful_store.
Qed.
End Memo.
