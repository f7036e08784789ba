(* Propagates claimed intervals through the extracted rules of DOSELLO.
   Usage: dosello FOLDER PROOF-SET. FOLDER holds claim.txt and leaves.txt. The reading is not proved: it decides what is
   claimed of which position. That the claims are right is the assumption under which the result holds. *)
module Big = Z
open Dosello_reference
module Z = Big (* zarith's, not the module of this name in the extracted file *)

let fail fmt = Printf.ksprintf (fun s -> print_endline ("failure " ^ s); exit 1) fmt

let lines file =
  let c = open_in_bin file in
  let s = really_input_string c (in_channel_length c) in
  close_in c;
  String.split_on_char '\n' s |> List.filter (fun l -> l <> "") |> List.map (String.split_on_char ' ')

(* A square from its name: column letter, then row number from the top. *)
let square s = (8 * (Char.code s.[1] - Char.code '1')) + Char.code s.[0] - Char.code 'a'
let is_move s = String.length s = 5 && s.[2] = '-' 

let rec after p = function
  | [] -> p
  | s :: l ->
    let m = square (String.sub s 0 2), square (String.sub s 3 2) in
    if List.mem m (legal_pairs p) then after (play p m) l else fail "illegal move %s" s

module Positions = Map.Make (struct type t = position let compare = compare end)

let most = Z.of_int 64
let meet (a, b) (c, d) = Z.max a c, Z.min b d

(* The intervals stated of each position, intersected. *)
let state claims (line, interval) =
  let p = canon (after initial line) in
  let known = Option.value (Positions.find_opt p claims) ~default:(Z.neg most, most) in
  Positions.add p (meet known interval) claims

let split_moves l = List.partition is_move l

let leaf = function
  | "leaf" :: l -> (match split_moves l with
    | line, "interval" :: low :: high :: _ -> line, (Z.of_string low, Z.of_string high)
    | _ -> fail "a leaf without an interval")
  | _ -> fail "expected a leaf"

let claim = function
  | "claim" :: l -> (match split_moves l with
    | line, [ "ge"; v ] -> line, (Z.of_string v, most)
    | line, [ "le"; v ] -> line, (Z.neg most, Z.of_string v)
    | _ -> fail "a claim without a bound")
  | _ -> fail "expected a claim"

(* All lines of the certificates are three plies long. *)
let plies = 3

let propagate name stated =
  List.iter (fun (line, _) -> if List.length line > plies then fail "%s has a line of more than %d moves" name plies) stated;
  let claims = List.fold_left state Positions.empty stated in
  let low, high = dosello_interval (fun p -> Positions.find_opt p claims) plies initial in
  Printf.printf "root %s %s from %d lines of %s on %d positions\n%!" (Z.to_string low) (Z.to_string high)
    (List.length stated) name (Positions.cardinal claims);
  low, high

let () =
  let folder, proof_set = match Sys.argv with [| _; f; p |] -> f, p | _ -> prerr_endline "usage: dosello FOLDER PROOF-SET"; exit 64 in
  let value = match List.find_opt (function [ "value"; _ ] -> true | _ -> false) (lines (Filename.concat folder "claim.txt")) with
    | Some [ _; v ] -> Z.of_string v
    | _ -> fail "the claim has no value" in
  List.iter (fun k -> Printf.printf "perft %d %s\n%!" k (Z.to_string (perft k initial))) [ 1; 2; 3; 4 ];
  let body file read = List.map read (List.tl (lines file)) in
  let leaves = body (Filename.concat folder "leaves.txt") leaf and claims = body proof_set claim in
  let whole = propagate "leaves" leaves in
  let least = propagate "the proof set" claims in
  if whole <> (value, value) || least <> (value, value) then fail "not-proved";
  (* Without one claim the bounds do not meet: the set is minimal, and propagation depends on it. *)
  let without = List.filteri (fun i _ -> i <> List.length claims / 2) claims in
  let low, high = propagate "the proof set without one claim" without in
  if Z.equal low high then fail "one claim too many";
  Printf.printf "conditional_value %s assuming %d claims\n" (Z.to_string value) (List.length claims)
