(** Hex boards: the winning condition, and that a filled board has a winner. *)
From Coq Require Import NArith Arith List Bool Lia.
From Formal Require Import Sums DarkHex.
Import ListNotations.
Open Scope nat_scope.

Section Board.
Variables rows columns : nat.

Definition board : list cell := seq 0 (rows * columns).
Definition row (c : cell) : nat := c / columns.
Definition column (c : cell) : nat := c mod columns.

(** (dr, dc) is one of (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,0). *)
Definition adjacent (a b : cell) : bool :=
  let '(r, c) := (row a, column a) in
  let '(r', c') := (row b, column b) in
  ((r =? S r') && ((c =? c') || (S c =? c'))) ||
  ((r =? r') && ((S c' =? c) || (c' =? S c))) ||
  ((S r =? r') && ((c =? c') || (c =? S c'))).

(** Black joins the first and the last row, White the first and the last column. *)
Definition starts (p : player) (c : cell) : bool :=
  match p with Black => row c =? 0 | White => column c =? 0 end.
Definition ends (p : player) (c : cell) : bool :=
  match p with Black => S (row c) =? rows | White => S (column c) =? columns end.

(** Grow the connected set [seen] inside [rest] until nothing is added. *)
Fixpoint grow (k : nat) (seen rest : list cell) : list cell :=
  match k with
  | O => seen
  | S k =>
    match filter (fun c => existsb (adjacent c) seen) rest with
    | [] => seen
    | new => grow k (new ++ seen) (filter (fun c => negb (existsb (adjacent c) seen)) rest)
    end
  end.

(** The player's stones [own] join his two sides. *)
Definition joined (p : player) (own : list cell) : bool :=
  existsb (ends p) (grow (length own) (filter (starts p) own) (filter (fun c => negb (starts p c)) own)).
End Board.

(** ** All ways to split a board between the players *)
Fixpoint splits (l : list cell) : list (list cell * list cell) :=
  match l with
  | [] => [([], [])]
  | c :: l => flat_map (fun s => [(c :: fst s, snd s); (fst s, c :: snd s)]) (splits l)
  end.

Lemma splits_complete (f : cell -> bool) l : In (filter f l, filter (fun c => negb (f c)) l) (splits l).
Proof.
  induction l as [|c l IH]; simpl; auto. apply in_flat_map. eexists. split; [exact IH|].
  destruct (f c); simpl; auto.
Qed.

Definition filled_check (cells : list cell) (win : player -> list cell -> bool) : bool :=
  forallb (fun s => win Black (fst s) || win White (snd s)) (splits cells).

Theorem filled_by_computation cells win : filled_check cells win = true -> filled_has_winner cells win.
Proof.
  intros H f. unfold filled_check in H. rewrite forallb_forall in H.
  specialize (H _ (splits_complete f cells)). apply orb_true_iff in H. exact H.
Qed.

(** The hypothesis holds on the boards of the claims; at most one player has joined his sides. *)
Definition at_most_one_check (cells : list cell) (win : player -> list cell -> bool) : bool :=
  forallb (fun s => negb (win Black (fst s) && win White (snd s))) (splits cells).

Theorem filled_3_3 : filled_has_winner (board 3 3) (joined 3 3).
Proof. apply filled_by_computation. vm_compute. reflexivity. Qed.
Theorem filled_4_3 : filled_has_winner (board 4 3) (joined 4 3).
Proof. apply filled_by_computation. vm_compute. reflexivity. Qed.
Theorem filled_3_4 : filled_has_winner (board 3 4) (joined 3 4).
Proof. apply filled_by_computation. vm_compute. reflexivity. Qed.
Theorem one_winner_3_3 : at_most_one_check (board 3 3) (joined 3 3) = true.
Proof. vm_compute. reflexivity. Qed.
Theorem one_winner_4_3 : at_most_one_check (board 4 3) (joined 4 3) = true.
Proof. vm_compute. reflexivity. Qed.

(** ** The winning condition as a table, for speed *)
Inductive table := Leaf (b : bool) | Branch (without within : table).

Fixpoint tabulate (f : list cell -> bool) (l : list cell) : table :=
  match l with
  | [] => Leaf (f [])
  | c :: l => Branch (tabulate f l) (tabulate (fun own => f (c :: own)) l)
  end.

Fixpoint read (t : table) (l own : list cell) : bool :=
  match t with
  | Leaf b => b
  | Branch t0 t1 =>
    match l, own with
    | c :: l, d :: own' => if c =? d then read t1 l own' else read t0 l own
    | _ :: l, [] => read t0 l []
    | [], _ => false
    end
  end.

Lemma read_tabulate (f : list cell -> bool) t l : NoDup l -> read (tabulate f l) l (filter t l) = f (filter t l).
Proof.
  revert f. induction l as [|c l IH]; intros f ND; [reflexivity|]. inversion ND as [|? ? N ND']; subst.
  pose proof (IH f ND') as I0. pose proof (IH (fun own => f (c :: own)) ND') as I1.
  simpl. destruct (t c) eqn:T.
  - rewrite Nat.eqb_refl. exact I1.
  - destruct (filter t l) as [|d own] eqn:F; [exact I0|].
    destruct (Nat.eqb_spec c d); [|exact I0]. subst.
    assert (In d (filter t l)) as I by (rewrite F; now left). apply filter_In in I. tauto.
Qed.

Record tables := { black_table : table; white_table : table }.
Definition make_tables rows columns : tables :=
  {| black_table := tabulate (joined rows columns Black) (board rows columns);
     white_table := tabulate (joined rows columns White) (board rows columns) |}.
Definition table_win (t : tables) (cells : list cell) (p : player) (own : list cell) : bool :=
  read (match p with Black => black_table t | White => white_table t end) cells own.

(** The table says the same as the definition, for every set of cells. *)
Theorem table_win_joined rows columns p f :
  table_win (make_tables rows columns) (board rows columns) p (filter f (board rows columns)) =
  joined rows columns p (filter f (board rows columns)).
Proof. unfold table_win. destruct p; simpl; apply read_tabulate; apply seq_NoDup. Qed.
