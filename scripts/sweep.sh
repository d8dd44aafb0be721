#!/usr/bin/env bash
# Area and timing of cores and units for T of 2 to 64, both units and their options,
# and the table and figure of them in docs/results: scripts/sweep/Snakefile on all
# cores of this machine, or with the options given here (Slurm, Kubernetes). Days on
# two cores; resumable. A configuration that fails is reported and the others go on;
# what has rows is in table and figure, and the exit code is 1; it is 2 if an option is wrong.
#
#   scripts/sweep.sh [option of snakemake ...]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh
cargo build --quiet --release --locked --bin lab
export WEFT_LAB=${CARGO_TARGET_DIR:-target}/release/lab
case " $* " in *" --jobs"* | *" --cores"* | *" -j"* | *" -c"*) ;; *) set -- --cores all "$@" ;; esac
status=0
.venv/bin/snakemake --snakefile scripts/sweep/Snakefile --directory . \
    --keep-going --rerun-triggers mtime "$@" || status=$?
case " $* " in *" -n "* | *" --dry-run "*) exit "$status" ;; esac
[ "$status" != 2 ] || exit 2 # Options that are not understood: nothing has run.
python3 scripts/sweep/collect.py
"$WEFT_LAB" figure4
exit "$status"
