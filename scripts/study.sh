#!/usr/bin/env bash
# The study of traversal policies in one command: sets up the tools, builds the
# kernels, runs every kernel under every policy and writes the table and the
# figure to docs/results.
#
#   scripts/study.sh [option of `lab policies` ...]
#
# for example --threads-per-warp 8 --out target/results-t8. What is there
# already is not done again. Exit 1 when a build or a run fails, 2 for bad input.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
command -v cargo >/dev/null || { echo "study: cargo is not on PATH; install Rust 1.89 or newer" >&2; exit 1; }
scripts/kernels.sh # sets up .venv first
exec cargo run --quiet --release --bin lab -- policies "$@"
