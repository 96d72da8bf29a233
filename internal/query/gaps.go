package query

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// withGaps is the rollups of a segment, oldest first, with an empty one in each bucket
// that has begun and has none. Before wholeFrom none is added: there a rollup that is not
// found may have expired, or never been kept, and says nothing of events.
func (q Chart) withGaps(found []Rollup, of Segment, wholeFrom, now model.Time) []Rollup {
	var all []Rollup
	for start := of.From; start < of.To && start <= now; start = of.Unit.BucketOf(start).End {
		if len(found) > 0 && found[0].Bucket.Start == start {
			all, found = append(all, found[0]), found[1:]
			continue
		}
		if start < wholeFrom {
			continue
		}
		bucket := of.Unit.BucketOf(start)
		all = append(all, Rollup{
			Series: q.series(), Bucket: bucket, Open: now < bucket.End, Gap: true, Fold: *rollup.NewFold(nil),
		})
	}
	return append(all, found...) // what came ahead of its time
}
