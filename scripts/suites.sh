#!/usr/bin/env bash
# Runs the Go suites and prints what go test -json prints: "check" for make check, "short" for make test,
# "long" for make test-long. The second argument is -race, or empty without a C compiler.
# build/suites.txt has how long each suite took.
set -uo pipefail
race=${2:-}
failed=0
# Histories in memory spend a third of their time on collecting garbage: let heaps grow, within a limit.
export GOGC=400 GOMEMLIMIT=3GiB
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

# Thousands of histories, queries and programs take too long under the race detector; the longer suite has fewer under it.
histories='/(internal/engine/aggregate|internal/engine/alert|internal/api/promapi|pkg/lifecycle|pkg/timeseries)$'

# What computes on one goroutine gains nothing by the detector, and the engine's comparison with its referee little.
alone='/(internal/ops/limits|internal/base/times|internal/local/engine/protocol)$'

# The stack and the contract of stores spend their time in other processes, and the others here take five to
# ten times as long under the detector: in the longer suite alone.
nightly='/(functions/(aggregate|ingest)|internal/(api/httpapi|engine/(storetest|tableconfig)|local/stack|ops/(cost|repair/reshape)))$'

# Seconds and megabytes of the worst requests are bounded without the detector, as programs are deployed.
measured='^TestDoors'

# shared prints the packages that lock, or wait for goroutines, themselves: those of functions, internal
# and pkg. The suites in test and cmd run programs, or simulations on one goroutine.
shared() {
  go list -f '{{.ImportPath}} ,{{join .Imports ","}},{{join .TestImports ","}},{{join .XTestImports ","}},' \
    ./functions/... ./internal/... ./pkg/... | awk '$2 ~ /,(sync|sync\/atomic|golang\.org\/x\/sync\/[a-z]+),/ {print $1}' |
    grep -vE "$1"
}
# others prints the packages that shared does not.
others() { go list ./... | grep -vxF "$(shared "$1")"; }

# Words of the output are package paths, hence no quotes.
if [[ "$1" == check ]]; then
  suite='unit and memory suites' plain -short $(memory ./functions/... ./internal/... ./pkg/... | grep -vE "$histories") \
    ./test/docs ./test/faults ./test/layers ./test/publicapi ./test/style
  exit "$failed"
fi
without="$histories|$alone|$nightly"
if [[ "$1" == long ]]; then
  export TIDEMARK_LONG=1
  without="$histories|$alone"
fi
suite='shared memory, race detector' suite $race -skip "$measured" $(shared "$without")
suite='doors' GOGC=100 GOMEMLIMIT=off plain -run "$measured" ./functions/ingest ./functions/query
suite='programs and histories' plain -skip "$measured" $(others "$without")
if [[ "$1" == long ]]; then
  suite='fewer histories, race detector' TIDEMARK_LONG='' suite $race $(go list ./... | grep -E "$histories")
fi
exit "$failed"
