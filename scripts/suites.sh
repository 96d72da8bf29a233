#!/usr/bin/env bash
# Runs the Go suites and prints what go test -json prints: "check" for make check, "short" for make test,
# "long" for make test-long. The second argument is -race, or empty without a C compiler.
# build/suites.txt has how long each suite took.
set -uo pipefail
race=${2:-}
failed=0
mkdir -p build && : >build/suites.txt
# A long run of the simulation takes more than the usual ten minutes on a busy machine.
suite() {
  local began=$SECONDS name=$suite
  go test -json -timeout 20m "$@" || failed=1
  printf 'took    %4d s  %s\n' $((SECONDS - began)) "$name" >>build/suites.txt
}
# Without cgo, as all programs are built: packages are compiled once for both.
plain() { CGO_ENABLED=0 suite "$@"; }
# memory prints the packages whose tests start neither DynamoDB Local nor the stack.
memory() {
  go list -test -f '{{.ImportPath}} {{join .Deps ","}}' "$@" |
    awk '$1 ~ /\.test$/ && $2 !~ /internal\/local\/ddb/ {sub(/\.test$/, "", $1); print $1}'
}
packages() { go list ./... | grep "$@"; }

# Only the packages in these folders share memory between goroutines. The suites in test and
# cmd run programs, or simulations on one goroutine.
shared='/(functions|internal|pkg)/'

# Thousands of histories, queries and programs take too long under the race detector; fewer run under it.
histories='/(internal/engine/aggregate|internal/engine/alert|internal/api/promapi|pkg/lifecycle|pkg/timeseries)$'

# What computes on one goroutine gains nothing by it, and the engine's comparison with its referee little.
alone='/(internal/ops/cost|internal/ops/limits|internal/base/times|internal/local/engine/protocol)$'

# Seconds and megabytes of the worst requests are bounded without the detector, as programs are deployed.
measured='^TestDoors'

# Words of the output are package paths, hence no quotes.
if [[ "$1" == check ]]; then
  suite='unit and memory suites' plain -short $(memory ./functions/... ./internal/... ./pkg/... | grep -vE "$histories") \
    ./test/docs ./test/faults ./test/layers ./test/publicapi ./test/style
elif [[ "$1" == long ]]; then
  export TIDEMARK_LONG=1
  suite=shared suite $race -skip "$measured" $(packages -E "$shared" | grep -vE "$histories|$alone")
  suite='doors' plain -run "$measured" ./functions/ingest ./functions/query
  suite='programs and histories' plain $(packages -vE "$shared") $(packages -E "$histories|$alone")
  suite='fewer histories, race detector' TIDEMARK_LONG='' suite $race ./internal/engine/aggregate ./internal/engine/alert ./internal/api/promapi ./pkg/timeseries
else
  suite=shared suite $race -skip "$measured" $(packages -E "$shared" | grep -vE "$alone|/pkg/lifecycle$")
  suite='doors' plain -run "$measured" ./functions/ingest ./functions/query
  suite=programs plain $(packages -vE "$shared") $(packages -E "$alone|/pkg/lifecycle$")
fi
exit "$failed"
