package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// maxSeries is how many series one result may be merged from. Each needs one request for each page.
const maxSeries = 512

// ErrTooWide is the error of a request that merges too many series.
var ErrTooWide = errors.New("the request merges too many series: name fewer subjects, streams or kinds")

// KindEvents is the number of readable events of a kind in a rollup.
type KindEvents struct {
	Kind   string
	Events int64
}

// A request merges every series of its kinds, subjects and streams, each once even if the
// request names it twice.

func (q Rollups) kinds() []*catalog.Kind { return unique(append([]*catalog.Kind{q.Kind}, q.With...)) }

// findKind returns the kind of that name; q has it.
func (q Rollups) findKind(name string) *catalog.Kind {
	kinds := q.kinds()
	return kinds[slices.IndexFunc(kinds, func(k *catalog.Kind) bool { return k.Name == name })]
}

func (q Rollups) subjects() []string { return unique(append([]string{q.Subject}, q.Subjects...)) }
func (q Rollups) streams() []string  { return unique(append([]string{q.Stream}, q.Streams...)) }

// unique returns all without repeats, in order.
func unique[T comparable](all []T) []T {
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

// series returns the series whose rows are merged.
func (q Rollups) series() (all []model.Series) {
	for _, k := range q.kinds() {
		for _, subject := range q.subjects() {
			for _, stream := range q.streams() {
				all = append(all, Series{Kind: k, Subject: subject, Stream: stream}.unsharded())
			}
		}
	}
	return all
}

// cursorClass distinguishes cursors by tier and by the series that are merged.
func (q Rollups) cursorClass() string {
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

// commonSeries returns what all merged series have in common.
func (q Rollups) commonSeries() model.Series {
	s := q.unsharded()
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

// check validates the request, except for its tier.
func (q Rollups) check() error {
	if err := q.checkPage(q.From, q.To, q.Limit); err != nil {
		return err
	}
	if !q.withinLimits() {
		return fmt.Errorf("%w: at most %d", ErrTooWide, maxSeries)
	}
	for _, k := range q.kinds() {
		if k.Subject != q.Kind.Subject {
			return fmt.Errorf("%s with %s: %w: they are events of different subject types", q.Kind.Name, k.Name,
				ErrSeries)
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

// withinLimits reports whether the request merges few enough series. It checks the length
// of the lists first, so that a list of a million names is never compared for repeats.
func (q Rollups) withinLimits() bool {
	return len(q.With) < maxSeries && len(q.Subjects) < maxSeries && len(q.Streams) < maxSeries &&
		len(q.kinds())*len(q.subjects())*len(q.streams()) <= maxSeries
}

// checkTier returns ErrNoTier if one of the kinds does not have the tier.
func (q Rollups) checkTier() error {
	for _, k := range q.kinds() {
		if _, _, ok := k.Retention.Find(q.Unit); !ok {
			return fmt.Errorf("%s of kind %s: %w", q.Unit, k.Name, ErrNoTier)
		}
	}
	return nil
}

// commonPolicy returns the tiers that all kinds have. Each tier has the shortest
// retention of its rows in any kind, and the latest start.
func (q Rollups) commonPolicy() tier.Policy {
	common := tier.Policy{Raw: q.Kind.Retention.Raw}
	for _, t := range q.Kind.Retention.Tiers {
		t = tier.Tier{Unit: t.Unit, Retention: t.LeastRetention(), From: t.From}
		inAll := true
		for _, k := range q.kinds() {
			o, _, ok := k.Retention.Find(t.Unit)
			inAll = inAll && ok
			t.Retention = min(t.Retention, o.LeastRetention())
			t.From = max(t.From, o.From)
		}
		if inAll {
			common.Tiers = append(common.Tiers, t)
		}
	}
	for _, k := range q.kinds() {
		common.Raw = min(common.Raw, k.Retention.Raw)
	}
	return common
}

// eventsByKind counts the events of each kind; nil unless the request names several.
func (q Rollups) eventsByKind(group []rollup.Row) []KindEvents {
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

// partial returns the fields that are partial in one of the rows of a bucket.
func (q Rollups) partial(group []rollup.Row) (all rollup.AddedFields) {
	for _, k := range q.kinds() {
		for i := range group {
			if group[i].Key.Series.Kind == k.Name {
				all = all.Merge(k.Spec().Partial(&group[i].Fold))
			}
		}
	}
	return all
}

// mergeRows merges the rows of one bucket. The fold of a single kind keeps the kind's
// limits. A fold of several kinds has none, so that no kind cuts another's values.
func (q Rollups) mergeRows(group []rollup.Row) *rollup.Fold {
	if len(group) == 1 {
		only := &group[0]
		only.Exact = only.Exact && !only.Summary.LacksDeclared(q.findKind(only.Key.Series.Kind).Spec())
		return &only.Fold
	}
	merged := rollup.NewFold(q.Kind.Spec())
	if len(q.kinds()) > 1 {
		merged = rollup.NewFold(q.specForReading())
	}
	for i := range group {
		merged.AddRow(&group[i])
	}
	return merged
}

// specForReading returns a spec with the declared measures of all kinds and no limits.
func (q Rollups) specForReading() *rollup.Spec {
	return rollup.ForReading(lists.Map(q.kinds(), (*catalog.Kind).Spec)...)
}

// hasDimension reports whether one of the kinds has the dimension, or counts properties.
func (q Rollups) hasDimension(name string) bool {
	declared := func(d rollup.DimensionSpec) bool {
		return d.Name == name || isProperty(name) && slices.Contains(q.properties(), d.Name)
	}
	return slices.ContainsFunc(q.kinds(), func(k *catalog.Kind) bool {
		return slices.ContainsFunc(k.Dimensions, declared)
	})
}

// dimensionNames returns the names of the dimensions that the kinds declare, without places of properties.
func (q Rollups) dimensionNames() (all []string) {
	for _, k := range q.kinds() {
		all = append(all, lists.Map(k.Dimensions, func(d rollup.DimensionSpec) string { return d.Name })...)
	}
	return lists.Filter(all, func(name string) bool { return !slices.Contains(q.properties(), name) })
}
