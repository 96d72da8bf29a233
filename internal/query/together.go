package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// maxParts is how many stored series one answer may be put together from: each is a
// request a page.
const maxParts = 512

// ErrTooWide says that too many series are asked for at once.
var ErrTooWide = errors.New("too many series are read together: name fewer subjects, streams or kinds")

// KindEvents is how many readable events of a kind are in a rollup.
type KindEvents struct {
	Kind   string
	Events int64
}

// What is read together is every series of these kinds, subjects and streams, each
// once, however often it is named.

func (q Rollups) kinds() []*catalog.Kind {
	return once(append([]*catalog.Kind{q.Kind}, q.With...))
}

func (q Rollups) subjects() []string { return once(append([]string{q.Subject}, q.Subjects...)) }
func (q Rollups) streams() []string  { return once(append([]string{q.Stream}, q.Streams...)) }

// once is all without repeats, in order.
func once[T comparable](all []T) []T {
	if len(all) == 1 {
		return all
	}
	var found []T
	for _, x := range all {
		if !slices.Contains(found, x) {
			found = append(found, x)
		}
	}
	return found
}

// parts are the stored series that are read together: the shards of each.
func (q Rollups) parts() (all []model.Series) {
	for _, k := range q.kinds() {
		for _, subject := range q.subjects() {
			for _, stream := range q.streams() {
				all = append(all, Series{Kind: k, Subject: subject, Stream: stream}.shards()...)
			}
		}
	}
	return all
}

// class tells cursors of what is read together from those of anything else.
func (q Rollups) class() string {
	class := q.Unit.String()
	for _, k := range q.kinds()[1:] {
		class += "+" + k.Name
	}
	for _, subject := range q.subjects()[1:] {
		class += " subject " + strconv.Quote(subject)
	}
	for _, stream := range q.streams()[1:] {
		class += " stream " + strconv.Quote(stream)
	}
	return class
}

// series is what an answer says it is of: what all parts have in common.
func (q Rollups) series() model.Series {
	s := q.whole()
	if len(q.With) > 0 && len(q.kinds()) > 1 {
		s.Kind = ""
	}
	if len(q.Subjects) > 0 && len(q.subjects()) > 1 {
		s.Subject.ID = ""
	}
	if len(q.Streams) > 0 && len(q.streams()) > 1 {
		s.Stream = ""
	}
	return s
}

// check refuses what cannot be read together, whatever the tier.
func (q Rollups) check() error {
	if err := q.checkPage(q.From, q.To, q.Limit); err != nil {
		return err
	}
	if !q.narrow() {
		return fmt.Errorf("%w: at most %d, shards included", ErrTooWide, maxParts)
	}
	for _, k := range q.kinds() {
		if k.Subject != q.Kind.Subject {
			return fmt.Errorf("%s with %s: %w: they are events of different subject types", q.Kind.Name, k.Name, ErrSeries)
		}
	}
	for _, subject := range q.subjects() {
		for _, stream := range q.streams() {
			if err := (Series{Kind: q.Kind, Subject: subject, Stream: stream}).check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrow reports whether one answer may be put together from so many series. The lists
// as they came are looked at first: nobody takes the repeats out of a million names.
func (q Rollups) narrow() bool {
	return len(q.With) < maxParts && len(q.Subjects) < maxParts && len(q.Streams) < maxParts &&
		len(q.kinds())*len(q.subjects())*len(q.streams()) <= maxParts && len(q.parts()) <= maxParts
}

// checkTier refuses a tier that one of the kinds lacks.
func (q Rollups) checkTier() error {
	for _, k := range q.kinds() {
		if _, _, ok := k.Ladder.Find(q.Unit); !ok {
			return fmt.Errorf("%s of kind %s: %w", q.Unit, k.Name, ErrNoTier)
		}
	}
	return nil
}

// ladder is what all kinds have in common: the tiers that each of them has, kept for
// as long as the first of their rows may last, from when the last of them begins.
func (q Rollups) ladder() tier.Ladder {
	common := tier.Ladder{Raw: q.Kind.Ladder.Raw}
	for _, t := range q.Kind.Ladder.Tiers {
		t = tier.Tier{Unit: t.Unit, Retention: t.LeastRetention(), From: t.From}
		inAll := true
		for _, k := range q.kinds() {
			o, _, ok := k.Ladder.Find(t.Unit)
			inAll = inAll && ok
			t.Retention = sooner(t.Retention, o.LeastRetention())
			t.From = max(t.From, o.From)
		}
		if inAll {
			common.Tiers = append(common.Tiers, t)
		}
	}
	for _, k := range q.kinds() {
		common.Raw = sooner(common.Raw, k.Ladder.Raw)
	}
	return common
}

// eventsOf counts by kind, where several are read together.
func (q Rollups) eventsOf(group []rollup.Row) []KindEvents {
	if len(q.With) == 0 {
		return nil
	}
	kinds := q.kinds()
	all := make([]KindEvents, 0, len(kinds))
	for _, k := range kinds {
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
	if len(group) == 1 {
		return &group[0].Fold
	}
	whole := rollup.NewFold(q.Kind.Spec())
	if len(q.kinds()) > 1 {
		whole = rollup.NewFold(nil)
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
