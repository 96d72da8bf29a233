package mutants

import "slices"

// Lists of packages whose tests run against a mutant, in this order.
var (
	aggregateTests = []string{"test/faults", "internal/aggregate", "test/simulation"}
	deferredTests  = []string{"internal/aggregate", "test/simulation"}
	sessionTests   = []string{"internal/sessions", "internal/aggregate", "test/simulation"}
	rollupTests    = []string{"pkg/rollup", "test/faults", "internal/aggregate", "test/simulation"}
	dynamoTests    = []string{"internal/storetest", "pkg/dynamo"}
	functionTests  = []string{"functions/aggregate", "internal/envelope", "test/faults"}
	readerTests    = []string{"internal/query"}
	changeTests    = []string{"internal/config", "internal/tableconfig", "internal/repair/changeover"}
	allTests       = []string{"test/faults", "internal/aggregate", "internal/envelope", "functions/aggregate", "test/simulation"}
)

func packagesOf(mutants []mutant) (all []string) {
	for _, m := range mutants {
		all = append(all, m.Tests...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Files that mutants change, and import lines that they add.
const (
	aggregator    = "internal/aggregate/aggregator.go"
	recomputation = "internal/aggregate/recomputation.go"
	foldingRow    = "internal/item/row.go"
	writing       = "internal/aggregate/write.go"
	children      = "internal/aggregate/children.go"
	sealing       = "internal/aggregate/sealed.go"
	deferring     = "internal/aggregate/deferred.go"
	sweeping      = "internal/aggregate/sweep.go"
	settling      = "internal/aggregate/settled.go"
	cutting       = "internal/sessions/folder.go"
	ending        = "internal/sessions/session.go"
	sessioning    = "internal/aggregate/sessions.go"
	walking       = "internal/aggregate/walk.go"
	gathering     = "internal/aggregate/dirty.go"
	retrying      = "internal/retry/retry.go"
	folding       = "pkg/rollup/fold.go"
	merging       = "pkg/rollup/merge.go"
	decoding      = "internal/envelope/streamrecord.go"
	handling      = "functions/aggregate/handler.go"
	readingItems  = "internal/itemstore/read.go"
	readingRows   = "pkg/dynamo/rows.go"
	readingPages  = "internal/query/rollups.go"
	readingLive   = "internal/query/live.go"
	closing       = "pkg/tier/closing.go"
	queueing      = "internal/tablekeys/invalidation.go"
	comparing     = "internal/config/compareretention.go"
	changingOver  = "internal/tableconfig/changeover.go"
	counting      = "internal/entity/progress.go"
	erasing       = "pkg/lifecycle/erase.go"
	importItem    = `	"github.com/tidemark-db/tidemark/internal/item"` + "\n"
	importKeys    = `	"github.com/tidemark-db/tidemark/pkg/keys"` + "\n"
)
