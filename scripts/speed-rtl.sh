#!/usr/bin/env bash
# Simulation speed: cycles per second of a matrix product on `hct`, W=8, release
# build, one core; in process also how often the top of the circuit is evaluated per
# cycle. The median of three runs per T.
#
#   scripts/speed-rtl.sh [--engine rtl|verilator] [--lockstep on|off] [T ...]
#                                               default: rtl, on, T of 4 8 32 64
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=rtl lockstep=on
while [ $# -gt 0 ]; do
    case "$1 ${2:-}" in
        "--engine rtl" | "--engine verilator") engine=$2 ;;
        "--lockstep on" | "--lockstep off") lockstep=$2 ;;
        --*) echo "speed-rtl: $1 ${2:-}: not supported, see the head of $0" >&2; exit 2 ;;
        *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || set -- 4 8 32 64
for t in "$@"; do
    [[ $t =~ ^(1|2|4|8|16|32|64)$ ]] || { echo "speed-rtl: $t is no T, use 1 2 4 8 16 32 64" >&2; exit 2; }
done
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
scripts/kernels.sh --size 32 --out target/speed-rtl testbenches/kernels/matmul.c >/dev/null
cargo build --quiet --release --locked --bin sim
for t in "$@"; do
    for run in 1 2 3; do
        "${CARGO_TARGET_DIR:-target}/release/sim" --engine "$engine" --lockstep="$lockstep" \
            --divergence hct --threads-per-warp "$t" --warps 8 --stats "$rows/$t.$run" target/speed-rtl/matmul.elf >/dev/null
    done
    python3 - "$t" "$rows/$t".* <<'PY'
import json, statistics, sys
rows = [json.load(open(name)) for name in sys.argv[2:]]
rates = sorted(row["cycles"] / row["run"]["host_seconds"] for row in rows)
run = rows[0]["run"]
sweeps = run["sweeps_per_cycle"]
print(f"T={sys.argv[1]:3} {statistics.median(rates):7.0f} cycles/s (runs {rates[0]:.0f}..{rates[-1]:.0f}), "
      + (f"{sweeps:.2f} sweeps per cycle; " if sweeps else "")
      + f"{rows[0]['cycles']} cycles, warp IPC {rows[0]['warp_ipc']:.3f}")
PY
done
