package query

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// KindEvents is how many readable events of a kind are in a rollup.
type KindEvents struct {
	Kind   string
	Events int64
}

// kinds are all that are read together.
func (q Rollups) kinds() []*catalog.Kind { return append([]*catalog.Kind{q.Kind}, q.With...) }

// parts are the stored series that are read together: the shards of each kind.
func (q Rollups) parts() (all []model.Series) {
	for _, k := range q.kinds() {
		all = append(all, Series{Kind: k, Subject: q.Subject, Stream: q.Stream}.shards()...)
	}
	return all
}

// class tells cursors of what is read together from those of anything else.
func (q Rollups) class() string {
	class := q.Unit.String()
	for _, k := range q.With {
		class += "+" + k.Name
	}
	return class
}

// series is what an answer says it is of.
func (q Rollups) series() model.Series {
	s := q.whole()
	if len(q.With) > 0 {
		s.Kind = ""
	}
	return s
}

func (q Rollups) check() error {
	if err := q.checkPage(q.From, q.To, q.Limit); err != nil {
		return err
	}
	for _, k := range q.kinds() {
		if k.Subject != q.Kind.Subject {
			return fmt.Errorf("%s with %s: %w: they are events of different subject types", q.Kind.Name, k.Name, ErrSeries)
		}
		if _, _, ok := k.Ladder.Find(q.Unit); !ok {
			return fmt.Errorf("%s of kind %s: %w", q.Unit, k.Name, ErrNoTier)
		}
	}
	return nil
}

// least is the tier of the kind whose rows may be the first of a bucket to expire.
func (q Rollups) least() tier.Tier {
	var least tier.Tier
	for _, k := range q.kinds() {
		t, _, _ := k.Ladder.Find(q.Unit)
		if least.Unit == 0 || t.LeastRetention() != tier.Forever &&
			(least.LeastRetention() == tier.Forever || t.LeastRetention() < least.LeastRetention()) {
			least = t
		}
	}
	return least
}

// Shows reports whether readers see a row: it is neither empty nor expired. The rows
// of one bucket of a spread series expire one by one; the bucket is hidden from when
// the first of them may, since what is left would not be the whole. ladder is the
// kind's.
func Shows(ladder tier.Ladder, r *rollup.Row, now model.Time) bool {
	unit, err := tier.ParseUnit(r.Key.Tier)
	t, _, known := ladder.Find(unit)
	return shows(r, t, r.Key.Series.Shard > 0 && known && err == nil, now)
}

// shows is Shows of a row that is, or is not, one of several in its bucket, the first
// of which to expire are t's.
func shows(r *rollup.Row, t tier.Tier, oneOfSeveral bool, now model.Time) bool {
	if r.Empty || expired(r.ExpiresAt, now) {
		return false
	}
	if !oneOfSeveral || t.LeastRetention() == tier.Forever {
		return true
	}
	first := t.Unit.BucketOf(r.Key.Start).End.Add(t.LeastRetention()).Seconds()
	return !expired(first, now)
}

// eventsOf counts by kind, where several are read together.
func (q Rollups) eventsOf(group []rollup.Row) []KindEvents {
	if len(q.With) == 0 {
		return nil
	}
	all := make([]KindEvents, 0, 1+len(q.With))
	for _, k := range q.kinds() {
		n := KindEvents{Kind: k.Name}
		for _, row := range group {
			if row.Key.Series.Kind == k.Name {
				n.Events += row.Summary.Events()
			}
		}
		all = append(all, n)
	}
	return all
}

// merge is the fold of a bucket's rows. What one kind says keeps that kind's limits;
// what several say together has none, so that none cuts another's values short.
func (q Rollups) merge(group []rollup.Row) *rollup.Fold {
	whole := rollup.NewFold(q.Kind.Spec())
	if len(q.With) > 0 {
		whole = rollup.NewFold(nil)
	}
	if len(group) == 1 {
		return &group[0].Fold
	}
	for i := range group {
		whole.AddRow(&group[i])
	}
	return whole
}

// counts reports whether one of the kinds counts the field by value.
func (q Rollups) counts(dimension string) bool {
	return slices.ContainsFunc(q.kinds(), func(k *catalog.Kind) bool {
		return slices.ContainsFunc(k.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == dimension })
	})
}
