#!/usr/bin/env bash
# Installs the Python tools that tests use into build/venv: the versions and digests of
# scripts/requirements.txt, which pip-compile makes of requirements.in. It needs Python 3 and
# PyPI, and does nothing if they are installed. Its output is in build/venv.log.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/venv locked=scripts/requirements.txt
cmp -s "$locked" "$venv/installed" && exit 0
mkdir -p build
{
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement "$locked"
} >"$venv.log" 2>&1
cp "$locked" "$venv/installed"
