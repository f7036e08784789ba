(** DOSELLO: Othello with dominoes. The rules, and what Intervals.v says of this game.

    1. A square is a number, 8 * row + column from the upper left. A cell is empty or has a disc: its colour and the
       square of the other disc of its domino. A position: 64 cells and the side to move.
    2. [run]: a run of opposing discs along a ray is captured if one of one's own ends it. [captured]: all runs along
       the eight rays from both squares of a new domino.
    3. [placed]: the new domino lies there, and every disc flips that is captured or whose partner is.
    4. [legal]: both squares are empty, and something is captured. [next]: who has no legal move passes, and when
       neither side has one the game is over; the score is counted for the side to move.
    5. [rank_falls], [scores]: the game ends, with a score from -64 to 64. So Intervals.v applies to it.
    6. [turn_is_symmetry]: the eight symmetries of the square change no value. So positions may be merged.
    7. [root_proved]: if all claims are right and propagation ends in [v, v], the value of the initial position is v. *)
From Coq Require Import ZArith Arith List Bool Permutation Lia.
From Formal Require Import Intervals.
Import ListNotations.
Open Scope nat_scope.

(** ** The rules *)
Inductive colour := Black | White.
Definition opposite c := match c with Black => White | White => Black end.
Definition same c c' := match c, c' with Black, Black | White, White => true | _, _ => false end.
Definition cell := option (colour * nat).
Record position := { board : list cell; mover : colour }.

Definition squares : list nat := seq 0 64.
Definition at_square (b : list cell) (s : nat) : cell := if s <? 64 then nth s b None else None.
Definition empty (b : list cell) (s : nat) : bool := match at_square b s with None => true | Some _ => false end.

(** A direction says for rows and columns: 0 back, 1 stay, 2 on. *)
Definition directions : list (nat * nat) := [(0, 0); (0, 1); (0, 2); (1, 0); (1, 2); (2, 0); (2, 1); (2, 2)].
Fixpoint ray (k row column : nat) (d : nat * nat) : list nat :=
  match k with
  | O => []
  | S k =>
    let r := row + fst d in let c := column + snd d in
    if (1 <=? r) && (r <=? 8) && (1 <=? c) && (c <=? 8)
    then 8 * (r - 1) + (c - 1) :: ray k (r - 1) (c - 1) d else []
  end.
Definition rays (s : nat) : list (list nat) := map (ray 7 (s / 8) (s mod 8)) directions.

Fixpoint run (b : list cell) (c : colour) (l : list nat) (taken : list nat) : list nat :=
  match l with
  | [] => []
  | s :: l =>
    match at_square b s with
    | None => []
    | Some (c', _) => if same c' c then taken else run b c l (s :: taken)
    end
  end.
Definition captured_from b c s : list nat := flat_map (fun l => run b c l []) (rays s).
Definition captured b c (m : nat * nat) : list nat := captured_from b c (fst m) ++ captured_from b c (snd m).

Definition member (s : nat) (l : list nat) : bool := existsb (Nat.eqb s) l.
Definition flip (taken : list nat) (s : nat) (x : cell) : cell :=
  match x with
  | None => None
  | Some (c, partner) => Some (if member s taken || member partner taken then opposite c else c, partner)
  end.
Definition placed b c (m : nat * nat) : list cell :=
  let taken := captured b c m in
  map (fun s => if s =? fst m then Some (c, snd m) else if s =? snd m then Some (c, fst m)
                else flip taken s (at_square b s)) squares.

Definition legal b c (m : nat * nat) : bool :=
  empty b (fst m) && empty b (snd m) && match captured b c m with [] => false | _ => true end.
(** The 112 pairs of squares that share an edge. *)
Definition pairs : list (nat * nat) :=
  flat_map (fun s => (if s mod 8 <? 7 then [(s, s + 1)] else []) ++ (if s / 8 <? 7 then [(s, s + 8)] else [])) squares.

Definition legal_pairs (p : position) : list (nat * nat) := filter (legal (board p) (mover p)) pairs.
Definition play (p : position) (m : nat * nat) : position :=
  {| board := placed (board p) (mover p) m; mover := opposite (mover p) |}.
Definition moves (p : position) : list position := map (play p) (legal_pairs p).
Definition passed (p : position) : position := {| board := board p; mover := opposite (mover p) |}.

Definition worth (c : colour) (x : cell) : Z :=
  match x with None => 0 | Some (c', _) => if same c' c then 1 else -1 end.
Definition sum (f : nat -> Z) (l : list nat) : Z := fold_right (fun s t => f s + t)%Z 0%Z l.
Definition score (p : position) : Z := sum (fun s => worth (mover p) (at_square (board p) s)) squares.

Definition next (p : position) : state position :=
  match moves p with
  | [] => match moves (passed p) with [] => Over _ (score p) | _ => Pass _ (passed p) end
  | l => Moves _ l
  end.

Definition domino (b : list cell) (c : colour) (m : nat * nat) : list cell :=
  map (fun s => if s =? fst m then Some (c, snd m) else if s =? snd m then Some (c, fst m) else at_square b s) squares.
(** White c4-d4 and e5-f5, Black e3-e4 and d5-d6; Black moves. *)
Definition initial : position :=
  {| board := domino (domino (domino (domino [] White (26, 27)) White (36, 37)) Black (20, 28)) Black (35, 43);
     mover := Black |}.

(** The number of lines of [k] plies: a pass is a ply, a finished game has no more. *)
Fixpoint perft (k : nat) (p : position) : Z :=
  match k with
  | O => 1
  | S k =>
    match next p with
    | Over _ _ => 0
    | Pass _ q => perft k q
    | Moves _ l => fold_right (fun q n => (perft k q + n)%Z) 0%Z l
    end
  end.
(** The published counts of the first three plies. *)
Example perft_1_2_3 : map (fun k => perft k initial) [1; 2; 3] = [20; 254; 3652]%Z.
Proof. vm_cast_no_check (eq_refl [20; 254; 3652]%Z). Qed.

(** ** The game ends *)
Lemma at_map f s : s < 64 -> at_square (map f squares) s = f s.
Proof.
  intros H. unfold at_square. rewrite (proj2 (Nat.ltb_lt s 64) H).
  rewrite nth_indep with (d' := f 0) by (rewrite map_length; unfold squares; rewrite seq_length; lia).
  rewrite map_nth. unfold squares. now rewrite seq_nth.
Qed.

Lemma in_squares s : In s squares <-> s < 64.
Proof. unfold squares. rewrite in_seq. lia. Qed.

Lemma filter_fewer (f g : nat -> bool) x l : (forall y, f y = true -> g y = true) -> In x l -> f x = false -> g x = true ->
  length (filter f l) < length (filter g l).
Proof.
  intros I. assert (W : forall l, length (filter f l) <= length (filter g l)).
  { induction l0 as [|a l0 IH]; simpl; auto. pose proof (I a) as A. destruct (f a); [rewrite A by auto; simpl; lia|].
    destruct (g a); simpl; lia. }
  induction l as [|a l IH]; simpl; intros H F G; [easy|]. destruct H as [->|H].
  - rewrite F, G. simpl. pose proof (W l). lia.
  - specialize (IH H F G). pose proof (I a) as A. destruct (f a); [rewrite A by auto; simpl; lia|].
    destruct (g a); simpl; lia.
Qed.

Definition empties (p : position) : nat := length (filter (empty (board p)) squares).
Definition rank (p : position) : nat := 2 * empties p + match moves p with [] => 1 | _ => 0 end.

Lemma pairs_on_board : forallb (fun m => (fst m <? 64) && (snd m <? 64)) pairs = true.
Proof. vm_compute. reflexivity. Qed.

Lemma empties_fall p m : In m (legal_pairs p) -> empties (play p m) < empties p.
Proof.
  intros H. apply filter_In in H as [P L]. pose proof pairs_on_board as O. rewrite forallb_forall in O. specialize (O m P).
  rewrite andb_true_iff, !Nat.ltb_lt in O. destruct O as [A _].
  unfold legal in L. rewrite !andb_true_iff in L. destruct L as [[E _] _].
  unfold empties. cbn [play board]. apply filter_fewer with (fst m); auto; [|now apply in_squares|].
  - intros y. unfold empty at 1. destruct (Nat.ltb_spec y 64) as [Y|Y].
    + unfold placed. rewrite at_map by auto. destruct (y =? fst m); [discriminate|]. destruct (y =? snd m); [discriminate|].
      unfold empty. destruct (at_square (board p) y) as [[]|]; simpl; auto; discriminate.
    + intros _. unfold empty, at_square. destruct (Nat.ltb_spec y 64); auto. lia.
  - unfold empty, placed. rewrite at_map by auto. now rewrite Nat.eqb_refl.
Qed.

Theorem rank_falls : forall p q, In q (children _ next p) -> rank q < rank p.
Proof.
  intros p q. unfold children, next. destruct (moves p) as [|q0 l] eqn:E.
  - destruct (moves (passed p)) as [|q1 l] eqn:F; [easy|]. intros [<-|[]]. unfold rank. rewrite E, F.
    unfold empties. cbn [passed board]. lia.
  - intros H. rewrite <- E in H. unfold moves in H. apply in_map_iff in H as (m & <- & H).
    pose proof (empties_fall p m H). unfold rank. rewrite E. destruct (moves (play p m)); lia.
Qed.

Lemma sum_bound f n : (forall s, -1 <= f s <= 1)%Z -> forall a, (- Z.of_nat n <= sum f (seq a n) <= Z.of_nat n)%Z.
Proof. intros B. induction n; intros a; simpl sum; [simpl; lia|]. specialize (IHn (S a)). pose proof (B a). lia. Qed.

Theorem scores : forall p s, next p = Over _ s -> (Z.opp 64 <= s <= 64)%Z.
Proof.
  intros p s. unfold next. destruct (moves p); [|discriminate]. destruct (moves (passed p)); [|discriminate].
  intros H. injection H as <-. apply (sum_bound _ 64). intros x. unfold worth.
  destruct (at_square (board p) x) as [[c ?]|]; [destruct (same c (mover p))|]; lia.
Qed.

(** ** The symmetries of the square *)
(** Bit 2 of [k] exchanges rows and columns, then bit 0 reverses the rows and bit 1 the columns. *)
Definition turn_square (k s : nat) : nat :=
  if s <? 64 then
    let r := if 4 <=? k then s mod 8 else s / 8 in
    let c := if 4 <=? k then s / 8 else s mod 8 in
    8 * (if Nat.odd k then 7 - r else r) + (if Nat.odd (k / 2) then 7 - c else c)
  else s.
Definition inverse (k : nat) : nat := match k with 5 => 6 | 6 => 5 | _ => k end.
Definition turn_cell (k : nat) (x : cell) : cell := match x with None => None | Some (c, s) => Some (c, turn_square k s) end.
Definition turn_board (k : nat) (b : list cell) : list cell :=
  map (fun s => turn_cell k (at_square b (turn_square (inverse k) s))) squares.
Definition turn (k : nat) (p : position) : position := {| board := turn_board k (board p); mover := mover p |}.

(** A domino's squares, the smaller number first. *)
Definition ordered (m : nat * nat) : nat * nat := if fst m <=? snd m then m else (snd m, fst m).
Definition turn_pair (k : nat) (m : nat * nat) : nat * nat := ordered (turn_square k (fst m), turn_square k (snd m)).

Definition list_eqb (l l' : list nat) : bool := if list_eq_dec Nat.eq_dec l l' then true else false.
Definition pair_eqb (m m' : nat * nat) : bool := (fst m =? fst m') && (snd m =? snd m').
Fixpoint distinct (l : list (nat * nat)) : bool :=
  match l with [] => true | m :: l => negb (existsb (pair_eqb m) l) && distinct l end.

(** What a finite computation says of the geometry. *)
Definition geometry (k : nat) : bool :=
  forallb (fun s => (turn_square k s <? 64) && (turn_square (inverse k) s <? 64) &&
                    (turn_square (inverse k) (turn_square k s) =? s) && (turn_square k (turn_square (inverse k) s) =? s) &&
                    forallb (fun l => existsb (list_eqb (map (turn_square k) l)) (rays (turn_square k s))) (rays s) &&
                    forallb (fun l => existsb (fun l' => list_eqb l (map (turn_square k) l')) (rays s)) (rays (turn_square k s)))
          squares &&
  distinct (map (turn_pair k) pairs) && distinct pairs &&
  forallb (fun m => existsb (pair_eqb (turn_pair k m)) pairs) pairs &&
  forallb (fun m => negb (fst m =? snd m)) pairs.
Lemma geometry_right : forallb geometry (seq 0 8) = true.
Proof. vm_compute. reflexivity. Qed.

Lemma pair_eqb_spec m m' : pair_eqb m m' = true <-> m = m'.
Proof.
  destruct m, m'. unfold pair_eqb. simpl. rewrite andb_true_iff, !Nat.eqb_eq. split; [intros [-> ->]; auto|]. intros H; now injection H.
Qed.

Lemma distinct_spec l : distinct l = true -> NoDup l.
Proof.
  induction l as [|m l IH]; simpl; constructor.
  - apply andb_true_iff in H as [H _]. intros I. apply negb_true_iff in H. rewrite <- not_true_iff_false, existsb_exists in H.
    apply H. exists m. split; auto. now apply pair_eqb_spec.
  - apply IH. now apply andb_true_iff in H.
Qed.

Lemma list_eqb_spec l l' : list_eqb l l' = true <-> l = l'.
Proof. unfold list_eqb. destruct (list_eq_dec _ l l'); split; auto; discriminate. Qed.

Section Symmetry.
Variable k : nat.
Hypothesis K : k < 8.
Notation t := (turn_square k).
Notation u := (turn_square (inverse k)).

Lemma geometry_k : geometry k = true.
Proof. pose proof geometry_right as G. rewrite forallb_forall in G. apply G, in_seq. lia. Qed.

Ltac geometry := pose proof geometry_k as G; unfold geometry in G; rewrite !andb_true_iff in G;
  destruct G as [[[[G1 G2] G3] G4] G5].

Lemma on_square s : s < 64 -> t s < 64 /\ u s < 64 /\ u (t s) = s /\ t (u s) = s /\
  (forall l, In l (rays s) -> In (map t l) (rays (t s))) /\
  (forall l, In l (rays (t s)) -> exists l', In l' (rays s) /\ l = map t l').
Proof.
  intros H. geometry. rewrite forallb_forall in G1. specialize (G1 s (proj2 (in_squares s) H)).
  rewrite !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq, !forallb_forall in G1. destruct G1 as [[[[[A B] C] D] E] F].
  repeat split; auto.
  - intros l I. specialize (E l I). apply existsb_exists in E as (x & J & X). apply list_eqb_spec in X. now subst.
  - intros l I. specialize (F l I). apply existsb_exists in F as (x & J & X). apply list_eqb_spec in X. eauto.
Qed.

Lemma off_board s : 64 <= s -> forall j, turn_square j s = s.
Proof. intros H j. unfold turn_square. destruct (Nat.ltb_spec s 64); auto. lia. Qed.

Lemma u_t s : u (t s) = s.
Proof. destruct (Nat.lt_ge_cases s 64) as [H|H]; [now apply on_square|]. now rewrite !off_board by (rewrite ?off_board; auto). Qed.

Lemma t_inj s s' : t s = t s' -> s = s'.
Proof. intros E. rewrite <- (u_t s), E. apply u_t. Qed.

Lemma t_eqb s s' : (t s =? t s') = (s =? s').
Proof. destruct (Nat.eqb_spec s s') as [->|N]; [apply Nat.eqb_refl|]. apply Nat.eqb_neq. intros E. now apply N, t_inj. Qed.

Lemma at_turn b s : at_square (turn_board k b) (t s) = turn_cell k (at_square b s).
Proof.
  destruct (Nat.lt_ge_cases s 64) as [H|H].
  - unfold turn_board. rewrite at_map by (now apply on_square). now rewrite u_t.
  - rewrite off_board by auto. unfold at_square. destruct (Nat.ltb_spec s 64); [lia|]. auto.
Qed.

Lemma empty_turn b s : empty (turn_board k b) (t s) = empty b s.
Proof. unfold empty. rewrite at_turn. now destruct (at_square b s) as [[]|]. Qed.

Lemma run_turn b c : forall l taken, run (turn_board k b) c (map t l) (map t taken) = map t (run b c l taken).
Proof.
  induction l as [|s l IH]; simpl; intros taken; auto. rewrite at_turn. destruct (at_square b s) as [[c' s']|]; simpl; auto.
  destruct (same c' c); auto. apply (IH (s :: taken)).
Qed.

Lemma run_turn_nil b c l : run (turn_board k b) c (map t l) [] = map t (run b c l []).
Proof. exact (run_turn b c l []). Qed.

(** What is captured on the turned board is the turned capture. *)
Lemma captured_from_turn b c e x : e < 64 ->
  (In x (captured_from (turn_board k b) c (t e)) <-> exists s, x = t s /\ In s (captured_from b c e)).
Proof.
  intros H. destruct (on_square e H) as (_ & _ & _ & _ & A & B). unfold captured_from. rewrite in_flat_map. split.
  - intros (l & I & X). destruct (B l I) as (l' & I' & ->). rewrite run_turn_nil in X.
    apply in_map_iff in X as (s & <- & S). exists s. split; auto. apply in_flat_map. eauto.
  - intros (s & -> & S). apply in_flat_map in S as (l & I & X). exists (map t l). split; [now apply A|].
    rewrite run_turn_nil. now apply in_map.
Qed.

Lemma captured_turn b c m x : fst m < 64 -> snd m < 64 ->
  (In x (captured (turn_board k b) c (turn_pair k m)) <-> exists s, x = t s /\ In s (captured b c m)).
Proof.
  intros A B. assert (E : In x (captured (turn_board k b) c (turn_pair k m)) <->
    In x (captured_from (turn_board k b) c (t (fst m))) \/ In x (captured_from (turn_board k b) c (t (snd m)))).
  { unfold captured, turn_pair, ordered. destruct (_ <=? _); cbn [fst snd]; rewrite in_app_iff; tauto. }
  rewrite E, !captured_from_turn by auto. unfold captured. split.
  - intros [(s & -> & S)|(s & -> & S)]; exists s; (split; [reflexivity|]); apply in_app_iff; auto.
  - intros (s & -> & S). apply in_app_iff in S as [S|S]; [left|right]; exists s; auto.
Qed.

Lemma member_spec s l : member s l = true <-> In s l.
Proof.
  unfold member. rewrite existsb_exists. split; [intros (x & I & E); apply Nat.eqb_eq in E; now subst|].
  intros I. exists s. now rewrite Nat.eqb_refl.
Qed.

Lemma member_turn b c m s : fst m < 64 -> snd m < 64 ->
  member (t s) (captured (turn_board k b) c (turn_pair k m)) = member s (captured b c m).
Proof.
  intros A B. apply eq_true_iff_eq. rewrite !member_spec, captured_turn by auto. split; [|eauto].
  intros (x & E & I). apply t_inj in E. now subst.
Qed.

Lemma legal_turn b c m : fst m < 64 -> snd m < 64 -> legal (turn_board k b) c (turn_pair k m) = legal b c m.
Proof.
  intros A B. unfold legal. f_equal.
  - unfold turn_pair, ordered. destruct (_ <=? _); simpl; rewrite !empty_turn; auto. apply andb_comm.
  - pose proof (fun x => captured_turn b c m x A B) as C.
    destruct (captured b c m) as [|s l] eqn:E, (captured (turn_board k b) c (turn_pair k m)) as [|x l'] eqn:F; auto.
    + destruct (proj1 (C x) (or_introl eq_refl)) as (s & _ & []).
    + destruct (proj2 (C (t s))). exists s. split; auto. now left.
Qed.

Lemma placed_turn b c m : fst m < 64 -> snd m < 64 -> fst m <> snd m ->
  placed (turn_board k b) c (turn_pair k m) = turn_board k (placed b c m).
Proof.
  intros A B N. set (turned := turn_board k b). set (after := placed b c m). unfold placed, turn_board. apply map_ext_in.
  intros x I. subst turned after. apply in_squares in I.
  assert (X : x = t (u x)) by (symmetry; now apply on_square). assert (U : u x < 64) by (now apply on_square).
  set (s := u x) in *. clearbody s. subst x. unfold placed. rewrite at_map by auto.
  assert (F : flip (captured (turn_board k b) c (turn_pair k m)) (t s) (at_square (turn_board k b) (t s)) =
              turn_cell k (flip (captured b c m) s (at_square b s))).
  { rewrite at_turn. destruct (at_square b s) as [[c' s']|]; simpl; auto. now rewrite !member_turn. }
  rewrite F. unfold turn_pair, ordered. destruct (_ <=? _); simpl; rewrite !t_eqb;
    destruct (Nat.eqb_spec s (fst m)), (Nat.eqb_spec s (snd m)); auto; congruence.
Qed.

Lemma pairs_turn : Permutation (map (turn_pair k) pairs) pairs.
Proof.
  geometry. apply NoDup_Permutation_bis; [now apply distinct_spec|rewrite map_length; lia|].
  intros x I. apply in_map_iff in I as (m & <- & I). rewrite forallb_forall in G4. specialize (G4 m I).
  apply existsb_exists in G4 as (y & J & Y). apply pair_eqb_spec in Y. now rewrite Y.
Qed.

Lemma on_pair m : In m pairs -> fst m < 64 /\ snd m < 64 /\ fst m <> snd m.
Proof.
  intros I. geometry. rewrite forallb_forall in G5. specialize (G5 m I). apply negb_true_iff, Nat.eqb_neq in G5.
  pose proof pairs_on_board as O. rewrite forallb_forall in O. specialize (O m I).
  rewrite andb_true_iff, !Nat.ltb_lt in O. tauto.
Qed.

Lemma filter_map_comm (f : nat * nat -> bool) (g : nat * nat -> nat * nat) l : filter f (map g l) = map g (filter (fun m => f (g m)) l).
Proof. induction l as [|a l IH]; simpl; auto. destruct (f (g a)); simpl; now rewrite IH. Qed.

Lemma filter_perm (f : nat * nat -> bool) l l' : Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - now transitivity (filter f l').
Qed.

Lemma moves_turn p : Permutation (map (turn k) (moves p)) (moves (turn k p)).
Proof.
  unfold moves, legal_pairs.
  rewrite <- (Permutation_map (play (turn k p)) (filter_perm (legal (board (turn k p)) (mover (turn k p))) _ _ pairs_turn)).
  rewrite filter_map_comm, !map_map.
  assert (F : filter (legal (board p) (mover p)) pairs =
              filter (fun m => legal (board (turn k p)) (mover (turn k p)) (turn_pair k m)) pairs).
  { apply filter_ext_in. intros m I. destruct (on_pair m I) as (A & B & _). symmetry. now apply legal_turn. }
  rewrite <- F. erewrite map_ext_in; [reflexivity|]. intros m I. apply filter_In in I as [I _].
  destruct (on_pair m I) as (A & B & N). unfold play, turn. simpl. f_equal. symmetry. now apply placed_turn.
Qed.

Lemma sum_perm f l l' : Permutation l l' -> sum f l = sum f l'.
Proof. induction 1; simpl; lia. Qed.

Lemma sum_map f g l : sum f (map g l) = sum (fun s => f (g s)) l.
Proof. induction l; simpl; auto. now rewrite IHl. Qed.

Lemma sum_ext f g l : (forall s, f s = g s) -> sum f l = sum g l.
Proof. intros E. induction l; simpl; auto. now rewrite E, IHl. Qed.

Lemma squares_turn : Permutation (map t squares) squares.
Proof.
  apply NoDup_Permutation_bis.
  - apply FinFun.Injective_map_NoDup; [intros x y; apply t_inj|apply seq_NoDup].
  - rewrite map_length. lia.
  - intros x I. apply in_map_iff in I as (s & <- & I). apply in_squares in I. apply in_squares. now apply on_square.
Qed.

Lemma score_turn p : score (turn k p) = score p.
Proof.
  unfold score. rewrite <- (sum_perm _ _ _ squares_turn), sum_map. apply sum_ext. intros s.
  unfold turn. simpl. rewrite at_turn. now destruct (at_square (board p) s) as [[]|].
Qed.

Theorem turn_is_symmetry : is_symmetry _ next (turn k).
Proof.
  intros p. unfold next. pose proof (moves_turn p) as A. pose proof (moves_turn (passed p)) as B.
  change (turn k (passed p)) with (passed (turn k p)) in B.
  destruct (moves p) as [|q l]; simpl in A.
  - apply Permutation_nil in A. rewrite A.
    destruct (moves (passed p)) as [|q l]; simpl in B.
    + apply Permutation_nil in B. rewrite B. symmetry. apply score_turn.
    + destruct (moves (passed (turn k p))); [symmetry in B; now apply Permutation_nil in B|]. reflexivity.
  - destruct (moves (turn k p)); [symmetry in A; now apply Permutation_nil in A|]. exact A.
Qed.
End Symmetry.

(** ** Propagation in this game *)
Definition code (x : cell) : nat := match x with None => 0 | Some (Black, s) => 2 * s + 1 | Some (White, s) => 2 * s + 2 end.
Fixpoint less (b b' : list cell) : bool :=
  match b, b' with
  | x :: b, x' :: b' => (code x <? code x') || ((code x =? code x') && less b b')
  | _, _ => false
  end.
(** Of the eight images the one with the least board. *)
Definition least (q q' : position) : position := if less (board q) (board q') then q else q'.
Definition canon (p : position) : position := fold_right (fun k q => least (turn k p) q) (turn 0 p) (seq 1 7).

Definition dosello_value (p : position) : Z := value _ next rank 64 p.
Definition dosello_interval (claim : position -> option interval) (k : nat) (p : position) : interval :=
  propagate _ next 64 claim canon k p.

Theorem canon_preserves : canon_right _ next rank 64 canon.
Proof.
  intros p. assert (T : forall k, k < 8 -> value _ next rank 64 (turn k p) = value _ next rank 64 p).
  { intros k H. apply (symmetry_preserves_value _ next rank 64 rank_falls (turn k)). now apply turn_is_symmetry. }
  unfold canon. assert (S : forall k, In k (seq 1 7) -> k < 8) by (intros k; rewrite in_seq; lia).
  induction (seq 1 7) as [|k l IH]; simpl; [apply T; lia|].
  unfold least at 1. destruct (less _ _); [apply T, S; now left|]. apply IH. intros j J. apply S. now right.
Qed.

(** If every claim is right, and they propagate to [v, v] at a position, its value is [v] for the side to move. *)
Theorem position_proved claim k p v : (forall q i, claim q = Some i -> within (dosello_value q) i) ->
  dosello_interval claim k p = (v, v) -> dosello_value p = v.
Proof.
  unfold dosello_interval, dosello_value. intros C E.
  refine (root_value _ next rank 64 rank_falls scores _ claim canon p k v C canon_preserves E). lia.
Qed.

(** So the value of DOSELLO itself, for Black. *)
Definition root_proved claim k := position_proved claim k initial.
