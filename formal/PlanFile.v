(** The plans of a strategy file: listed histories, and a default order for the others. *)
From Coq Require Import NArith Arith List Bool Lia.
From Formal Require Import Sums DarkHex BestResponse Trie.
Import ListNotations.
Open Scope N_scope.

(** What a file says at a listed history: one probe that takes all the mass (.mix), or masses (.realization). *)
Inductive choice := Go (c : cell) | Split (l : list (cell * N)).

Record entry := { total : N; priority : list cell; listed : list (history * choice) }.

Definition digit (e : cell * bool) : nat := if snd e then S (2 * fst e) else (2 * fst e)%nat.
Definition code (h : history) : list nat := map digit h.
Definition index (l : list (history * choice)) : trie choice :=
  fold_right (fun e t => insert (code (fst e)) (snd e) t) empty l.

(** A plan that is ready for use: the listed histories are indexed. *)
Record ready := { all : N; order : list cell; tree : trie choice }.
Definition prepare (e : entry) : ready := {| all := total e; order := priority e; tree := index (listed e) |}.

Section Plan.
Variable cells : list cell.
Variable r : ready.

Definition default (h : history) : option cell :=
  find (fun c => negb (has c true h || has c false h)) (order r).

Definition choice_at (h : history) : choice :=
  match lookup (code h) (tree r) with
  | Some c => c
  | None => match default h with Some d => Go d | None => Split [] end
  end.

Definition part (c : cell) (l : list (cell * N)) : N := match assoc c l with Some m => m | None => 0 end.

Fixpoint mass_of (h : history) : N :=
  match h with
  | [] => all r
  | (c, _) :: h =>
    match choice_at h with
    | Go d => if Nat.eqb c d then mass_of h else 0
    | Split l => part c l
    end
  end.

Definition moves_of (h : history) : list cell :=
  match choice_at h with Go d => [d] | Split l => map fst l end.

Definition mem (c : cell) (l : list cell) : bool := existsb (Nat.eqb c) l.
Fixpoint distinct (l : list cell) : bool :=
  match l with [] => true | c :: l => negb (mem c l) && distinct l end.

(** A listed history is right if its probes are legal and distinct and their masses sum to its mass. *)
Definition right (e : history * choice) : bool :=
  match snd e with
  | Go d => mem d (legal cells (fst e))
  | Split l => forallb (fun x => mem (fst x) (legal cells (fst e))) l && distinct (map fst l) &&
               (sum snd l =? mass_of (fst e))
  end.
Definition order_right : bool :=
  forallb (fun c => mem c (order r)) cells && forallb (fun c => mem c cells) (order r).
End Plan.

Definition plan_right (cells : list cell) (e : entry) : bool :=
  order_right cells (prepare e) && forallb (right cells (prepare e)) (listed e).

Lemma mem_spec c l : mem c l = true <-> In c l.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros (x & I & E). apply Nat.eqb_eq in E. now subst.
  - intros. exists c. split; auto. apply Nat.eqb_refl.
Qed.

Lemma distinct_spec l : distinct l = true -> NoDup l.
Proof.
  induction l; simpl; [constructor|]. rewrite andb_true_iff, negb_true_iff. intros [M D]. constructor; auto.
  rewrite <- mem_spec. congruence.
Qed.

Lemma code_inj : forall h h', code h = code h' -> h = h'.
Proof.
  induction h as [|[c b] h IH]; destruct h' as [|[c' b'] h']; intros E; try discriminate; auto.
  injection E as D E. rewrite (IH _ E). unfold digit in D.
  assert (c = c' /\ b = b') as [-> ->]; [|reflexivity].
  unfold cell in *. destruct b, b'; cbn [fst snd] in D; split; try reflexivity; lia.
Qed.

Lemma index_spec l h c : lookup (code h) (index l) = Some c -> In (h, c) l.
Proof.
  induction l as [|[h' c'] l IH]; simpl; [destruct (code h); discriminate|].
  rewrite lookup_insert. destruct (list_eq_dec _ _ _) as [E|E]; intros F; auto.
  injection F as ->. apply code_inj in E. subst. auto.
Qed.

Lemma part_sum : forall l L, NoDup (map fst l) -> incl (map fst l) L -> NoDup L ->
  sum (fun c => part c l) L = sum snd l.
Proof.
  induction l as [|[d m] l IH]; intros L ND I NL.
  - simpl. unfold part. simpl. apply sum_zero.
  - simpl in *. inversion ND as [|? ? Nd ND']; subst.
    rewrite <- (IH L); auto; [|eauto using incl_cons_inv with *; intros x Hx; apply I; now right].
    pose proof (sum_single d m L NL (I d (or_introl eq_refl))) as S1.
    transitivity (sum (fun c => (if Nat.eqb c d then m else 0) + part c l) L); [|now rewrite sum_add, S1].
    apply sum_ext. intros c _. unfold part. simpl.
    destruct (Nat.eqb_spec c d); subst; simpl; [|reflexivity].
    assert (assoc d l = None) as ->; [|symmetry; apply N.add_0_r].
    clear - Nd. induction l as [|[e x] l IH]; simpl in *; auto.
    destruct (Nat.eqb_spec d e); subst; tauto.
Qed.

Section Right.
Variable cells : list cell.
Hypothesis NoDup_cells : NoDup cells.
Variable e : entry.
Hypothesis R : plan_right cells e = true.

Lemma choice_right h : legal cells h <> [] -> right cells (prepare e) (h, choice_at (prepare e) h) = true.
Proof.
  intros Hl. apply andb_true_iff in R as [O L]. rewrite forallb_forall in L. unfold choice_at. simpl.
  destruct (lookup _ _) eqn:F; [apply L; now apply index_spec|].
  apply andb_true_iff in O as [O1 O2]. rewrite forallb_forall in O1, O2. simpl in *.
  unfold default. simpl. destruct (find _ _) eqn:D.
  - apply find_some in D as [I V]. cbn. apply mem_spec. unfold legal. rewrite filter_In. split; auto.
    apply mem_spec. auto.
  - destruct (legal cells h) as [|c l] eqn:E; [congruence|].
    assert (In c (legal cells h)) as I by (rewrite E; now left). unfold legal in I. apply filter_In in I as [I V].
    apply O1, mem_spec in I. eapply find_none in D; eauto. simpl in D. congruence.
Qed.

(** A plan that passes the check conserves mass. *)
Theorem file_conserved : conserved cells (mass_of (prepare e)).
Proof.
  intros h Hl. pose proof (choice_right h Hl) as C. split.
  2: { intros c _. reflexivity. }
  simpl. unfold right in C. cbn [fst snd] in C. destruct (choice_at (prepare e) h) as [d|l].
  - apply sum_single; [apply NoDup_filter; auto|now apply mem_spec].
  - rewrite !andb_true_iff in C. destruct C as [[I D] E]. apply N.eqb_eq in E. rewrite <- E.
    rewrite forallb_forall in I. apply part_sum; [now apply distinct_spec| |apply NoDup_filter; auto].
    intros x Hx. apply in_map_iff in Hx as (y & <- & Hy). apply mem_spec. auto.
Qed.

Theorem file_moves h : legal cells h <> [] ->
  NoDup (moves_of (prepare e) h) /\ incl (moves_of (prepare e) h) (legal cells h) /\
  forall c, ~ In c (moves_of (prepare e) h) -> mass_of (prepare e) ((c, true) :: h) = 0.
Proof.
  intros Hl. pose proof (choice_right h Hl) as C. unfold moves_of, right in *. cbn [fst snd mass_of] in *.
  destruct (choice_at (prepare e) h) as [d|l].
  - repeat split.
    + repeat constructor. simpl. tauto.
    + intros x [<-|[]]. now apply mem_spec.
    + intros c N. destruct (Nat.eqb_spec c d); auto. subst. destruct N. now left.
  - rewrite !andb_true_iff in C. destruct C as [[I D] E]. rewrite forallb_forall in I. repeat split.
    + now apply distinct_spec.
    + intros x Hx. apply in_map_iff in Hx as (y & <- & Hy). apply mem_spec. auto.
    + intros c N. unfold part. assert (assoc c l = None) as ->; auto. clear - N.
      induction l as [|[x m] l IH]; simpl in *; auto. destruct (Nat.eqb_spec c x); subst; tauto.
Qed.
End Right.

(** ** A file: a list of plans *)
Definition no_entry : entry := {| total := 0; priority := []; listed := [] |}.

Section File.
Variable cells : list cell.
Hypothesis NoDup_cells : NoDup cells.
Variable es : list entry.
Hypothesis R : forallb (plan_right cells) es = true.

Definition ready_mass (rs : list ready) (i : nat) (h : history) : N :=
  match nth_error rs i with Some r => mass_of r h | None => 0 end.
(** Where nothing is legal there is nothing to choose. *)
Definition ready_choices (rs : list ready) (i : nat) (h : history) : list cell :=
  match legal cells h with
  | [] => []
  | _ => match nth_error rs i with Some r => moves_of r h | None => [] end
  end.

Definition file_mass := ready_mass (map prepare es).
Definition file_choices := ready_choices (map prepare es).

Lemma nth_right i r : nth_error (map prepare es) i = Some r -> exists e, r = prepare e /\ plan_right cells e = true.
Proof.
  intros H. apply nth_error_In in H. apply in_map_iff in H as (e & <- & I). exists e.
  rewrite forallb_forall in R. auto.
Qed.

Theorem files_conserved i : conserved cells (file_mass i).
Proof.
  unfold file_mass, ready_mass. destruct (nth_error _ i) eqn:E.
  - apply nth_right in E as (e & -> & P). now apply file_conserved.
  - intros h _. split; auto. apply sum_zero.
Qed.

Theorem files_covered : covered cells file_mass file_choices.
Proof.
  intros i h. unfold file_choices, file_mass, ready_choices, ready_mass. destruct (legal cells h) as [|c l] eqn:L.
  - split; [apply NoDup_nil|]. split; [intros x []|intros x []].
  - destruct (nth_error _ i) eqn:E.
    + apply nth_right in E as (e & -> & P). rewrite <- L.
      destruct (file_moves cells e P h) as (A & B & C); [congruence|]. auto.
    + split; [apply NoDup_nil|]. split; [intros x []|auto].
Qed.
End File.
