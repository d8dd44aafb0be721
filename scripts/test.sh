#!/usr/bin/env bash
# Every test, from a fresh clone: sets up what is missing, builds the kernels
# and ISA tests, checks format and lints, compares the tracked Verilog, runs all
# Rust tests, a part of the matrix of programs on hardware and on its Verilog, 2,000
# random programs on the emulator, 300 on hardware and 40 on both hardware and Verilog,
# the C++ test bench and a dry run of the sweep. Stops at the first step that fails; no step is ever skipped.
set -euo pipefail
[ $# -eq 0 ] || { echo "test: takes no arguments" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One profile for everything: its build is optimised, and checks arithmetic.
export WEFT_PROFILE=dev
steps=()
started=$SECONDS
step() { # name command ...
    local name=$1 began=$SECONDS
    shift
    echo "== $name"
    if ! "$@"; then
        echo "test: $name FAILED after $((SECONDS - started)) s; passed before it: ${steps[*]:-none}" >&2
        exit 1
    fi
    steps+=("$name ($((SECONDS - began)) s)")
}

target=${CARGO_TARGET_DIR:-target}
cpp_bench() { # a core that gen has written, without Rust
    make -s -C testbenches/verilator CORE=../../verilog-out/weft_hct_t2w2 \
        VERILATOR="$PWD/.venv/bin/verilator-cli" >/dev/null
    for kernel in hello matmul atomics; do
        testbenches/verilator/build/weft_hct_t2w2/sim "target/kernels-small/$kernel.elf" || return 1
    done
    # It fails as it says: a program that ends with a code, a limit, bad input.
    local code=0 bench=testbenches/verilator/build/weft_hct_t2w2/sim
    $bench target/isa/fail-code.elf 2>/dev/null || code=$?
    [ $code = 1 ] || { echo "a program that fails ends with $code" >&2; return 1; }
    code=0; $bench target/kernels-small/matmul.elf --max-cycles 100 2>/dev/null || code=$?
    [ $code = 3 ] || { echo "a limit ends with $code" >&2; return 1; }
    code=0; $bench target/kernels-small/matmul.elf --load /dev/null@0xfffffffffffffff0 2>/dev/null || code=$?
    [ $code = 2 ] || { echo "bad input ends with $code" >&2; return 1; }
}

sweep() { # the jobs of a sweep; bad numbers of threads are refused in one line
    local code=0 snake=(.venv/bin/snakemake --snakefile scripts/sweep/Snakefile --directory . --cores 2
        --dry-run --quiet)
    WEFT_LAB="$target/debug/lab" "${snake[@]}" --config threads=8 >/dev/null || return 1
    local said
    said=$("${snake[@]}" --config threads=3 2>&1 >/dev/null) || code=$?
    [ $code = 2 ] && [[ $said == "sweep: --config threads: 3: use some of"* && $said != *$'\n'* ]] ||
        { echo "a bad number of threads ends with $code: $said" >&2; return 1; }
}

step "set-up" scripts/setup.sh
step "format" cargo fmt --all --check
step "lints" cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
step "build" cargo build --quiet --workspace --locked
step "kernels" scripts/kernels.sh
step "small kernels" scripts/kernels-small.sh
step "ISA tests" scripts/isa.sh
step "presets" scripts/presets.sh --check
step "Rust tests" cargo test --quiet --workspace --locked
step "programs on hardware" "$target/debug/lab" matrix --quick --fresh --rows target/quick-rtl.jsonl
step "programs on Verilog" "$target/debug/lab" matrix --engine twin --quick --fresh \
    --rows target/quick-twin.jsonl
step "random programs" "$target/debug/sim" torture --count 2000
step "random programs on hardware" "$target/debug/sim" torture --engine rtl --count 300
step "random programs on Verilog" "$target/debug/sim" torture --engine twin --cores 2 --count 40
step "C++ test bench" cpp_bench
step "sweep" sweep

echo
echo "test: all passed in $((SECONDS - started)) s"
printf '  %s\n' "${steps[@]}"
