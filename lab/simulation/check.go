package simulation

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// check checks what the aggregator promises. After all records are delivered, and those
// given up are redriven or rebuilt, each unexpired exact row is byte-equal to a recount of
// the events, and a row is missing only where a coarser row is inexact. Rows with a
// pending repair are not checked.
func (w *world) check() error {
	w.Count("checks")
	c := &checking{world: w, want: w.oracle.recount(), rows: map[rollup.Key]rollup.Row{},
		listed: map[model.Series]storage.ListedSeries{}, pending: w.repair.pendingRows()}
	c.readRows()
	c.watermarks, _ = w.table.Sweeps(context.Background()) // a table in memory does not fail
	c.late()
	w.readers.quiet(c.pending)
	if err := c.seriesList(); err != nil {
		return err
	}
	if err := c.latestItems(); err != nil {
		return err
	}
	if err := c.groups(); err != nil {
		return err
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.rows), byRow) {
		if key.Series.Kind != kindName {
			continue
		}
		if err := c.row(key); err != nil {
			return err
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.want), byRow) {
		if err := c.present(key); err != nil {
			return err
		}
	}
	return nil
}

type checking struct {
	*world
	want       map[rollup.Key]*bucket
	rows       map[rollup.Key]rollup.Row // all stored rows, without empty ones
	pending    map[rollup.Key]bool       // rows of changes whose repair is pending
	listed     map[model.Series]storage.ListedSeries
	watermarks storage.LowWatermarks
}

func (c *checking) readRows() {
	for after := (keys.Key{}); ; {
		page, next, err := c.table.Scan(context.Background(), after)
		if err != nil {
			panic(err) // a table in memory does not fail
		}
		for _, it := range page {
			if row, err := item.Row(it); err == nil && !row.Empty {
				c.rows[row.Key] = row
			}
			if l, err := item.ListedSeries(it); err == nil {
				c.listed[l.Series] = l
			}
		}
		if next == (keys.Key{}) {
			return
		}
		after = next
	}
}

// late adds the buckets of late changes that wait in the queue, and the coarser ones around them:
// until the low watermark has passed them, their rows need not have these changes. Readers of a
// tier that is not deferred any more wait for nothing: its row must be right whatever is queued.
func (c *checking) late() {
	for _, shard := range c.watermarks.Generations.Swept() {
		page, _ := c.table.Invalidations(context.Background(), shard, model.MaxTime, "")
		for _, i := range page.Invalidations {
			t, _, found := c.kind().Retention.Find(keyUnit(i.Key))
			if i.Due <= c.watermarks.ForShard(shard) ||
				found && (!t.Deferred || c.kind().Retention.LateEvery == 0) {
				continue
			}
			for _, t := range c.kind().Retention.Tiers {
				if t.Unit.Compare(keyUnit(i.Key)) >= 0 {
					c.pending[rollup.Key{Series: i.Key.Series, Tier: t.Unit.String(),
						Start: t.Unit.BucketAt(i.Key.Start).Start}] = true
				}
			}
		}
	}
}

// seriesList checks that the list of series has each series with events, from its first to
// its last one, and no other.
func (c *checking) seriesList() error {
	ever := map[model.Series]bool{}
	for _, s := range c.oracle.series() {
		ever[s] = true
	}
	for s := range c.listed {
		if s.Kind == kindName && !ever[s] {
			return fmt.Errorf("%s is listed, and never had an event", s)
		}
	}
	for _, key := range c.oracle.sorted() {
		if c.pending[rowOver(c.kind().Retention.Tiers[0], key)] {
			continue
		}
		s := key.Series.WithoutShard()
		if l, listed := c.listed[s]; !listed || key.At < l.First || key.At >= tier.Day.BucketAt(l.Last).End {
			return fmt.Errorf("%s has an event of %s, and the list of series has it from %s to %s", s, key.At, l.First,
				l.Last)
		}
	}
	return nil
}

// row checks a stored row.
func (c *checking) row(key rollup.Key) error {
	row := c.rows[key]
	if c.pending[key] || !c.hasRow(key) || !c.settled(key) ||
		row.ExpiresAt != 0 && row.ExpiresAt <= c.Now().Seconds() {
		return nil
	}
	want := rollup.NewFold(c.kind().Spec())
	if b := c.want[key]; b != nil {
		want = b.fold
		if row.Exact {
			if err := checkSummary(row.Summary, b.events); err != nil {
				return fmt.Errorf("%s is exact: %w", rowName(key), err)
			}
			c.Count(rowsRecounted)
			if row.Summary.Truncated() {
				c.Count(namesDropped)
			}
			if valuesDropped(row.Summary) {
				c.Count(statesDropped)
			}
		}
	}
	correct := sameFold(&row.Fold, want)
	c.countRow(&row, correct, want.Unreadable > 0)
	if row.Exact && !correct {
		return fmt.Errorf("%s is exact and has %s, but a recount has %s", rowName(key), foldName(&row.Fold),
			foldName(want))
	}
	return nil
}

// hasRow reports whether readers use rows of this bucket: its tier may have been removed, or
// begin later.
func (c *checking) hasRow(key rollup.Key) bool {
	t, _, ok := c.kind().Retention.Find(keyUnit(key))
	return ok && t.HasRow(keyUnit(key).BucketAt(key.Start))
}

func sameFold(got, want *rollup.Fold) bool {
	return got.Digest == want.Digest && got.Unreadable == want.Unreadable &&
		(valuesDropped(got.Summary) || bytes.Equal(got.Summary.Encode(nil), want.Summary.Encode(nil)))
}

// valuesDropped reports whether a dimension has more values than a row stores: two folds of
// the same events may then differ. checkSummary checks what such a row promises.
func valuesDropped(s *rollup.Summary) bool {
	d, found := s.Dimension("state")
	return found && !d.Exact
}

func foldName(f *rollup.Fold) string {
	return fmt.Sprintf("%d events (%d unreadable, digest %.8s)", f.Summary.Events(), f.Unreadable, f.Digest)
}

// countRow counts a checked row, and why a correct row is inexact.
func (c *checking) countRow(row *rollup.Row, correct, unreadable bool) {
	of := expiring
	if c.nothingExpires {
		of = lasting
	}
	c.Count(rowsChecked + of)
	switch {
	case row.Exact:
		c.Count(rowsExact + of)
	case !correct:
		c.Count(rowsInexact + of)
	case unreadable:
		c.Count(rowsUnreadable + of)
	default:
		c.Count(rowsNeedless + of)
		c.Count(c.cause(row))
	}
}

// cause returns why a correct row is inexact.
func (c *checking) cause(row *rollup.Row) string {
	if row.ChildrenExpireAt == 0 {
		return markedUnchanged
	}
	b := keyUnit(row.Key).BucketAt(row.Key.Start)
	for key, finer := range c.rows {
		if key.Series == row.Key.Series && keyUnit(key).FinerThan(b.Unit) && b.Contains(key.Start) && !finer.Exact {
			return inherited
		}
	}
	return inheritedOnce
}

// present checks that a bucket with events has a row, unless the row may be missing.
func (c *checking) present(key rollup.Key) error {
	b := c.want[key]
	if _, exists := c.rows[key]; exists || c.pending[key] || !c.settled(key) || c.mayHaveExpired(key, b) ||
		c.pastAllTiers(key, b) {
		return nil
	}
	for _, t := range c.kind().Retention.Tiers[b.level+1:] {
		over := rollup.Key{Series: key.Series, Tier: t.Unit.String(), Start: t.Unit.BucketAt(key.Start).Start}
		if row, exists := c.rows[over]; exists && !row.Exact || !c.settled(over) || c.pending[over] {
			return nil
		}
	}
	return fmt.Errorf("%s is missing, and no coarser row is inexact; its events are %s", rowName(key),
		foldName(b.fold))
}

// slack is how wrong the clocks of the processes that write rows may be.
const slack = 10 * time.Minute

// mayHaveExpired reports whether a row of this bucket may have existed and expired.
func (c *checking) mayHaveExpired(key rollup.Key, b *bucket) bool {
	t := c.kind().Retention.Tiers[b.level]
	least := t.LeastRetention()
	since := max(t.Unit.BucketAt(key.Start).End, c.oracle.first[key])
	return least != tier.Forever && since.Add(least-slack) <= c.Now()
}

// pastAllTiers reports whether the row is not promised: its events were accepted when the
// coarsest row would have expired already, or it is finer and the coarsest has expired.
func (c *checking) pastAllTiers(key rollup.Key, b *bucket) bool {
	tiers := c.kind().Retention.Tiers
	top := tiers[len(tiers)-1]
	if top.LeastRetention() == tier.Forever {
		return false
	}
	gone := top.Unit.BucketAt(key.Start).End.Add(top.LeastRetention())
	return gone <= b.accepted.Add(25*time.Hour) || b.level < len(tiers)-1 && gone <= c.Now()
}

func byRow(a, b rollup.Key) int {
	return cmp.Or(keyUnit(a).Compare(keyUnit(b)), cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.Series.String(), b.Series.String()))
}

func keyUnit(key rollup.Key) tier.Unit {
	u, _ := tier.ParseUnit(key.Tier) // the row has a valid tier
	return u
}
