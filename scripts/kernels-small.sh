#!/usr/bin/env bash
# Builds every kernel in a size for the simulation of hardware, a few thousand
# cycles each, into target/kernels-small.
set -euo pipefail
[ $# -eq 0 ] || { echo "kernels-small: takes no arguments" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The others grow faster than SIZE, or hardly with it.
declare -A options=([atomics]="--size 2" [lud]="--size 4" [mandelbrot]="--size 4"
    [mandelbrot-early]="--size 4" [nqueens]="--size 5" [path-finding]="--size 8 -D SIDE=4"
    [six-level]="--size 2")
others=()
for file in testbenches/kernels/*.c testbenches/kernels/*.S; do
    name=$(basename "${file%.*}")
    if [ -n "${options[$name]:-}" ]; then
        # shellcheck disable=SC2086 # several options in one
        scripts/kernels.sh ${options[$name]} --out target/kernels-small "$file" >/dev/null
    else
        others+=("$file")
    fi
done
scripts/kernels.sh --size 8 --out target/kernels-small "${others[@]}"
