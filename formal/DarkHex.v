(** The rules of Dark Hex on any finite board with any winning condition.

    Steps of the soundness theorem, numbered through DarkHex.v, BestResponse.v and Value.v:
    1. The game is played on two private histories, one a player; stones and legal probes follow from them. [won]
    2. It ends: every probe removes a cell from what its player may probe. [legal_shrinks], [won_bound]
    3. A history of mass 0 wins and loses nothing. [game_no_mass]
    4. If every filled board has a winner, what one player does not win the other wins. [game_total] *)
From Coq Require Import NArith List Bool Arith Lia.
From Formal Require Import Sums.
Import ListNotations.
Open Scope N_scope.

Definition cell := nat.

(** A player's own record, newest probe first: [true], the cell was empty and now holds his stone;
    [false], the cell was found occupied. *)
Definition history := list (cell * bool).

Inductive player := Black | White.
Definition other p := match p with Black => White | White => Black end.

(** After a collision the player probes again (Classic), or the turn passes (Abrupt). *)
Inductive mode := Classic | Abrupt.

Definition has (c : cell) (b : bool) (h : history) : bool :=
  existsb (fun e => Nat.eqb c (fst e) && Bool.eqb b (snd e)) h.

(** A realization plan: the mass that lies on each private history. *)
Definition plan := history -> N.

Section Game.
Variable cells : list cell.
Variable rule : mode.
Variable win : player -> list cell -> bool.

(** A player's stones, in the order of the board. *)
Definition stones (h : history) : list cell := filter (fun c => has c true h) cells.

(** He may probe every cell that he neither owns nor has found occupied. *)
Definition legal (h : history) : list cell :=
  filter (fun c => negb (has c true h || has c false h)) cells.

(** Who is to move after a collision, if [t] says whether we were. *)
Definition stays (t : bool) : bool := match rule with Classic => t | Abrupt => negb t end.

(** [won k p mine theirs h g t]: the mass of the plays that player [p] wins, from the moment at which his history is
    [h], the opponent's is [g], and [p] is to move if [t]. A play weighs the product of the masses of its two
    histories. [k] bounds the number of probes; [game] below gives the bound that always suffices. *)
Fixpoint won (k : nat) (p : player) (mine theirs : plan) (h g : history) (t : bool) : N :=
  match k with
  | O => 0
  | S k =>
    if t then
      sum (fun c =>
        if has c true g then won k p mine theirs ((c, false) :: h) g (stays true)
        else if win p (stones ((c, true) :: h)) then mine ((c, true) :: h) * theirs g
        else won k p mine theirs ((c, true) :: h) g false) (legal h)
    else
      sum (fun c =>
        if has c true h then won k p mine theirs h ((c, false) :: g) (stays false)
        else if win (other p) (stones ((c, true) :: g)) then 0
        else won k p mine theirs h ((c, true) :: g) true) (legal g)
  end.

Definition room (h g : history) : nat := (length (legal h) + length (legal g))%nat.
Definition game p mine theirs h g t : N := won (room h g) p mine theirs h g t.

(** Mass is conserved: a history's mass is split over the probes that are legal there, and both outcomes of a probe
    inherit its mass. *)
Definition conserved (m : plan) : Prop := forall h, legal h <> [] ->
  sum (fun c => m ((c, true) :: h)) (legal h) = m h /\
  forall c, In c (legal h) -> m ((c, false) :: h) = m ((c, true) :: h).

(** ** Termination *)

Lemma has_cons c b h x d :
  has x d ((c, b) :: h) = (Nat.eqb x c && Bool.eqb d b) || has x d h.
Proof. reflexivity. Qed.

Lemma legal_cons c b h : legal ((c, b) :: h) = filter (fun x => negb (Nat.eqb x c)) (legal h).
Proof.
  unfold legal. induction cells as [|a l IH]; auto. cbn [filter]. rewrite IH, !has_cons.
  destruct (Nat.eqb a c) eqn:E; destruct (has a true h); destruct (has a false h); destruct b; simpl;
    rewrite ?E; simpl; auto.
Qed.

Lemma legal_shrinks c b h : In c (legal h) -> (length (legal ((c, b) :: h)) < length (legal h))%nat.
Proof.
  intros I. rewrite legal_cons. apply filter_shrinks with c; auto. now rewrite Nat.eqb_refl.
Qed.

Lemma legal_incl c b h x : In x (legal ((c, b) :: h)) -> In x (legal h) /\ x <> c.
Proof. rewrite legal_cons, filter_In. intros []. destruct (Nat.eqb_spec x c); [discriminate|auto]. Qed.

(** The bound on probes does not matter once it is large enough. *)
Lemma won_bound p mine theirs : forall k k' h g t,
  (room h g <= k)%nat -> (room h g <= k')%nat ->
  won k p mine theirs h g t = won k' p mine theirs h g t.
Proof.
  unfold room. induction k; intros k' h g t Hk Hk'.
  - assert (length (legal h) = 0 /\ length (legal g) = 0)%nat as [E F] by lia.
    apply length_zero_iff_nil in E, F.
    destruct k'; simpl; auto. rewrite E, F. destruct t; auto.
  - destruct k' as [|k'].
    + assert (length (legal h) = 0 /\ length (legal g) = 0)%nat as [E F] by lia.
      apply length_zero_iff_nil in E, F. simpl. rewrite E, F. destruct t; auto.
    + simpl. destruct t; apply sum_ext; intros c Hc;
        pose proof (legal_shrinks c true _ Hc); pose proof (legal_shrinks c false _ Hc);
        (destruct (has c true _); [apply IHk; lia|]);
        (destruct (win _ _); [auto|apply IHk; lia]).
Qed.

(** One step of the game, without the bound. *)
Lemma game_mine p mine theirs h g :
  game p mine theirs h g true =
  sum (fun c =>
    if has c true g then game p mine theirs ((c, false) :: h) g (stays true)
    else if win p (stones ((c, true) :: h)) then mine ((c, true) :: h) * theirs g
    else game p mine theirs ((c, true) :: h) g false) (legal h).
Proof.
  unfold game at 1. rewrite (won_bound _ _ _ _ (S (room h g))) by lia. simpl.
  apply sum_ext; intros c Hc. unfold room.
  pose proof (legal_shrinks c true _ Hc); pose proof (legal_shrinks c false _ Hc).
  unfold game. destruct (has c true _); [apply won_bound; unfold room; lia|].
  destruct (win _ _); [auto|apply won_bound; unfold room; lia].
Qed.

Lemma game_theirs p mine theirs h g :
  game p mine theirs h g false =
  sum (fun c =>
    if has c true h then game p mine theirs h ((c, false) :: g) (stays false)
    else if win (other p) (stones ((c, true) :: g)) then 0
    else game p mine theirs h ((c, true) :: g) true) (legal g).
Proof.
  unfold game at 1. rewrite (won_bound _ _ _ _ (S (room h g))) by lia. simpl.
  apply sum_ext; intros c Hc. unfold room.
  pose proof (legal_shrinks c true _ Hc); pose proof (legal_shrinks c false _ Hc).
  unfold game. destruct (has c true _); [apply won_bound; unfold room; lia|].
  destruct (win _ _); [auto|apply won_bound; unfold room; lia].
Qed.

(** A rule of induction over the plays. *)
Lemma play_ind (P : history -> history -> Prop) :
  (forall h g, (forall h' g', (room h' g' < room h g)%nat -> P h' g') -> P h g) -> forall h g, P h g.
Proof.
  intros H. assert (forall n h g, (room h g < n)%nat -> P h g).
  { induction n; intros; [lia|]. apply H. intros. apply IHn. lia. }
  eauto.
Qed.

Lemma conserved_child m h c b : conserved m -> In c (legal h) -> m ((c, b) :: h) <= m h.
Proof.
  intros Hm Hc. destruct (Hm h) as [S E]; [intros F; now rewrite F in Hc|].
  assert (m ((c, b) :: h) = m ((c, true) :: h)) as -> by (destruct b; auto).
  rewrite <- S. apply (sum_in (fun c => m ((c, true) :: h))); auto.
Qed.

(** A history of mass 0 wins and loses nothing. *)
Lemma game_no_mass p mine theirs : conserved theirs -> forall h g, theirs g = 0 ->
  forall t, game p mine theirs h g t = 0.
Proof.
  intros Ht h g. pattern h, g. apply play_ind. clear h g. intros h g IH Hz t. unfold room in IH.
  destruct t; [rewrite game_mine|rewrite game_theirs]; apply sum_zero_in; intros c Hc;
    pose proof (legal_shrinks c true _ Hc); pose proof (legal_shrinks c false _ Hc).
  - destruct (has c true g); [apply IH; auto; lia|]. destruct (win _ _); [lia|apply IH; auto; lia].
  - pose proof (conserved_child theirs g c true Ht Hc). pose proof (conserved_child theirs g c false Ht Hc).
    destruct (has c true h); [apply IH; lia|]. destruct (win _ _); [auto|apply IH; lia].
Qed.

(** ** Every play has a winner *)

(** The hypothesis on the board: if all cells are filled, one of the players has won. *)
Definition filled_has_winner : Prop := forall f : cell -> bool,
  win Black (filter f cells) = true \/ win White (filter (fun c => negb (f c)) cells) = true.

(** The histories belong together and nobody has won yet. *)
Definition ongoing (p : player) (h g : history) : Prop :=
  (forall c, has c true h = true -> has c true g = false) /\
  (forall c, has c false h = true -> has c true g = true) /\
  (forall c, has c false g = true -> has c true h = true) /\
  win p (stones h) = false /\ win (other p) (stones g) = false.

Lemma ongoing_sym p h g : ongoing p h g -> ongoing (other p) g h.
Proof.
  unfold ongoing. replace (other (other p)) with p by (now destruct p). intros (A & B & C & D & E).
  repeat split; auto. intros c G. destruct (has c true h) eqn:X; auto. apply A in X. congruence.
Qed.

Lemma other_other p : other (other p) = p. Proof. now destruct p. Qed.

Lemma stones_false c h : stones ((c, false) :: h) = stones h.
Proof. unfold stones. apply filter_ext. intros a. rewrite has_cons. simpl. now rewrite andb_false_r. Qed.

Lemma legal_spec h c : In c (legal h) -> has c true h = false /\ has c false h = false.
Proof. unfold legal. rewrite filter_In, negb_true_iff, orb_false_iff. tauto. Qed.

Lemma ongoing_collision p h g c : In c (legal h) -> has c true g = true -> ongoing p h g ->
  ongoing p ((c, false) :: h) g.
Proof.
  intros Hc Hg (A & B & C & D & E). unfold ongoing. rewrite stones_false.
  repeat split; auto; intros x; rewrite has_cons; simpl; rewrite ?andb_false_r, ?andb_true_r; simpl; auto.
  destruct (Nat.eqb_spec x c); subst; simpl; auto.
Qed.

Lemma ongoing_success p h g c : In c (legal h) -> has c true g = false ->
  win p (stones ((c, true) :: h)) = false -> ongoing p h g -> ongoing p ((c, true) :: h) g.
Proof.
  intros Hc Hg Hw (A & B & C & D & E). unfold ongoing.
  repeat split; auto; intros x; rewrite has_cons; simpl; rewrite ?andb_false_r, ?andb_true_r; simpl; auto.
  - destruct (Nat.eqb_spec x c); subst; simpl; auto.
  - destruct (Nat.eqb_spec x c); subst; simpl; auto.
Qed.

Lemma ongoing_has_probe p h g : filled_has_winner -> ongoing p h g -> legal h <> [].
Proof.
  intros F (A & B & C & D & E) L.
  assert (G : filter (fun c => negb (has c true h)) cells = stones g).
  { unfold stones. apply filter_ext_in. intros c Hc.
    destruct (has c true h) eqn:X; simpl; [symmetry; auto|].
    destruct (has c false h) eqn:Y; [symmetry; auto|].
    assert (In c (legal h)) as I by (unfold legal; rewrite filter_In, X, Y; auto).
    now rewrite L in I. }
  destruct p.
  - destruct (F (fun c => has c true h)) as [W|W]; [unfold stones in D; congruence|].
    rewrite G in W. simpl in E. congruence.
  - assert (G' : stones g = filter (fun c => negb (has c true h)) cells) by auto.
    destruct (F (fun c => negb (has c true h))) as [W|W].
    + rewrite G in W. simpl in E. congruence.
    + unfold stones in D. rewrite (filter_ext _ (fun c => has c true h)) in W; [congruence|].
      intros; now rewrite negb_involutive.
Qed.

(** What is not won by the one player is won by the other. *)
Theorem game_total p mine theirs :
  filled_has_winner -> conserved mine -> conserved theirs ->
  forall h g t, ongoing p h g ->
  game p mine theirs h g t + game (other p) theirs mine g h (negb t) = mine h * theirs g.
Proof.
  intros F. revert p mine theirs.
  assert (Half : forall h g p mine theirs, conserved mine -> conserved theirs -> ongoing p h g ->
    (forall h' g', (room h' g' < room h g)%nat -> forall t, ongoing p h' g' ->
       game p mine theirs h' g' t + game (other p) theirs mine g' h' (negb t) = mine h' * theirs g') ->
    game p mine theirs h g true + game (other p) theirs mine g h false = mine h * theirs g).
  { intros h g p mine theirs Hm Ht O IH. rewrite game_mine, game_theirs, <- sum_add. unfold room in IH.
    destruct (Hm h) as [S E]; [eapply ongoing_has_probe; eauto|].
    rewrite <- S, sum_mul_r. apply sum_ext. intros c Hc.
    pose proof (legal_shrinks c true _ Hc); pose proof (legal_shrinks c false _ Hc).
    rewrite other_other. destruct (has c true g) eqn:X.
    - rewrite <- (E c Hc), <- (IH ((c, false) :: h) g) with (t := stays true); try lia.
      + unfold stays. destruct rule; auto.
      + apply ongoing_collision; auto.
    - destruct (win p (stones ((c, true) :: h))) eqn:W; [lia|].
      rewrite <- (IH ((c, true) :: h) g) with (t := false); auto; try lia.
      apply ongoing_success; auto. }
  intros p mine theirs Hm Ht h g. pattern h, g. apply play_ind. clear h g. intros h g IH t O.
  destruct t; simpl.
  - apply Half; auto.
  - rewrite N.add_comm, N.mul_comm. rewrite <- (Half g h (other p) theirs mine); auto.
    + now rewrite other_other.
    + now apply ongoing_sym.
    + intros h' g' L t O'. rewrite other_other, N.add_comm, N.mul_comm.
      assert (O'' : ongoing p g' h') by (rewrite <- (other_other p); now apply ongoing_sym).
      rewrite <- (IH g' h') with (t := negb t); [now rewrite negb_involutive| |auto].
      unfold room in *. lia.
Qed.
End Game.
