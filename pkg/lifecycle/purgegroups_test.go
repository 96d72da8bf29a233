package lifecycle_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// team is a group with rows of an hour and its day: twelve members, of which alice has the highest value.
type team struct {
	*fixture
	hour, day rollup.Key
}

const sizeOfTeam = 12

var readingSpec = &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "n"}}}

func newTeam(t testing.TB) *team {
	w := &team{fixture: newFixture(t, employee)}
	w.hour = rollup.Key{Tier: tier.Hour.String(), Start: tier.Hour.BucketAt(noon).Start}
	w.hour.Series = model.Series{Subject: model.Subject{Type: "BY_SITE", ID: "berlin"}, Kind: "READING_BY_SITE"}
	w.day = w.hour
	w.day.Tier, w.day.Start = tier.Day.String(), tier.Day.BucketAt(noon).Start
	for n := range sizeOfTeam {
		who := subject(fmt.Sprintf("bob%02d", n))
		if n == 0 {
			who = alice
		}
		attrs := model.Attrs{{Name: "n", Value: model.NumberValue(model.NewDecimal(int64(sizeOfTeam - n)))}}
		e := model.Event{Order: model.Order{At: noon}, Attrs: attrs, Hash: model.HashAttrs(attrs)}
		e.Series = model.Series{Subject: who, Kind: "READING"}
		share := rollup.Row{Key: w.hour, Fold: *rollup.NewFold(readingSpec)}
		share.Key.Member = tablekeys.Member(who)
		share.AddEvent(&e)
		w.put(share)
		for _, at := range []rollup.Key{w.hour, w.day} {
			own := share
			own.Key = at
			own.Key.Series = e.Series
			own.Groups = []string{storage.GroupName("READING_BY_SITE", "berlin")}
			w.put(own)
		}
	}
	return w
}

func (w *team) put(row rollup.Row) {
	w.Helper()
	row.V, row.WrittenAt = item.Version, noon
	row.Rev[0] = 1
	it, err := item.FromRow(&row)
	if err != nil {
		w.Fatal(err)
	}
	w.store(it)
}

func (w *team) row(key rollup.Key) *rollup.Row {
	w.Helper()
	row, err := w.table.Row(context.Background(), key)
	if err != nil {
		w.Fatal(err)
	}
	return row
}

// fold folds the children of a row as they are stored.
func (w *team) fold(key rollup.Key) rollup.Row {
	w.Helper()
	row := rollup.Row{Key: key, Fold: *rollup.NewFold(readingSpec)}
	if key == w.day {
		if hour := w.row(w.hour); hour != nil {
			row.AddRow(hour)
		}
		return row
	}
	page, err := w.table.Shares(context.Background(), key, "")
	if err != nil {
		w.Fatal(err)
	}
	for i := range page.Rows {
		row.AddRow(&page.Rows[i])
	}
	return row
}

// wantNoName fails the test if an item has alice, except the lock of the purge.
func (w *team) wantNoName(when string) {
	w.Helper()
	for _, it := range w.items() {
		if _, err := item.PurgeLock(it); err == nil {
			continue
		}
		summary := it[tablekeys.AttrSummary].B
		if k := it.Key(); strings.Contains(k.PK+k.SK+string(summary), alice.ID) {
			w.Errorf("%s: alice is in %v", when, k)
		}
	}
}

// A purge leaves the sums of sealed rows of groups, and removes the name from their lists, in each tier.
func TestPurge_RemovesTheNameFromListsOfSealedGroups(t *testing.T) {
	w := newTeam(t)
	w.put(w.fold(w.hour))
	w.put(w.fold(w.day))
	before := w.row(w.day)
	receipt, err := w.purge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.wantNoName("after the purge")
	for _, key := range []rollup.Key{w.hour, w.day} {
		row := w.row(key)
		list := row.Summary.Members("n", rollup.Ranking{By: rollup.ByMax})
		if row.Digest != before.Digest || row.Summary.Events() != sizeOfTeam || row.Exact != before.Exact {
			t.Errorf("%s: %+v, want unchanged sums", key.Tier, row)
		}
		if list.Places != rollup.MaxMembers-1 || len(list.Members) != list.Places ||
			list.Members[0].Name != "EMPLOYEE#bob01" {
			t.Errorf("%s: %+v, want the nine after alice", key.Tier, list)
		}
	}
	count := func(class string) (n int64) {
		for _, c := range receipt.Removed {
			if c.Class == class {
				n += c.Items
			}
		}
		return n
	}
	if count("shares of groups") != 1 || count("lists of members in rollups of groups") != 2 {
		t.Errorf("the receipt has %+v, want one share and two lists", receipt.Removed)
	}
}

func TestPurge_SaysWhereANameMayBeLeft(t *testing.T) {
	w := newTeam(t)
	damaged := w.fold(w.hour)
	damaged.V, damaged.WrittenAt = item.Version, noon
	it, _ := item.FromRow(&damaged)
	it[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte{1, 2, 3}}
	w.store(it)
	many := rollup.Row{Key: w.day, Fold: *rollup.NewFold(readingSpec)}
	many.Key.Series, many.Groups = model.Series{Subject: alice, Kind: "READING"}, []string{rollup.AllGroups}
	w.put(many)
	receipt, err := w.purge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{
		"unreadable rollups of groups, not changed", "rollups in too many groups, whose lists were not changed",
	} {
		if !slices.ContainsFunc(receipt.Removed, func(c storage.PurgeCount) bool {
			return c.Class == class && c.Items == 1
		}) {
			t.Errorf("the receipt does not count %q: %+v", class, receipt.Removed)
		}
	}
}

// folding recomputes a row of a group at the same time as a purge: it reads the row and its children before
// one request of the purge, and writes the row before a later one, if the row is as it was read.
type folding struct {
	*team
	key         rollup.Key
	read, write int
	requests    int
	was         *rollup.Row
	made        rollup.Row
}

// before counts the requests for items of the group.
func (f *folding) before(items ...keys.Key) error {
	if !slices.ContainsFunc(items, func(k keys.Key) bool { return strings.Contains(k.PK, "berlin") }) {
		return nil
	}
	if f.requests == f.read {
		f.was, f.made = f.row(f.key), f.fold(f.key)
	}
	if f.requests == f.write {
		f.finish()
	}
	f.requests++
	return nil
}

func (f *folding) finish() {
	now := f.row(f.key)
	if (now == nil) != (f.was == nil) || now != nil && now.Rev != f.was.Rev {
		f.made = f.fold(f.key) // it lost the revision and reads again
	}
	f.put(f.made)
}

// watched calls before ahead of each request of a purge but for its listings; an error takes the place of the
// request.
type watched struct {
	lifecycle.Store
	lifecycle.Eraser
	before func(items ...keys.Key) error
}

func (s watched) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if err := s.before(k); err != nil {
		return nil, err
	}
	return s.Store.GetItem(ctx, k)
}

func (s watched) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if err := s.before(tx.Actions[0].Key); err != nil {
		return itemop.TransactResult{}, err
	}
	return s.Store.Commit(ctx, tx)
}

func (s watched) Erase(ctx context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	if err := s.before(items...); err != nil {
		return nil, 0, err
	}
	return s.Eraser.Erase(ctx, items)
}

// However a recomputation of a row and a purge meet, the name is in no list afterwards: whether the rows are
// stored before or not.
func TestPurge_NoRecomputationOfAGroupBringsTheNameBack(t *testing.T) {
	total := 0
	for _, stored := range []int{0, 1, 2} {
		for _, day := range []bool{false, true} {
			for read := 0; ; read++ {
				requests := 0
				for write := read; write <= max(read, requests); write++ {
					w := newTeam(t)
					for _, key := range []rollup.Key{w.hour, w.day}[:stored] {
						w.put(w.fold(key))
					}
					f := &folding{team: w, key: w.hour, read: read, write: write}
					if day {
						f.key = w.day
					}
					w.purger.Store = watched{Store: w.faulty, Eraser: w.faulty, before: f.before}
					if _, err := w.purge(t.Context()); err != nil {
						t.Fatal(err)
					}
					requests = f.requests
					total++
					w.wantNoName(fmt.Sprintf("%d rows stored, %s read before request %d and written before %d",
						stored, f.key.Tier, read, write))
					if t.Failed() {
						return
					}
				}
				if read > requests {
					break
				}
			}
		}
	}
	if total < 200 {
		t.Errorf("%d meetings, want at least 200", total)
	}
}
