#!/bin/sh
# The gate without a hosting service: merges BRANCH into BASE if it passes, in a clone of its own.
#
#     ci/examples/gate.sh REPOSITORY BASE BRANCH [REASON]
#
# REASON sets aside the refusal of a change that touches a checker and its certificates at once; the report shows it.
# The report is left in ./audit-report. Exit code 0: merged and pushed.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: $0 REPOSITORY BASE BRANCH [REASON]" >&2
    exit 64
fi
repository=$1 base=$2 branch=$3 reason=${4-}
out=$PWD/audit-report
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT INT TERM

git clone --quiet --branch "$base" -- "$repository" "$clone"
cd "$clone"
before=$(git rev-parse HEAD)
git merge --quiet --no-ff --message "Merge $branch" "origin/$branch"
set -- gate --base "$before" --tier gate --out "$out"
if [ -n "$reason" ]; then
    set -- "$@" --override "$reason"
fi
cargo run --package audit -- "$@"
# Somebody else may have pushed meanwhile: then this is refused, and the gate has to look again.
git push --quiet origin "HEAD:refs/heads/$base"
