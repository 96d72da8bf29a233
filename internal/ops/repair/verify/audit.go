package verify

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// audit compares the digest of every row of some partitions with the sum of the digests of its children. It
// finds missing, removed and changed events, but not wrong numbers together with a right digest.
type audit struct {
	kinds   *catalog.Catalog
	covers  func(*catalog.Kind) bool // which kinds are compared
	now     model.Time
	include func(*model.Event) bool // see Auditor.Include
	swept   storage.LowWatermarks   // read before any row

	series map[model.Series]*seriesSums // nil for an undeclared kind
	others map[model.Subject]bool       // subjects with items of kinds that are not compared
}

// seriesSums are the sums of one series, by tier level and bucket start.
type seriesSums struct {
	kind *catalog.Kind
	sums []map[model.Time]*bucketSum
}

// bucketSum is what the audit knows about one bucket.
type bucketSum struct {
	children int
	digest   rollup.Digest // of the children
	included bool          // has an event that Include selected
	row      *rollup.Row   // nil if absent or empty
}

// Suspect is a bucket to recompute.
type Suspect struct {
	Key    rollup.Key
	Reason string
}

// The events of a kind that is spread over shards are in other partitions than its rows.
func inOnePartition(k *catalog.Kind) bool { return k.Shards <= 1 }
func isSpread(k *catalog.Kind) bool       { return !inOnePartition(k) }
func every(*catalog.Kind) bool            { return true }

// add counts an item; items that are neither events nor rows are ignored.
func (a *audit) add(it item.Item) {
	if e, err := item.Event(it); err == nil {
		a.addEvent(&e)
		return
	}
	key, err := keys.ParseRow(it.Key())
	if err != nil {
		return
	}
	if s := a.findSums(key.Series); s != nil && key.Series.Shard == 0 {
		row, _ := item.Row(it) // a damaged row has no Summary
		s.addRow(&row)
	}
}

func (a *audit) addEvent(e *model.Event) {
	s := a.findSums(e.Series)
	if s == nil {
		return
	}
	included := a.include != nil && a.include(e)
	s.addToParents(eventLevel, e.At, func(b *bucketSum) {
		b.children++
		b.digest.Add(rollup.NewDigest(e))
		b.included = b.included || included
	})
}

// findSums returns the sums of a series; nil if it is not compared.
func (a *audit) findSums(s model.Series) *seriesSums {
	s = s.WithoutShard()
	sums, known := a.series[s]
	if !known {
		kind, ok := a.kinds.Kind(s.Kind)
		if ok && !a.covers(kind) {
			a.others[s.Subject] = true
			return nil
		}
		if ok {
			sums = &seriesSums{kind: kind, sums: make([]map[model.Time]*bucketSum, len(kind.Retention.Tiers))}
		}
		a.series[s] = sums
	}
	return sums
}

// addToParents calls count for each bucket over a time that is folded from the level.
func (s *seriesSums) addToParents(from int, at model.Time, count func(*bucketSum)) {
	for level := from + 1; level < len(s.sums); level++ {
		t := s.kind.Retention.Tiers[level]
		if b := t.Unit.BucketAt(at); keeps(t, b) && childLevel(s.kind.Retention, level, b) == from {
			count(s.bucket(level, b.Start))
		}
	}
}

func (s *seriesSums) bucket(level int, start model.Time) *bucketSum {
	if s.sums[level] == nil {
		s.sums[level] = map[model.Time]*bucketSum{}
	}
	if s.sums[level][start] == nil {
		s.sums[level][start] = &bucketSum{}
	}
	return s.sums[level][start]
}

func (s *seriesSums) addRow(row *rollup.Row) {
	unit, err := tier.ParseUnit(row.Key.Tier)
	if err != nil || row.Empty {
		return
	}
	_, level, ok := s.kind.Retention.Find(unit)
	if !ok {
		return
	}
	s.bucket(level, row.Key.Start).row = row
	s.addToParents(level, row.Key.Start, func(b *bucketSum) {
		b.children++
		b.digest.Add(row.Digest)
	})
}

// suspects returns the buckets that do not match their children, by series, tier and time.
func (a *audit) suspects() (all []Suspect) {
	for _, series := range slices.SortedFunc(maps.Keys(a.series), tablescan.CompareSeries) {
		s := a.series[series]
		if s == nil {
			continue
		}
		for level, sums := range s.sums {
			for _, start := range slices.Sorted(maps.Keys(sums)) {
				if a.isOpen(series, s, level, start) {
					continue
				}
				if reason := a.check(s, level, start); reason != "" {
					key := rollup.Key{Series: series, Tier: s.kind.Retention.Tiers[level].Unit.String(), Start: start}
					all = append(all, Suspect{key, reason})
				}
			}
		}
	}
	return all
}

// isOpen reports whether no sweep has settled a bucket, so that its row may be out of date. An event that
// Include selected may be missing from the queue of sweeps too: its bucket counts as settled.
func (a *audit) isOpen(of model.Series, s *seriesSums, level int, start model.Time) bool {
	policy := s.kind.Retention
	closes := policy.ClosesAt(level, policy.Tiers[level].Unit.BucketAt(start), of)
	return closes > a.swept.For(of) && !s.sums[level][start].included
}

// check returns why a bucket is suspect, "" if it is not.
func (a *audit) check(s *seriesSums, level int, start model.Time) string {
	b := s.sums[level][start]
	switch row := b.row; {
	case row == nil && b.included:
		return "there is no row"
	case row == nil && b.children > 0 && !a.mayHaveExpired(s, level, start):
		return "there is no row for its children"
	case row == nil:
		return ""
	case row.Summary == nil && row.V <= item.Version: // only a newer version can repair its own rows
		return "the row cannot be decoded"
	case isSealed(row, a.now) && b.included:
		return "the row is sealed and may miss an event of the range"
	case isSealed(row, a.now):
		return ""
	case !s.kind.HasEvents() && b.children == 0: // its sources are of other series
		return ""
	case b.children == 0:
		return "the row has no children"
	case b.digest != row.Digest:
		return "the row's digest differs from its children's"
	case b.included:
		return "an event of it arrived in the range"
	}
	return ""
}

func (a *audit) mayHaveExpired(s *seriesSums, level int, start model.Time) bool {
	return mayHaveExpired(s.kind.Retention, level, start, a.now, func(level int, start model.Time) *rollup.Row {
		if b := s.sums[level][start]; b != nil {
			return b.row
		}
		return nil
	})
}

// Span is a half-open range of event time.
type Span struct{ From, To model.Time }

// Always is all of time.
var Always = Span{From: model.MinTime, To: model.MaxTime}

// Scope is the part of a table that is verified or rebuilt.
type Scope struct {
	Subject model.Subject // zero: every subject
	Span    Span
	Tier    tier.Unit // zero: every tier
}

// CheckTier returns an error if no kind of the scope has its tier.
func (s Scope) CheckTier(kinds *catalog.Catalog) error {
	if s.Tier == 0 {
		return nil
	}
	for _, k := range kinds.Kinds {
		if _, _, has := k.Retention.Find(s.Tier); has &&
			(s.Subject.Type == "" || s.Subject.Type == k.Subject.Name) {
			return nil
		}
	}
	return fmt.Errorf("no kind here has the tier %s: choose a tier of its retention policy", s.Tier)
}

// widened returns the span grown to the edges of the policy's coarsest buckets, so that
// it cuts no bucket of any tier in two.
func (s Span) widened(l tier.Policy) Span {
	coarsest := l.Tiers[len(l.Tiers)-1].Unit
	if s.From > model.MinTime {
		s.From = coarsest.BucketAt(s.From).Start
	}
	if s.To < model.MaxTime {
		if b := coarsest.BucketAt(s.To); b.Start < s.To {
			s.To = b.End
		}
	}
	return s
}
