(** Finite maps from lists of numbers, with the one law that the checkers need. *)
From Coq Require Import List Arith Lia.
Import ListNotations.

Inductive trie (A : Type) := Node (v : option A) (kids : list (nat * trie A)).
Arguments Node {A}.

Section Trie.
Context {A : Type}.
Definition empty : trie A := Node None [].

Fixpoint assoc {B} (d : nat) (l : list (nat * B)) : option B :=
  match l with [] => None | (e, b) :: l => if Nat.eqb d e then Some b else assoc d l end.

Fixpoint update {B} (d : nat) (f : option B -> B) (l : list (nat * B)) : list (nat * B) :=
  match l with
  | [] => [(d, f None)]
  | (e, b) :: l => if Nat.eqb d e then (e, f (Some b)) :: l else (e, b) :: update d f l
  end.

Fixpoint lookup (k : list nat) (t : trie A) : option A :=
  let 'Node v kids := t in
  match k with
  | [] => v
  | d :: k => match assoc d kids with Some t => lookup k t | None => None end
  end.

Fixpoint insert (k : list nat) (a : A) (t : trie A) : trie A :=
  let 'Node v kids := t in
  match k with
  | [] => Node (Some a) kids
  | d :: k => Node v (update d (fun o => insert k a (match o with Some t => t | None => empty end)) kids)
  end.

Lemma assoc_update {B} d e (f : option B -> B) l :
  assoc d (update e f l) = if Nat.eqb d e then Some (f (assoc d l)) else assoc d l.
Proof.
  induction l as [|[x b] l IH]; simpl; [reflexivity|].
  destruct (Nat.eqb_spec e x); subst; simpl.
  - destruct (Nat.eqb_spec d x); auto.
  - rewrite IH. destruct (Nat.eqb_spec d x); subst; auto.
    destruct (Nat.eqb_spec x e); subst; tauto.
Qed.

Theorem lookup_insert : forall k k' a t,
  lookup k' (insert k a t) = if list_eq_dec Nat.eq_dec k' k then Some a else lookup k' t.
Proof.
  induction k as [|d k IH]; intros k' a [v kids].
  - destruct k' as [|d' k']; reflexivity.
  - destruct k' as [|d' k'].
    + reflexivity.
    + cbn [insert lookup]. rewrite assoc_update.
      destruct (list_eq_dec Nat.eq_dec (d' :: k') (d :: k)) as [E|E].
      * injection E as -> ->. rewrite Nat.eqb_refl, IH. destruct (list_eq_dec Nat.eq_dec k k); congruence.
      * destruct (Nat.eqb_spec d' d) as [->|]; auto. rewrite IH.
        destruct (list_eq_dec Nat.eq_dec k' k); [congruence|].
        destruct (assoc d kids); auto. now destruct k'.
Qed.
End Trie.
