#!/usr/bin/env bash
# Builds Telegraf for tests, with the inputs and the output that they need, as build/telegraf: the version below, as
# the checksums of its own go.sum name its modules. It needs Go and a module proxy, and does nothing
# if it is built. Its output is in build/telegraf.log.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v1.32.0 out=$PWD/build/telegraf
[[ -x "$out-$version" ]] && exit 0
mkdir -p build
{
  source=$(go mod download -json "github.com/influxdata/telegraf@$version" | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
  CGO_ENABLED=0 go build -C "$source" -ldflags "-s -w" \
    -tags custom,inputs.cpu,inputs.file,inputs.mem,outputs.influxdb_v2,parsers.influx -o "$out-$version" ./cmd/telegraf
} >"$out.log" 2>&1
ln -sf "telegraf-$version" "$out"
