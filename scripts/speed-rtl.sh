#!/usr/bin/env bash
# Simulation speed in process: cycles per second of a matrix product on `hct`,
# W=8, lockstep on, release build, one core; and how often the top of the circuit
# is evaluated per cycle. The median of three runs per T.
#
#   scripts/speed-rtl.sh [T ...]     default: 4 8 32 64
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
        "${CARGO_TARGET_DIR:-target}/release/sim" --engine rtl --divergence hct --threads-per-warp "$t" \
            --warps 8 --stats "$rows/$t.$run" target/speed-rtl/matmul.elf >/dev/null
    done
    python3 - "$t" "$rows/$t".* <<'PY'
import json, statistics, sys
rows = [json.load(open(name)) for name in sys.argv[2:]]
rates = sorted(row["cycles"] / row["run"]["host_seconds"] for row in rows)
run = rows[0]["run"]
print(f"T={sys.argv[1]:3} {statistics.median(rates):7.0f} cycles/s (runs {rates[0]:.0f}..{rates[-1]:.0f}), "
      f"{run['sweeps_per_cycle']:.2f} sweeps per cycle; {rows[0]['cycles']} cycles, "
      f"warp IPC {rows[0]['warp_ipc']:.3f}")
PY
done
