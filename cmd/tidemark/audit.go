package main

import (
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// audit holds the digest of every row of one partition against the sum of those of
// its children: a fraction of the work of folding them. It sees that an event is
// missing, is not there any more, or was changed; not that a row with the right digest
// has wrong numbers, for which there is the recount.
type audit struct {
	kinds *catalog.Catalog
	now   model.Time
	// again picks events whose bucket counts as suspect whatever the digests say; nil
	// picks none.
	again func(*model.Event) bool

	series map[model.Series]*books
}

// books are the sums of one series, by rung and bucket start.
type books struct {
	kind *catalog.Kind
	sums []map[model.Time]*sum
}

// sum is what is known of one bucket.
type sum struct {
	children int
	digest   rollup.Digest // of the children
	again    bool
	row      *rollup.Row // without an empty one
}

// suspect is a bucket to look at again.
type suspect struct {
	key rollup.Key
	why string
}

func newAudit(kinds *catalog.Catalog, now model.Time, again func(*model.Event) bool) *audit {
	return &audit{kinds: kinds, now: now, again: again, series: map[model.Series]*books{}}
}

// take counts an item in; what is neither an event nor a row is no matter of its.
func (a *audit) take(it item.Item) {
	if e, err := item.Event(it); err == nil {
		if b := a.of(e.Series); b != nil {
			again := a.again != nil && a.again(&e)
			b.add(fromEvents, e.At, func(s *sum) {
				s.children++
				s.digest.Add(rollup.DigestOf(&e))
				s.again = s.again || again
			})
		}
		return
	}
	key, err := keys.ParseRow(it.Key())
	if err != nil {
		return
	}
	if b := a.of(key.Series); b != nil {
		row, _ := item.Row(it) // one that is damaged comes bare
		b.addRow(&row)
	}
}

func (a *audit) of(s model.Series) *books {
	b, known := a.series[s]
	if !known {
		if kind, ok := a.kinds.Kind(s.Kind); ok {
			b = &books{kind: kind, sums: make([]map[model.Time]*sum, len(kind.Ladder.Tiers))}
		}
		a.series[s] = b
	}
	return b
}

// add counts a child of a rung, at a time, into each bucket that is folded from it.
func (b *books) add(from int, at model.Time, count func(*sum)) {
	for rung := from + 1; rung < len(b.sums); rung++ {
		t := b.kind.Ladder.Tiers[rung]
		if over := t.Unit.BucketOf(at); keeps(t, over) && rungBelow(b.kind.Ladder, rung, over) == from {
			count(b.at(rung, over.Start))
		}
	}
}

func (b *books) at(rung int, start model.Time) *sum {
	if b.sums[rung] == nil {
		b.sums[rung] = map[model.Time]*sum{}
	}
	if b.sums[rung][start] == nil {
		b.sums[rung][start] = &sum{}
	}
	return b.sums[rung][start]
}

func (b *books) addRow(row *rollup.Row) {
	unit, err := tier.ParseUnit(row.Key.Tier)
	if err != nil || row.Empty {
		return
	}
	_, rung, ok := b.kind.Ladder.Find(unit)
	if !ok {
		return
	}
	b.at(rung, row.Key.Start).row = row
	b.add(rung, row.Key.Start, func(s *sum) {
		s.children++
		s.digest.Add(row.Digest)
	})
}

// suspects are the buckets that are not as their children say, in order.
func (a *audit) suspects() (all []suspect) {
	for _, s := range slices.SortedFunc(maps.Keys(a.series), seriesOrder) {
		b := a.series[s]
		if b == nil {
			continue
		}
		for rung, sums := range b.sums {
			for _, start := range slices.Sorted(maps.Keys(sums)) {
				if why := a.judge(b, rung, start); why != "" {
					key := rollup.Key{Series: s, Tier: b.kind.Ladder.Tiers[rung].Unit.String(), Start: start}
					all = append(all, suspect{key, why})
				}
			}
		}
	}
	return all
}

// judge says what is suspect of a bucket, "" where nothing is.
func (a *audit) judge(b *books, rung int, start model.Time) string {
	s := b.sums[rung][start]
	switch row := s.row; {
	case row == nil && s.again:
		return "no row"
	case row == nil && s.children > 0 && !a.mayHaveLived(b, rung, start):
		return "no row stands for its children"
	case row == nil:
		return ""
	case row.Summary == nil && row.V <= item.Version: // a newer version's is nobody's here to mend
		return "the row cannot be decoded"
	case isSealed(row, a.now) && s.again:
		return "the row is sealed, and an event that came since may be missing in it"
	case isSealed(row, a.now):
		return ""
	case s.children == 0:
		return "a row stands that has no children"
	case s.digest != row.Digest:
		return "its digest is not that of its children"
	case s.again:
		return "an event of it came in the range"
	}
	return ""
}

func (a *audit) mayHaveLived(b *books, rung int, start model.Time) bool {
	return mayHaveLived(b.kind.Ladder, rung, start, a.now, func(rung int, start model.Time) *rollup.Row {
		if s := b.sums[rung][start]; s != nil {
			return s.row
		}
		return nil
	})
}

// places are where to look again at suspects.
func places(all []suspect) []aggregate.Place {
	out := make([]aggregate.Place, len(all))
	for i, s := range all {
		unit, _ := tier.ParseUnit(s.key.Tier) // of the ladder
		out[i] = aggregate.Place{Series: s.key.Series, At: s.key.Start, Tier: unit}
	}
	return out
}
