(** Intervals that are attached to positions, propagated to the root.

    1. A game: every position is over with a score for the side to move, or its side must pass, or it has moves.
       [rank] falls with every move, so that the game is finite. Scores lie in [-M, M].
    2. [value]: negamax by recursion. A pass negates.
    3. A certificate attaches intervals to some positions, found under a representative of the position.
    4. [propagate]: the interval that follows at a position from those of its children, met with its own.
    5. If every attached interval contains the value of its position, so does every propagated one.
    6. Turning the board preserves values, so a representative may stand for a position.
    7. Null-window claims: lower bounds alone and upper bounds alone suffice if they meet at the root. *)
From Coq Require Import ZArith List Bool Permutation Lia.
Import ListNotations.
Open Scope Z_scope.

Section Intervals.
Variable position : Type.
Inductive state := Over (score : Z) | Pass (q : position) | Moves (l : list position).
Variable next : position -> state.
Variable rank : position -> nat.
Variable M : Z.

Definition children (p : position) : list position :=
  match next p with Over _ => [] | Pass q => [q] | Moves l => l end.
Hypothesis rank_falls : forall p q, In q (children p) -> (rank q < rank p)%nat.
Hypothesis scores : forall p s, next p = Over s -> -M <= s <= M.
Hypothesis M_pos : 0 <= M.

Definition most {A} (f : A -> Z) (l : list A) : Z := fold_right (fun q m => Z.max (f q) m) (- M) l.

Fixpoint negamax (k : nat) (p : position) : Z :=
  match k with
  | O => 0
  | S k =>
    match next p with
    | Over s => s
    | Pass q => - negamax k q
    | Moves l => most (fun q => - negamax k q) l
    end
  end.
Definition value (p : position) : Z := negamax (S (rank p)) p.

Lemma most_ext {A} (f g : A -> Z) l : (forall q, In q l -> f q = g q) -> most f l = most g l.
Proof. induction l; simpl; intros E; auto. rewrite E, IHl; auto. Qed.

Lemma most_le {A} (f g : A -> Z) l : (forall q, In q l -> f q <= g q) -> most f l <= most g l.
Proof. induction l; simpl; intros E; [lia|]. pose proof (E a (or_introl eq_refl)). assert (most f l <= most g l) by auto. lia. Qed.

Lemma most_map {A B} (f : B -> Z) (g : A -> B) l : most f (map g l) = most (fun q => f (g q)) l.
Proof. induction l; simpl; auto. now rewrite IHl. Qed.

Lemma most_perm {A} (f : A -> Z) l l' : Permutation l l' -> most f l = most f l'.
Proof. induction 1; simpl; lia. Qed.

Lemma negamax_bound : forall k k' p, (rank p < k)%nat -> (rank p < k')%nat -> negamax k p = negamax k' p.
Proof.
  induction k; intros [|k'] p L L'; try lia. simpl. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [s|q|l]; auto.
  - assert (rank q < rank p)%nat by (apply R; now left). rewrite (IHk k' q); auto; lia.
  - apply most_ext. intros q Hq. pose proof (R q Hq). rewrite (IHk k' q); auto; lia.
Qed.

(** The value by its recursion. *)
Theorem value_step p : value p =
  match next p with Over s => s | Pass q => - value q | Moves l => most (fun q => - value q) l end.
Proof.
  unfold value at 1. simpl. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [s|q|l]; auto.
  - f_equal. assert (rank q < rank p)%nat by (apply R; now left). apply negamax_bound; lia.
  - apply most_ext. intros q Hq. pose proof (R q Hq). f_equal. apply negamax_bound; lia.
Qed.

Lemma most_bounds {A} (f : A -> Z) l : (forall q, In q l -> - M <= f q <= M) -> - M <= most f l <= M.
Proof. induction l; simpl; intros E; [lia|]. pose proof (E a (or_introl eq_refl)). assert (- M <= most f l <= M) by auto. lia. Qed.

Theorem value_bounds : forall p, - M <= value p <= M.
Proof.
  intros p. remember (rank p) as n eqn:E. revert p E. induction n as [n IH] using (well_founded_induction Wf_nat.lt_wf).
  intros p ->. rewrite value_step. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [s|q|l] eqn:N.
  - now apply scores with p.
  - pose proof (IH (rank q) (R q (or_introl eq_refl)) q eq_refl). lia.
  - apply most_bounds. intros q Hq. pose proof (IH (rank q) (R q Hq) q eq_refl). lia.
Qed.

(** ** Symmetries *)
Variable turn : position -> position.
Definition is_symmetry : Prop := forall p,
  match next p, next (turn p) with
  | Over s, Over s' => s = s'
  | Pass q, Pass q' => q' = turn q
  | Moves l, Moves l' => Permutation (map turn l) l'
  | _, _ => False
  end.

Theorem symmetry_preserves_value : is_symmetry -> forall p, value (turn p) = value p.
Proof.
  intros S p. remember (rank p) as n eqn:E. revert p E.
  induction n as [n IH] using (well_founded_induction Wf_nat.lt_wf). intros p ->. rewrite !value_step.
  pose proof (S p) as Sp. pose proof (rank_falls p) as R. unfold children in R.
  destruct (next p) as [s|q|l], (next (turn p)) as [s'|q'|l']; try tauto.
  - congruence.
  - rewrite Sp. f_equal. apply (IH (rank q)); auto. apply R. now left.
  - rewrite <- (most_perm _ _ _ Sp). clear Sp. induction l as [|q l IHl]; simpl; auto.
    f_equal; [|apply IHl; intros; apply R; now right].
    f_equal. apply (IH (rank q)); auto. apply R. now left.
Qed.

(** ** Propagation *)
Definition interval := (Z * Z)%type.
Definition within (v : Z) (i : interval) : Prop := fst i <= v <= snd i.
Definition meet (i j : interval) : interval := (Z.max (fst i) (fst j), Z.min (snd i) (snd j)).
Definition negated (i : interval) : interval := (- snd i, - fst i).

Variable claim : position -> option interval.
Variable canon : position -> position.

Definition attached (p : position) : interval := match claim (canon p) with Some i => i | None => (- M, M) end.

Fixpoint propagate (k : nat) (p : position) : interval :=
  match k with
  | O => attached p
  | S k => meet (attached p)
    match next p with
    | Over s => (s, s)
    | Pass q => negated (propagate k q)
    | Moves l => let below := map (propagate k) l in (most (fun i => - snd i) below, most (fun i => - fst i) below)
    end
  end.

Definition claims_right : Prop := forall p i, claim p = Some i -> within (value p) i.
Definition canon_right : Prop := forall p, value (canon p) = value p.

Theorem propagate_sound : claims_right -> canon_right -> forall k p, within (value p) (propagate k p).
Proof.
  intros C S. assert (A : forall p, within (value p) (attached p)).
  { intros p. unfold attached. destruct (claim (canon p)) eqn:E; [rewrite <- S; auto|]. apply value_bounds. }
  induction k as [|k IH]; intros p; [apply A|]. simpl.
  assert (B : within (value p) match next p with
    | Over s => (s, s) | Pass q => negated (propagate k q)
    | Moves l => (most (fun q => - snd (propagate k q)) l, most (fun q => - fst (propagate k q)) l) end).
  { rewrite value_step. destruct (next p) as [s|q|l]; unfold within; simpl.
    - lia.
    - pose proof (IH q) as [L U]. lia.
    - split; apply most_le; intros q _; pose proof (IH q) as [L U]; lia. }
  specialize (A p). unfold within, meet in *. simpl. destruct (next p); simpl; rewrite ?most_map; simpl in *; lia.
Qed.

(** Bounds that meet at the root are the value. *)
Theorem root_value p k v : claims_right -> canon_right -> propagate k p = (v, v) -> value p = v.
Proof. intros C S E. pose proof (propagate_sound C S k p) as W. rewrite E in W. unfold within in W. simpl in W. lia. Qed.

(** A null-window claim "at least [v]" or "at most [v]" is an interval with one end at M. *)
Theorem at_least_right p v : v <= value p <-> within (value p) (v, M).
Proof. unfold within. simpl. pose proof (value_bounds p). lia. Qed.
Theorem at_most_right p v : value p <= v <-> within (value p) (- M, v).
Proof. unfold within. simpl. pose proof (value_bounds p). lia. Qed.
End Intervals.
