#!/usr/bin/env bash
# Builds the OpenTelemetry collector for tests, with the parts of scripts/otelcol.yaml, as build/otelcol. It needs
# Go and a module proxy, and does nothing if it is built. Its output is in build/otelcol.log.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v0.160.0 out=$PWD/build/otelcol
[[ -x "$out-$version" ]] && exit 0
mkdir -p build
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
{
  sed "s|^dist:|&\n  output_path: $sources|" scripts/otelcol.yaml >"$sources/builder.yaml"
  CGO_ENABLED=0 go run "go.opentelemetry.io/collector/cmd/builder@$version" \
    --config "$sources/builder.yaml" --ldflags "-s -w"
} >"$out.log" 2>&1
mv "$sources/otelcol" "$out-$version"
ln -sf "otelcol-$version" "$out"
