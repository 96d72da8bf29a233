#!/usr/bin/env bash
# Extracts promtool and the server of Debian's package prometheus as build/promtool and build/promserver, for tests, without
# installing the package. It needs apt-get and dpkg-deb. Its output is in build/promtool.log.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
exec 9>build/promtool.lock
flock 9
[[ -x build/promserver && -x build/promtool ]] && exit 0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
{
  (cd "$dir" && apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .)
  mv "$dir/usr/bin/promtool" build/promtool
  mv "$dir/usr/bin/prometheus" build/promserver
} >build/promtool.log 2>&1 || { tail -3 build/promtool.log >&2; exit 1; }
