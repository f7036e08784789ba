#!/bin/bash
# Solves the four published variants one after the other and prints, for each solve, wall-clock and processor seconds,
# iterations, sequences of the restricted game (Black's and White's), memory and the value that the checker proved.
#
#     cargo build --release -p prove-darkhex -p verify-darkhex
#     provers/darkhex/published.sh [FOLDER]
#
# FOLDER gets the certificates and the progress of each solve; a temporary one is taken if none is given.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-$(mktemp -d)}
mkdir -p "$out"

one() {
    local name=$1 started ended
    shift
    started=$(date +%s.%N)
    local value
    value=$(target/release/prove-darkhex solve "$@" --out "$out/$name" 2> "$out/$name.log" | tail -n 1)
    ended=$(date +%s.%N)
    grep '^iteration ' "$out/$name.log" | tail -n 1 | awk -v name="$name" -v value="$value" \
        -v wall="$(echo "$ended - $started" | bc)" '{
        for (at = 1; at < NF; at++) {
            if ($at == "iteration") iterations = $(at + 1)
            if ($at == "processor") seconds = $(at + 1)
            if ($at == "sequences") sequences = $(at + 1) ", " $(at + 2)
            if ($at == "memory") memory = $(at + 1)
        }
        printf "%-24s %8.1f %8.1f %5d  %-13s %4d MiB  %s\n", name, wall, seconds, iterations, sequences, memory, value
    }'
}

begun=$(date +%s.%N)
printf '%-24s %8s %8s %5s  %-13s %8s  %s\n' game 'wall s' 'CPU s' steps sequences memory said
one classic-r4c4 --rule classic --rows 4 --columns 4
one classic-r4c3 --rule classic --rows 4 --columns 3
for square in a1 b1 c1 a2 b2 c2; do
    one "classic-r4c3-$square" --rule classic --rows 4 --columns 3 --opening "$square"
done
one abrupt-r3c3 --rule abrupt --rows 3 --columns 3
echo "wall-clock seconds in all: $(echo "$(date +%s.%N) - $begun" | bc)"
