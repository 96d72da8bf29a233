#!/usr/bin/env bash
# Runs the Go suites and prints what go test -json prints: "short" for make test, "long"
# for make test-long. The second argument is -race, or empty without a C compiler.
set -uo pipefail
race=${2:-}
failed=0
suite() { go test -json "$@" || failed=1; }
# Without cgo, as all programs are built: packages are compiled once for both.
plain() { CGO_ENABLED=0 suite "$@"; }
packages() { go list ./... | grep "$@"; }

# Only the packages in these folders share memory between goroutines. The suites in test and
# cmd run programs, or simulations on one goroutine.
shared='/(functions|internal|pkg)/'

# Thousands of histories, queries and programs take too long under the race detector; fewer run under it.
histories='/(internal/aggregate|internal/alert|internal/promapi|pkg/lifecycle|pkg/timeseries)$'

# What computes on one goroutine gains nothing by it.
alone='/(internal/cost|internal/localday)$'

# Tests of the simulator itself and of counted units run one history on one goroutine, as those without
# the detector do.
deterministic='^(TestCost_|TestSimulation_(Detects|FewRows|ASeed))'

# Words of the output are package paths, hence no quotes.
if [[ "$1" == long ]]; then
  export TIDEMARK_LONG=1
  suite $race $(packages -E "$shared" | grep -vE "$histories|$alone")
  plain $(packages -vE "$shared") $(packages -E "$histories|$alone")
  TIDEMARK_LONG='' suite $race -skip "$deterministic" ./test/simulation ./internal/aggregate ./internal/alert ./internal/promapi ./pkg/timeseries
else
  suite $race $(packages -E "$shared" | grep -vE "$alone|/pkg/lifecycle$")
  plain $(packages -vE "$shared") $(packages -E "$alone|/pkg/lifecycle$")
fi
exit "$failed"
