(** A checker of proof sets for narrowing games: it accepts a step only if what it rests on was accepted before. *)
From Coq Require Import Arith List Bool Lia.
From Formal Require Import Trie Narrowing.
Import ListNotations.
Open Scope nat_scope.

(** A position is named by stones that reach it; it is looked up by its key. *)
Inductive step :=
| Search (st : list nat) (v : bool)          (* the plain recursion finds the value [v] *)
| WonBy (st : list nat) (c : nat)            (* won, since a stone on [c] leaves a position that was accepted as lost *)
| LostAll (st : list nat).                   (* lost, since every stone leaves a position that was accepted as won *)

Section Derivation.
Variable solution : Type.
Variable solutions : list solution.
Variable cells : list nat.
Variable black : solution -> nat -> bool.
Hypothesis NoDup_cells : NoDup cells.
Variable r : rule.

Notation won := (won solution solutions cells black r).
Notation left := (left solution solutions black).
Notation D := (D solution solutions cells black).
Notation p := (p solution solutions cells black).
Notation may_place := (may_place solution solutions black r).

(** D, or D and p. *)
Definition key (st : list nat) : list nat := match r with Standard => D st | RedundantHint => p st :: D st end.
Definition on_board (st : list nat) : bool := forallb (fun c => existsb (Nat.eqb c) cells) st.
Definition is (v : bool) (o : option bool) : bool := match o with Some w => Bool.eqb v w | None => false end.

Definition accept (t : trie bool) (s : step) : option (trie bool) :=
  match s with
  | Search st v =>
    if on_board st && Bool.eqb (won st) v then Some (insert (key st) v t) else None
  | WonBy st c =>
    if on_board (c :: st) && negb (one _ (left st)) && may_place st c && is false (lookup (key (c :: st)) t)
    then Some (insert (key st) true t) else None
  | LostAll st =>
    if on_board st && (one _ (left st) ||
         forallb (fun c => negb (may_place st c) || is true (lookup (key (c :: st)) t)) cells)
    then Some (insert (key st) false t) else None
  end.

Fixpoint check (t : trie bool) (steps : list step) : option (trie bool) :=
  match steps with
  | [] => Some t
  | s :: steps => match accept t s with Some t => check t steps | None => None end
  end.

(** [Some v]: all steps are right and the position [st] has the value [v]. *)
Definition conclude (steps : list step) (st : list nat) : option bool :=
  match check empty steps with Some t => if on_board st then lookup (key st) t else None | None => None end.

Lemma on_board_spec st : on_board st = true -> incl st cells.
Proof.
  unfold on_board. rewrite forallb_forall. intros H c Hc. apply H, existsb_exists in Hc as (x & I & E).
  apply Nat.eqb_eq in E. now subst.
Qed.

Lemma key_same st st' : incl st cells -> incl st' cells -> key st = key st' -> won st = won st'.
Proof.
  unfold key. intros I I' E. destruct r.
  - apply standard_key; auto.
  - injection E as P E. now apply hint_key.
Qed.

Definition right (t : trie bool) : Prop := forall st v, incl st cells -> lookup (key st) t = Some v -> won st = v.

Lemma right_empty : right empty.
Proof. intros st v _. destruct (key st); discriminate. Qed.

Lemma right_insert t st v : right t -> incl st cells -> won st = v -> right (insert (key st) v t).
Proof.
  intros R I W st' v' I'. rewrite lookup_insert. destruct (list_eq_dec Nat.eq_dec (key st') (key st)) as [E|E]; [|now apply R].
  intros X. injection X as <-. rewrite <- W. now apply key_same.
Qed.

Lemma is_spec v o : is v o = true -> o = Some v.
Proof. destruct o as [w|]; simpl; [|discriminate]. now destruct v, w. Qed.

Lemma accept_right t s t' : right t -> accept t s = Some t' -> right t'.
Proof.
  intros R A. destruct s as [st v|st c|st]; unfold accept in A.
  - destruct (on_board st) eqn:B; [|discriminate]. destruct (Bool.eqb _ v) eqn:E; [|discriminate].
    injection A as <-. apply right_insert; auto; [now apply on_board_spec|]. now apply eqb_prop.
  - destruct (on_board (c :: st)) eqn:B; [|discriminate]. apply on_board_spec in B.
    destruct (one _ (left st)) eqn:O; [discriminate|]. destruct (may_place st c) eqn:M; [|discriminate].
    destruct (is false _) eqn:K; [|discriminate]. injection A as <-. apply is_spec in K.
    apply right_insert; auto; [intros x Hx; apply B; now right|].
    apply won_iff; auto. split; auto. exists c. repeat split; auto. apply B. now left.
  - destruct (on_board st) eqn:B; [|discriminate]. apply on_board_spec in B.
    destruct (one _ (left st) || _) eqn:K; [|discriminate]. injection A as <-. apply right_insert; auto.
    destruct (won st) eqn:W; auto. apply won_iff in W as (O & c & I & M & W); auto. rewrite O in K. simpl in K.
    rewrite forallb_forall in K. specialize (K c I). rewrite M in K. simpl in K. apply is_spec in K.
    assert (X : won (c :: st) = true) by (apply R; auto; intros x [<-|Hx]; auto).
    rewrite X in W. discriminate.
Qed.

Lemma check_right : forall steps t t', right t -> check t steps = Some t' -> right t'.
Proof.
  induction steps as [|s l IH]; simpl; intros t t' R C; [now injection C as <-|].
  destruct (accept t s) eqn:A; [|discriminate]. apply (IH t0); auto. now apply (accept_right t s).
Qed.

(** What the checker concludes is the value by the plain recursion. *)
Theorem conclude_sound steps st v : conclude steps st = Some v -> won st = v.
Proof.
  unfold conclude. destruct (check empty steps) eqn:C; [|discriminate]. destruct (on_board st) eqn:B; [|discriminate].
  apply (check_right _ _ _ right_empty C). now apply on_board_spec.
Qed.
End Derivation.
