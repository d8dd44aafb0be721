#!/usr/bin/env bash
# What the divergence units issue on every kernel, against the order that they
# implement: sets up the tools, builds the kernels, runs all of them on the
# hardware in lockstep and writes table and figure to docs/results. About
# ten minutes on two cores; rows that are there are not run again.
#
#   scripts/units.sh [option of `lab units` ...]
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/kernels.sh # sets up .venv first
exec cargo run --quiet --release --locked --bin lab -- units "$@"
