package mutants

import "slices"

// Lists of packages whose tests run against a mutant, in this order.
var (
	aggregateTests = []string{"test/faults", "internal/engine/aggregate", "lab/simulation"}
	deferredTests  = []string{"internal/engine/aggregate", "lab/simulation"}
	ensureTests    = []string{"internal/engine/queue", "internal/engine/aggregate", "lab/simulation"}
	sessionTests   = []string{"internal/engine/sessions", "internal/engine/aggregate", "lab/simulation"}
	rollupTests    = []string{"pkg/rollup", "test/faults", "internal/engine/aggregate", "lab/simulation"}
	stepTests      = []string{"pkg/rollup", "internal/engine/query"}
	dynamoTests    = []string{"internal/engine/storetest", "pkg/dynamo"}
	functionTests  = []string{"functions/aggregate", "internal/store/tablestream", "test/faults"}
	readerTests    = []string{"internal/engine/query"}
	changeTests    = []string{"internal/base/config", "internal/engine/tableconfig",
		"internal/ops/repair/changeover"}
	allTests = []string{"test/faults", "internal/engine/aggregate", "internal/store/tablestream",
		"functions/aggregate", "lab/simulation"}
)

func mutantPackages(mutants []mutant) (all []string) {
	for _, m := range mutants {
		all = append(all, m.Tests...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Files that mutants change, and import lines that they add.
const (
	aggregator      = "internal/engine/aggregate/aggregator.go"
	recomputation   = "internal/engine/aggregate/recomputation.go"
	foldingRow      = "internal/store/item/row.go"
	writing         = "internal/engine/aggregate/write.go"
	children        = "internal/engine/aggregate/children.go"
	sealing         = "internal/engine/aggregate/sealed.go"
	deferring       = "internal/engine/aggregate/deferred.go"
	ensuring        = "internal/engine/queue/ensure.go"
	remembering     = "internal/engine/queue/queue.go"
	sweeping        = "internal/engine/aggregate/sweep.go"
	settling        = "internal/engine/aggregate/settled.go"
	cutting         = "internal/engine/sessions/folder.go"
	ending          = "internal/engine/sessions/session.go"
	sessioning      = "internal/engine/aggregate/sessions.go"
	walking         = "internal/engine/aggregate/walk.go"
	gathering       = "internal/engine/aggregate/dirty.go"
	retrying        = "internal/store/retry/retry.go"
	folding         = "pkg/rollup/fold.go"
	latestFields    = "internal/engine/latest/fields.go"
	merging         = "pkg/rollup/merge.go"
	ranking         = "pkg/rollup/memberlist.go"
	leavingGroups   = "pkg/lifecycle/erasegroups.go"
	erasingEvents   = "pkg/lifecycle/eraseevents.go"
	erasingQueued   = "pkg/lifecycle/erasequeue.go"
	stepping        = "pkg/rollup/steps.go"
	steppingBack    = "internal/engine/query/readingsbefore.go"
	decoding        = "internal/store/tablestream/record.go"
	handling        = "functions/aggregate/handler.go"
	readingItems    = "internal/store/itemstore/read.go"
	readingRows     = "pkg/dynamo/batch.go"
	readingPages    = "internal/engine/query/rollups.go"
	readingLive     = "internal/engine/query/live.go"
	readingProgress = "internal/engine/query/progress.go"
	closing         = "pkg/tier/closing.go"
	queueing        = "internal/store/tablekeys/invalidation.go"
	generations     = "internal/store/storage/queue.go"
	retiring        = "internal/engine/tableconfig/queue.go"
	comparing       = "internal/base/config/compareretention.go"
	changingOver    = "internal/engine/tableconfig/changeover.go"
	counting        = "internal/store/storage/progress.go"
	erasing         = "pkg/lifecycle/erase.go"
	importItem      = `	"github.com/tidemark-db/tidemark/internal/store/item"` + "\n"
	importKeys      = `	"github.com/tidemark-db/tidemark/pkg/keys"` + "\n"
)
