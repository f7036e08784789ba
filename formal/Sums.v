(** Sums and maxima of natural numbers over lists. *)
From Coq Require Import NArith Arith List Permutation Lia.
Import ListNotations.
Open Scope N_scope.

Definition sum {A} (f : A -> N) (l : list A) : N := fold_right (fun a s => f a + s) 0 l.
Definition best {A} (f : A -> N) (l : list A) : N := fold_right (fun a s => N.max (f a) s) 0 l.

Section Lists.
Context {A B : Type}.
Implicit Types (f g : A -> N) (l : list A).

Lemma sum_ext f g l : (forall a, In a l -> f a = g a) -> sum f l = sum g l.
Proof. induction l; simpl; intros; auto. rewrite H, IHl; auto. Qed.

Lemma sum_le f g l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof. induction l; simpl; intros; [lia|]. pose proof (H a (or_introl eq_refl)). assert (sum f l <= sum g l) by auto. lia. Qed.

Lemma sum_app f l l' : sum f (l ++ l') = sum f l + sum f l'.
Proof. induction l; simpl; lia. Qed.

Lemma sum_add f g l : sum (fun a => f a + g a) l = sum f l + sum g l.
Proof. induction l; simpl; lia. Qed.

Lemma sum_zero l : sum (fun _ => 0) l = 0.
Proof. induction l; simpl; lia. Qed.

Lemma sum_zero_in f l : (forall a, In a l -> f a = 0) -> sum f l = 0.
Proof. intros. rewrite (sum_ext f (fun _ => 0)); auto using sum_zero. Qed.

Lemma sum_mul_r f l m : sum f l * m = sum (fun a => f a * m) l.
Proof. induction l; simpl; lia. Qed.

Lemma sum_mul_l f l m : m * sum f l = sum (fun a => m * f a) l.
Proof. induction l; simpl; lia. Qed.

Lemma sum_in f l a : In a l -> f a <= sum f l.
Proof. induction l; simpl; [tauto|]. intros [->|H]; [lia|]. apply IHl in H. lia. Qed.

Lemma sum_filter (t : A -> bool) f l :
  sum f l = sum f (filter t l) + sum f (filter (fun a => negb (t a)) l).
Proof. induction l; simpl; [lia|]. destruct (t a); simpl; lia. Qed.

Lemma sum_perm f l l' : Permutation l l' -> sum f l = sum f l'.
Proof. induction 1; simpl; lia. Qed.

Lemma sum_flat_map (h : B -> list A) f (l : list B) :
  sum f (flat_map h l) = sum (fun b => sum f (h b)) l.
Proof. induction l; simpl; auto. rewrite sum_app, IHl. auto. Qed.

Lemma best_in f l a : In a l -> f a <= best f l.
Proof. induction l; simpl; [tauto|]. intros [->|H]; [lia|]. apply IHl in H. lia. Qed.

Lemma best_le f l m : (forall a, In a l -> f a <= m) -> best f l <= m.
Proof. induction l; simpl; intros; [lia|]. pose proof (H a (or_introl eq_refl)). assert (best f l <= m) by auto. lia. Qed.

Lemma best_ext f g l : (forall a, In a l -> f a = g a) -> best f l = best g l.
Proof. induction l; simpl; intros; auto. rewrite H, IHl; auto. Qed.

Lemma best_attained f l : l <> [] -> exists a, In a l /\ f a = best f l.
Proof.
  induction l as [|a l IH]; [tauto|intros _]. destruct l as [|b l].
  - exists a. simpl. split; auto. lia.
  - destruct IH as (x & Hx & E); [discriminate|].
    destruct (N.le_gt_cases (best f (b :: l)) (f a)).
    + exists a. split; [now left|]. change (f a = N.max (f a) (best f (b :: l))). lia.
    + exists x. split; [now right|]. change (f x = N.max (f a) (best f (b :: l))). lia.
Qed.
End Lists.

Lemma sum_swap {A B} (f : A -> B -> N) (l : list A) (l' : list B) :
  sum (fun a => sum (f a) l') l = sum (fun b => sum (fun a => f a b) l) l'.
Proof.
  induction l; simpl.
  - now rewrite sum_zero.
  - rewrite IHl, <- sum_add. reflexivity.
Qed.

(** Only one element of a duplicate-free list is [x]. *)
Lemma sum_single (x : nat) (m : N) (l : list nat) :
  NoDup l -> In x l -> sum (fun c => if Nat.eqb c x then m else 0) l = m.
Proof.
  induction 1 as [|a l Ha Hl IH]; simpl; [tauto|]. intros [->|Hx].
  - rewrite Nat.eqb_refl. rewrite sum_zero_in; [lia|].
    intros c Hc. destruct (Nat.eqb_spec c x); subst; tauto.
  - destruct (Nat.eqb_spec a x); [subst; tauto|]. rewrite IH; auto.
Qed.

Lemma filter_length_le {A} (t : A -> bool) l : (length (filter t l) <= length l)%nat.
Proof. induction l as [|a l]; simpl; auto. destruct (t a); simpl; lia. Qed.

Lemma filter_shrinks {A} (t : A -> bool) l x : In x l -> t x = false -> (length (filter t l) < length l)%nat.
Proof.
  intros I E. induction l as [|a l IH]; [destruct I|]. simpl. pose proof (filter_length_le t l).
  destruct I as [->|I].
  - rewrite E. lia.
  - apply IH in I. destruct (t a); simpl; lia.
Qed.
