#!/usr/bin/env bash
# Extracts promtool from Debian's package prometheus as build/promtool, for tests, without installing
# the server of the package. It needs apt-get and dpkg-deb. Its output is in build/promtool.log.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -x build/promtool ]] && exit 0
mkdir -p build
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
{
  (cd "$dir" && apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .)
  cp "$dir/usr/bin/promtool" build/promtool
} >build/promtool.log 2>&1
