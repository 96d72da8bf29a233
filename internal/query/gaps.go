package query

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// addGaps returns the rollups of a segment, oldest first, with an empty rollup for each
// bucket that has begun and has none. It adds none before completeFrom: a rollup missing
// there may have expired, or may never have been stored.
func (q Chart) addGaps(found []Rollup, segment Segment, completeFrom, now model.Time) []Rollup {
	var all []Rollup
	for start := segment.From; start < segment.To && start <= now; start = segment.Unit.BucketOf(start).End {
		if len(found) > 0 && found[0].Bucket.Start == start {
			all, found = append(all, found[0]), found[1:]
			continue
		}
		if start < completeFrom {
			continue
		}
		bucket := segment.Unit.BucketOf(start)
		all = append(all, Rollup{
			Series: q.commonSeries(), Bucket: bucket, Open: now < bucket.End, Gap: true, Fold: *rollup.NewFold(nil),
		})
	}
	return append(all, found...) // rollups of buckets that have not begun
}
