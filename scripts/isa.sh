#!/usr/bin/env bash
# Builds testbenches/isa/*.S to target/isa/<name>.elf, only what changed, and
# lists the tests with their classes in target/isa/index.json.
#
#   scripts/isa.sh               build all
#   scripts/isa.sh --reference   build for a simulator without Weft's device
#                                window (one hart) into target/isa-reference
set -euo pipefail
cd "$(dirname "$0")/.."

out=target/isa
flags=()
case "$#${1+ $1}" in
    0) ;;
    "1 --reference") out=target/isa-reference; flags=(-DWEFT_REFERENCE) ;;
    *) echo "usage: $0 [--reference]" >&2; exit 2 ;;
esac

python=.venv/bin/python
if [ ! -x "$python" ]; then
    echo "$0: no .venv; run scripts/setup.sh first" >&2
    exit 2
fi

source_dir=testbenches/isa
common=("$source_dir/weft_test.h" "$source_dir/isa.ld" scripts/isa.sh)
mkdir -p "$out"
ZIG_GLOBAL_CACHE_DIR=$PWD/target/zig-cache
ZIG_LOCAL_CACHE_DIR=$ZIG_GLOBAL_CACHE_DIR
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR

# Out-of-date tests, and images whose source is gone.
stale=()
for source in "$source_dir"/*.S; do
    elf=$out/$(basename "$source" .S).elf
    for input in "$source" "${common[@]}"; do
        if [ ! "$elf" -nt "$input" ]; then
            stale+=("$source")
            break
        fi
    done
done
for elf in "$out"/*.elf; do
    [ -e "$source_dir/$(basename "$elf" .elf).S" ] || rm -f "$elf"
done

# Without the folder in the debug information: every clone builds the same files.
build() {
    local elf
    elf=$out/$(basename "$1" .S).elf
    "$python" -m ziglang cc -target riscv32-freestanding-none -fdebug-compilation-dir=. \
        -mcpu=generic_rv32+m+a+zicsr+zifencei -nostdlib -ffreestanding \
        "${flags[@]}" \
        -T "$source_dir/isa.ld" "$1" -o "$elf.tmp" && mv "$elf.tmp" "$elf"
}
export -f build
export python out source_dir
if [ ${#stale[@]} -gt 0 ]; then
    # Arrays cannot be exported: the flags travel as words.
    printf '%s\0' "${stale[@]}" |
        FLAGS="${flags[*]}" xargs -0 -P2 -I{} bash -c \
            'read -ra flags <<<"$FLAGS"; build "$1"' _ {} ||
        { echo "isa: build failed" >&2; exit 1; }
fi

# The `# weft:` lines of every test, as a list of objects.
index() {
    local source name first=1
    printf '['
    for source in "$source_dir"/*.S; do
        name=$(basename "$source" .S)
        awk -v name="$name" -v path="$out/$name.elf" -v first="$first" '
            BEGIN { n = split("isa harts order progress expect", keys) }
            $1 == "#" && $2 == "weft:" {
                for (i = 3; i <= NF; i++) {
                    split($i, kv, "=")
                    value[kv[1]] = kv[2]
                }
            }
            END {
                printf "%s\n  {\"name\": \"%s\"", first ? "" : ",", name
                for (i = 1; i <= n; i++) {
                    if (!(keys[i] in value)) {
                        printf "%s: no %s= in a # weft: line\n", FILENAME, keys[i] > "/dev/stderr"
                        exit 1
                    }
                    printf ", \"%s\": \"%s\"", keys[i], value[keys[i]]
                }
                printf ", \"path\": \"%s\"}", path
            }' "$source"
        first=0
    done
    printf '\n]\n'
}
index >"$out/index.json.tmp"
mv "$out/index.json.tmp" "$out/index.json"
tests=("$source_dir"/*.S)
echo "isa: ${#tests[@]} tests in $out, ${#stale[@]} built"
