#!/usr/bin/env bash
# Warp instructions per cycle of a few kernels in sizes that fill the pipeline,
# T=32, W=8, memory latency 4, both units, in lockstep: builds the kernels, runs
# them and writes table and figure to docs/results. Five minutes on two cores.
#
#   scripts/rates.sh [option of `lab rates` ...]
#   scripts/rates.sh --build                    only the kernels
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
declare -A size=([matmul]=64 [reduce]=262144 [saxpy]=16384 [spmv]=8192 [transpose]=128)
for kernel in "${!size[@]}"; do
    scripts/kernels.sh --size "${size[$kernel]}" --out target/kernels-rates \
        "testbenches/kernels/$kernel.c" # sets up .venv first
done
[ "${1:-}" != --build ] || exit 0
exec cargo run --quiet --release --locked --bin lab -- rates "$@"
