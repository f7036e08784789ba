(** Remoteness: the length of a game in which the winner hurries and the loser delays; a tie is hurried by both.

    1. A finite game: a position is over with an outcome for the side to move, or has moves.
    2. Values are ordered: quick loss < slow loss < slow tie < quick tie < slow win < quick win.
    3. [remoteness]: an ended game has remoteness 0; otherwise the best of the children, seen from here.
    4. The recursion in words: won with 1 + the least remoteness of a lost child; lost, if all children are won, with
       1 + the greatest; else tied with 1 + the least remoteness of a tied child.
    5. A line of two strategies; the strategy that follows the value.
    6. Both following it gives the value; nobody gains by leaving it; a win is kept and no slower, a loss no quicker. *)
From Coq Require Import Arith List Bool Lia.
Import ListNotations.

Inductive outcome := Loss | Tie | Win.
Definition opposite o := match o with Loss => Win | Tie => Tie | Win => Loss end.
(** An outcome for the side to move, and the number of plies until then. *)
Definition result := (outcome * nat)%type.

(** [no_better a b]: [b] is at least as good as [a]. *)
Definition no_better (a b : result) : bool :=
  match fst a, fst b with
  | Loss, Loss => snd a <=? snd b
  | Loss, _ => true
  | Tie, Loss => false
  | Tie, Tie => snd b <=? snd a
  | Tie, Win => true
  | Win, Win => snd b <=? snd a
  | Win, _ => false
  end.
(** The same with all ties alike: this order the two players see exactly the other way round. *)
Definition no_worse_for_both (a b : result) : bool :=
  match fst a, fst b with Tie, Tie => true | _, _ => no_better a b end.

(** A child's result seen by the player who moved there. *)
Definition back (r : result) : result := (opposite (fst r), S (snd r)).

Ltac cases := repeat match goal with r : result |- _ => destruct r as [[] ?] end;
  unfold no_worse_for_both, no_better, back in *; simpl in *; rewrite ?Nat.leb_le in *; try discriminate; try reflexivity; try lia.

Lemma nb_refl a : no_better a a = true. Proof. cases. Qed.
Lemma nb_trans a b c : no_better a b = true -> no_better b c = true -> no_better a c = true.
Proof. intros. cases. Qed.
Lemma nb_total a b : no_better a b = false -> no_better b a = true.
Proof. intros. cases; rewrite ?Nat.leb_gt in *; lia. Qed.
Lemma back_back a b : no_better a b = true -> no_better (back (back a)) (back (back b)) = true.
Proof. intros. cases. Qed.
Lemma weak_trans a b c : no_worse_for_both a b = true -> no_better b c = true -> no_worse_for_both a c = true.
Proof. intros. cases. Qed.
Lemma weak_back a b : no_worse_for_both a b = true -> no_worse_for_both (back b) (back a) = true.
Proof. intros. cases. Qed.
Lemma weak_trans' a b c : no_better a b = true -> no_worse_for_both b c = true -> no_worse_for_both a c = true.
Proof. intros. cases. Qed.
Lemma weak_refl a : no_worse_for_both a a = true. Proof. cases. Qed.

Section Game.
Variable position : Type.
Inductive state := Over (o : outcome) | Moves (first : position) (rest : list position).
Variable next : position -> state.
Variable rank : position -> nat.
Definition children (p : position) : list position := match next p with Over _ => [] | Moves q l => q :: l end.
Hypothesis rank_falls : forall p q, In q (children p) -> rank q < rank p.

(** The child whose result, given by [f] and seen from here, is best; the first of equals. *)
Fixpoint choose (f : position -> result) (q : position) (l : list position) : position :=
  match l with
  | [] => q
  | q' :: l => if no_better (back (f q')) (back (f q)) then choose f q l else choose f q' l
  end.

Lemma choose_spec f : forall l q, In (choose f q l) (q :: l) /\
  forall q', In q' (q :: l) -> no_better (back (f q')) (back (f (choose f q l))) = true.
Proof.
  induction l as [|a l IH]; intros q; simpl.
  - split; auto. intros q' [->|[]]. apply nb_refl.
  - destruct (no_better (back (f a)) (back (f q))) eqn:E.
    + destruct (IH q) as [I B]. split; [destruct I; auto|]. intros q' [->|[->|H]].
      * apply B. now left.
      * eapply nb_trans; [exact E|]. apply B. now left.
      * apply B. now right.
    + apply nb_total in E. destruct (IH a) as [I B]. split; [destruct I; auto|]. intros q' [->|[->|H]].
      * eapply nb_trans; [exact E|]. apply B. now left.
      * apply B. now left.
      * apply B. now right.
Qed.

Fixpoint solve (k : nat) (p : position) : result :=
  match k with
  | O => (Tie, 0)
  | S k => match next p with Over o => (o, 0) | Moves q l => back (solve k (choose (solve k) q l)) end
  end.
Definition remoteness (p : position) : result := solve (S (rank p)) p.

Lemma choose_ext f g : forall l q, (forall x, In x (q :: l) -> f x = g x) -> choose f q l = choose g q l.
Proof.
  induction l as [|a l IH]; intros q E; auto. simpl. rewrite (E q), (E a) by (simpl; auto).
  destruct (no_better _ _); apply IH; intros x Hx; apply E; simpl in *; tauto.
Qed.

Lemma solve_bound : forall k k' p, rank p < k -> rank p < k' -> solve k p = solve k' p.
Proof.
  induction k; intros [|k'] p L L'; try lia. simpl. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [o|q l]; auto.
  assert (E : forall x, In x (q :: l) -> solve k x = solve k' x).
  { intros x Hx. pose proof (R x Hx). apply IHk; lia. }
  rewrite (choose_ext _ _ l q E). f_equal. apply E. apply choose_spec.
Qed.

(** The strategy that follows the value. *)
Definition strategy := position -> position.
Definition follow : strategy := fun p => match next p with Over _ => p | Moves q l => choose remoteness q l end.
Definition lawful (s : strategy) : Prop := forall p, children p <> [] -> In (s p) (children p).

Theorem remoteness_step p : remoteness p =
  match next p with Over o => (o, 0) | Moves _ _ => back (remoteness (follow p)) end.
Proof.
  unfold remoteness at 1, follow. simpl. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [o|q l]; auto.
  assert (E : forall x, In x (q :: l) -> solve (rank p) x = remoteness x).
  { intros x Hx. pose proof (R x Hx). apply solve_bound; lia. }
  rewrite (choose_ext _ _ l q E). f_equal. apply E. apply choose_spec.
Qed.

Theorem remoteness_best p q : In q (children p) -> no_better (back (remoteness q)) (remoteness p) = true.
Proof.
  intros H. rewrite (remoteness_step p). unfold children, follow in *. destruct (next p) as [o|q0 l]; [destruct H|].
  now apply (choose_spec remoteness).
Qed.

Lemma follow_lawful : lawful follow.
Proof. intros p H. unfold children, follow in *. destruct (next p); [tauto|]. apply choose_spec. Qed.

(** The recursion in words. *)
Theorem won_iff p : children p <> [] ->
  (fst (remoteness p) = Win <-> exists q, In q (children p) /\ fst (remoteness q) = Loss).
Proof.
  intros H. split.
  - intros W. exists (follow p). split; [now apply follow_lawful|]. rewrite remoteness_step in W. unfold children in H.
    destruct (next p); [tauto|]. destruct (remoteness (follow p)) as [[] r]; simpl in *; congruence.
  - intros (q & I & L). pose proof (remoteness_best p q I) as B. destruct (remoteness q) as [[] r]; try discriminate.
    destruct (remoteness p) as [[] r']; simpl in *; unfold no_better in B; simpl in B; congruence.
Qed.
Theorem won_in_least p r q r' : remoteness p = (Win, r) -> In q (children p) -> remoteness q = (Loss, r') -> r <= S r'.
Proof. intros P I Q. pose proof (remoteness_best p q I) as B. rewrite P, Q in B. unfold no_better in B. cbn [fst snd back opposite] in B. now apply Nat.leb_le in B. Qed.
Theorem lost_in_most p r q : remoteness p = (Loss, r) -> In q (children p) -> exists r', remoteness q = (Win, r') /\ S r' <= r.
Proof.
  intros P I. pose proof (remoteness_best p q I) as B. rewrite P in B. destruct (remoteness q) as [[] r'];
    unfold no_better in B; cbn [fst snd back opposite] in B; try discriminate. apply Nat.leb_le in B. eauto.
Qed.

(** ** Lines: [a] moves first. *)
Fixpoint line (k : nat) (a b : strategy) (p : position) : result :=
  match k with
  | O => (Tie, 0)
  | S k => match next p with Over o => (o, 0) | Moves _ _ => back (line k b a (a p)) end
  end.

Lemma child_rank s p q l : lawful s -> next p = Moves q l -> In (s p) (children p) /\ rank (s p) < rank p.
Proof. intros H E. assert (In (s p) (children p)) by (apply H; unfold children; rewrite E; discriminate). auto. Qed.

(** Both following it gives the value. *)
Theorem line_follow : forall k p, rank p < k -> line k follow follow p = remoteness p.
Proof.
  induction k; intros p L; [lia|]. simpl. rewrite remoteness_step. destruct (next p) as [o|q l] eqn:N; auto.
  destruct (child_rank follow p q l follow_lawful N). f_equal. apply IHk. lia.
Qed.

(** Against it no strategy gets more than the value. *)
Theorem line_no_gain a : lawful a -> forall k p, rank p < k -> no_better (line k a follow p) (remoteness p) = true.
Proof.
  intros Ha. intros k. induction k as [k IH] using (well_founded_induction Wf_nat.lt_wf). intros p L.
  destruct k as [|k]; [lia|]. simpl. destruct (next p) as [o|q l] eqn:N.
  - rewrite remoteness_step, N. apply nb_refl.
  - destruct (child_rank a p q l Ha N) as [I R]. apply nb_trans with (back (remoteness (a p))); [|now apply remoteness_best].
    destruct k as [|k]; [lia|]. simpl. rewrite (remoteness_step (a p)). destruct (next (a p)) as [o|q' l'] eqn:N'.
    + apply nb_refl.
    + destruct (child_rank follow (a p) q' l' follow_lawful N'). apply back_back. apply IH; lia.
Qed.

(** It gets at least the value against any strategy, all ties alike: a win is kept and comes no later, a loss comes
    no sooner, a tie is at least a tie. *)
Theorem line_guaranteed b : lawful b -> forall k p, rank p < k ->
  no_worse_for_both (remoteness p) (line k follow b p) = true /\
  no_worse_for_both (line k b follow p) (remoteness p) = true.
Proof.
  intros Hb. induction k as [|k IH]; intros p L; [lia|]. simpl. destruct (next p) as [o|q l] eqn:N.
  - rewrite remoteness_step, N. split; apply weak_refl.
  - split.
    + destruct (child_rank follow p q l follow_lawful N). rewrite remoteness_step, N. apply weak_back. apply IH. lia.
    + destruct (child_rank b p q l Hb N) as [I R]. apply weak_trans with (back (remoteness (b p))).
      * apply weak_back. apply IH. lia.
      * now apply remoteness_best.
Qed.
End Game.
