package queue

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RowKey returns the key of the row of a bucket. A series that is spread over shards has one row.
func RowKey(s model.Series, b tier.Bucket) rollup.Key {
	return rollup.Key{Series: s.WithoutShard(), Tier: b.Unit.String(), Start: b.Start}
}

// ClosesAt returns the time until which a bucket of the tier at a level can be left to a sweep: its closing
// time; MinTime in a tier that is immediate, or not deferred yet.
func ClosesAt(p tier.Policy, level int, b tier.Bucket, s model.Series, now model.Time) model.Time {
	if now < p.Tiers[level].DeferredFrom {
		return model.MinTime
	}
	return p.ClosesAt(level, b, s)
}

// LateFrom returns the time from which on an event that arrives is late for a bucket: its closing time, and
// not less than a minute after its end, by which the clock of a sender may be ahead of ours.
func LateFrom(p tier.Policy, level int, b tier.Bucket, s model.Series) model.Time {
	return max(b.End.Add(ClockMargin/2), p.ClosesAt(level, b, s))
}

// finest returns the finest bucket of a series with a row around the time of an event, with the groups of
// the event; false if no tier has such a bucket, or if the bucket is never left to a sweep.
func finest(kind *catalog.Kind, s model.Series, e *Event, now model.Time) (d Deferral, deferred bool) {
	p := kind.Retention
	for level, t := range p.Tiers {
		b := t.Unit.BucketAt(e.At)
		if !t.HasRow(b) {
			continue
		}
		d.Key, d.From = RowKey(s, b), t.DeferredFrom
		d.Due = ClosesAt(p, level, b, d.Key.Series, now)
		if kinds := GroupKinds(kind, level, b); len(kinds) > 0 {
			d.Groups = storage.JoinGroups(GroupNames(kinds, e.Before, e.After))
		}
		return d, d.Due != model.MinTime
	}
	return d, false
}
