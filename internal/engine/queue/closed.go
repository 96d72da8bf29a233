package queue

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ClosedThrough returns the end of the last bucket of the finest tier of groups that has closed, by their low
// watermark: no row of an earlier bucket is still to come, but for late events. It is MinTime before the
// first sweep.
func ClosedThrough(p tier.Policy, lowWatermark model.Time) model.Time {
	if lowWatermark <= model.MinTime {
		return model.MinTime
	}
	finest := p.Finest()
	return finest.Unit.BucketAt(lowWatermark.Add(-finest.Grace)).Start
}
