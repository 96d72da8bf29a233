package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// check is the promise: whenever everything was delivered, and what was given up was
// redriven or rebuilt, each unexpired row that says exact is byte-equal to a recount
// of the events, and none is missing, but where a coarser row says that it is not
// exact. Rows whose changes still wait for their repair promise nothing yet.
func (w *world) check() error {
	w.Count("checks")
	c := &checking{world: w, want: w.oracle.recount(), rows: map[rollup.Key]rollup.Row{}, waits: w.repair.waits()}
	c.readRows()
	for _, key := range slices.SortedFunc(maps.Keys(c.rows), byRow) {
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
	want  map[rollup.Key]*bucket
	rows  map[rollup.Key]rollup.Row // all that stand, empty ones apart
	waits map[rollup.Key]bool       // rows over what still waits for repair
}

func (c *checking) readRows() {
	for after := (keys.Key{}); ; {
		page, next, err := c.table.Scan(context.Background(), after)
		if err != nil {
			panic(err) // a table in memory answers
		}
		for _, it := range page {
			if row, err := item.Row(it); err == nil && !row.Empty {
				c.rows[row.Key] = row
			}
		}
		if next == (keys.Key{}) {
			return
		}
		after = next
	}
}

// row checks a row that stands.
func (c *checking) row(key rollup.Key) error {
	row := c.rows[key]
	if c.waits[key] || row.ExpiresAt != 0 && row.ExpiresAt <= c.Now().Seconds() {
		return nil
	}
	want := rollup.NewFold(c.kind().Spec())
	if b := c.want[key]; b != nil {
		want = b.fold
	}
	right := sameFold(&row.Fold, want)
	c.countRow(&row, right, want.Unreadable > 0)
	if row.Exact && !right {
		return fmt.Errorf("%s says exact with %s, but the events say %s", rowName(key), foldName(&row.Fold), foldName(want))
	}
	return nil
}

func sameFold(got, want *rollup.Fold) bool {
	return got.Digest == want.Digest && got.Unreadable == want.Unreadable &&
		bytes.Equal(got.Summary.Encode(nil), want.Summary.Encode(nil))
}

func foldName(f *rollup.Fold) string {
	return fmt.Sprintf("%d events (%d unreadable, digest %.8s)", f.Summary.Events(), f.Unreadable, f.Digest)
}

// countRow counts what was checked, and why a row says less than it could.
func (c *checking) countRow(row *rollup.Row, right, unreadable bool) {
	of := expiring
	if c.plain {
		of = lasting
	}
	c.Count(rowsChecked + of)
	switch {
	case row.Exact:
		c.Count(rowsExact + of)
	case !right:
		c.Count(rowsInexact + of)
	case unreadable:
		c.Count(rowsUnreadable + of)
	default:
		c.Count(rowsNeedless + of)
		c.Count(c.cause(row))
	}
}

// cause says why a row that is right says that it is not exact.
func (c *checking) cause(row *rollup.Row) string {
	if row.ChildrenUntil == 0 {
		return marked
	}
	b := unitOf(row.Key).BucketOf(row.Key.Start)
	for key, finer := range c.rows {
		if key.Series == row.Key.Series && unitOf(key) < b.Unit && b.Contains(key.Start) && !finer.Exact {
			return inherited
		}
	}
	return inheritedOnce
}

// present checks that a bucket with events has its row, where one is promised.
func (c *checking) present(key rollup.Key) error {
	b := c.want[key]
	if _, stands := c.rows[key]; stands || c.waits[key] || c.mayHaveExpired(key, b) || c.beyondAll(key, b) {
		return nil
	}
	for _, t := range c.kind().Ladder.Tiers[b.rung+1:] {
		over := rollup.Key{Series: key.Series, Tier: t.Unit.String(), Start: t.Unit.BucketOf(key.Start).Start}
		if row, stands := c.rows[over]; stands && !row.Exact {
			return nil
		}
	}
	return fmt.Errorf("%s is missing, and no coarser row says that it is not exact; its events are %s", rowName(key), foldName(b.fold))
}

// slack is how far the clocks of those who write rows may be off.
const slack = 10 * time.Minute

// mayHaveExpired: a row of this bucket may have been and gone.
func (c *checking) mayHaveExpired(key rollup.Key, b *bucket) bool {
	t := c.kind().Ladder.Tiers[b.rung]
	least := t.LeastRetention()
	since := max(t.Unit.BucketOf(key.Start).End, c.oracle.first[key])
	return least != tier.Forever && since.Add(least-slack) <= c.Now()
}

// beyondAll: nothing is promised of what came when the coarsest row would have been
// gone already, nor of finer rows once it would be.
func (c *checking) beyondAll(key rollup.Key, b *bucket) bool {
	tiers := c.kind().Ladder.Tiers
	top := tiers[len(tiers)-1]
	if top.LeastRetention() == tier.Forever {
		return false
	}
	gone := top.Unit.BucketOf(key.Start).End.Add(top.LeastRetention())
	return gone <= b.accepted.Add(25*time.Hour) || b.rung < len(tiers)-1 && gone <= c.Now()
}

func byRow(a, b rollup.Key) int {
	return cmp.Or(cmp.Compare(unitOf(a), unitOf(b)), cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.Series.String(), b.Series.String()), cmp.Compare(a.Series.Shard, b.Series.Shard))
}

func unitOf(key rollup.Key) tier.Unit {
	u, _ := tier.ParseUnit(key.Tier) // a name of ours
	return u
}
