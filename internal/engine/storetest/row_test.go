package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// noRev is the revision of a missing row.
var noRev rollup.Rev

// spec is the specification of the rows of facts.
var spec = &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "temperature", Scale: 9, Percentiles: true}}}

// row returns the rollup of hour n after noon, of three readings, with revision {1, n}.
func row(n int) *rollup.Row {
	fold := rollup.NewFold(spec)
	for i := range 3 {
		e := reading(60*n+i, "", "temperature", 20+i)
		fold.AddEvent(&e)
	}
	fold.FieldsAt = minute(n)
	return &rollup.Row{
		Key:       rollup.Key{Series: series, Tier: tier.Hour.String(), Start: minute(60 * n)},
		Fold:      *fold,
		Rev:       rollup.Rev{1, byte(n)},
		V:         item.Version,
		ExpiresAt: minute(60 * n).Add(90 * 24 * time.Hour).Seconds(),
		WrittenAt: minute(60*n + 61),
	}
}

// putRow writes a row, which must succeed.
func (c *contract) putRow(r *rollup.Row, prev rollup.Rev) {
	c.Helper()
	if result, err := c.table.PutRow(c.Context(), r, prev); err != nil || result != storage.Written {
		c.Fatalf("put row returns %v, %v; want written", result, err)
	}
}

// conditionFails writes a row whose condition must fail.
func (c *contract) conditionFails(r *rollup.Row, prev rollup.Rev) {
	c.Helper()
	if result, err := c.table.PutRow(c.Context(), r, prev); err != nil || result != storage.ConditionFailed {
		c.Fatalf("put row returns %v, %v; want condition failed", result, err)
	}
}

// row reads a row, which must exist.
func (c *contract) row(k rollup.Key) *rollup.Row {
	c.Helper()
	r, err := c.table.Row(c.Context(), k)
	if err != nil || r == nil {
		c.Fatalf("row is %v, %v; want one", r, err)
	}
	return r
}

// sameRow compares rows by their stored form.
func (c *contract) sameRow(got, want *rollup.Row) {
	c.Helper()
	g, gotErr := item.FromRow(got)
	w, wantErr := item.FromRow(want)
	if gotErr != nil || wantErr != nil {
		c.Fatal(gotErr, wantErr)
	}
	c.equal("row", g, w)
}

var rowFacts = []fact{
	{"a row is written if there is none, and read as it was written", func(c *contract) {
		want := row(0)
		if r, err := c.table.Row(c.Context(), want.Key); r != nil || err != nil {
			c.Fatalf("row is %v, %v; want none", r, err)
		}
		c.putRow(want, noRev)
		c.sameRow(c.row(want.Key), want)
	}},
	{"a write that requires no row fails if there is one", func(c *contract) {
		c.putRow(row(0), noRev)
		second := row(0)
		second.Rev = rollup.Rev{2}
		c.conditionFails(second, noRev)
		c.equal("rev", c.row(second.Key).Rev, rollup.Rev{1})
	}},
	{"a write succeeds only on the stored revision", func(c *contract) {
		c.putRow(row(0), noRev)
		second := row(0)
		second.Rev = rollup.Rev{2}
		c.conditionFails(second, rollup.Rev{9})
		c.putRow(second, rollup.Rev{1})
		third := row(0)
		third.Rev = rollup.Rev{3}
		c.conditionFails(third, rollup.Rev{1})
		c.equal("rev", c.row(third.Key).Rev, rollup.Rev{2})
	}},
	{"a write on a revision fails if there is no row", func(c *contract) {
		c.conditionFails(row(0), rollup.Rev{1})
		c.equal("items", len(c.scan()), 0)
	}},
	{"a row that was deleted and written again has another revision", func(c *contract) {
		c.putRow(row(0), noRev)
		if err := c.table.DeleteItem(c.Context(), keys.Row(row(0).Key)); err != nil {
			c.Fatal(err)
		}
		again := row(0)
		again.Rev = rollup.Rev{7}
		c.putRow(again, noRev)
		c.conditionFails(row(0), rollup.Rev{1})
	}},
	{"a write replaces the complete row", func(c *contract) {
		full := row(0)
		full.Unreadable = 3
		full.Exact = false
		full.ChildrenExpireAt = 17
		c.putRow(full, noRev)
		c.setAttr(keys.Row(full.Key), "extra", item.Value{Type: item.S, S: "removed"})
		empty := row(0)
		empty.Fold = *rollup.NewFold(spec)
		empty.Empty = true
		empty.ExpiresAt = 0
		empty.Rev = rollup.Rev{2}
		c.putRow(empty, full.Rev)
		stored, err := c.table.GetItem(c.Context(), keys.Row(full.Key))
		if err != nil {
			c.Fatal(err)
		}
		want, err := item.FromRow(empty)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("item", stored, want)
	}},
	{"a range returns the rows whose buckets start in it", func(c *contract) {
		for n := range 5 {
			c.putRow(row(n), noRev)
		}
		day := row(0)
		day.Key.Tier, day.Key.Start = tier.Day.String(), minute(-720)
		c.putRow(day, noRev)
		r := storage.Range{Series: series, From: minute(60), To: minute(180), Consistent: true}
		c.equal("rows", c.starts(tier.Hour, r), []model.Time{minute(60), minute(120)})
		r.From, r.Newest = minute(61), true
		c.equal("newest first, from within a bucket", c.starts(tier.Hour, r), []model.Time{minute(120)})
		r.From, r.To = minute(-720), minute(720)
		c.equal("days", c.starts(tier.Day, r), []model.Time{minute(-720)})
		r.Limit = 2
		c.equal("page by page", c.starts(tier.Hour, r),
			[]model.Time{minute(240), minute(180), minute(120), minute(60), minute(0)})
	}},
	{"empty and expired rows are returned", func(c *contract) {
		r := row(0)
		r.Fold = *rollup.NewFold(spec)
		r.Empty = true
		r.ExpiresAt = 1
		c.putRow(r, noRev)
		if got := c.row(r.Key); !got.Empty || got.ExpiresAt != 1 {
			c.Errorf("row is %+v, want it empty and expired", got)
		}
		c.equal("rows", c.starts(tier.Hour, wholeDay()), []model.Time{noon})
	}},
	{"a row that cannot be decoded is returned without its summary, with all others", func(c *contract) {
		for n := range 3 {
			c.putRow(row(n), noRev)
		}
		c.setAttr(keys.Row(row(0).Key), keys.AttrVersion, item.Value{Type: item.N, S: "99"})
		c.setAttr(keys.Row(row(1).Key), tablekeys.AttrSummary, item.Value{Type: item.B, B: []byte{0xff}})
		c.equal("rows", c.starts(tier.Hour, wholeDay()), []model.Time{minute(0), minute(60), minute(120)})
		if newer := c.row(row(0).Key); newer.V != 99 || newer.Summary != nil {
			c.Errorf("row of a newer version is %+v, want its version and no summary", newer)
		}
		damaged := c.row(row(1).Key)
		if damaged.Rev != row(1).Rev || damaged.Summary != nil || damaged.Empty {
			c.Errorf("damaged row is %+v, want its rev and no summary", damaged)
		}
		c.putRow(row(1), damaged.Rev)
		c.sameRow(c.row(row(1).Key), row(1))
	}},
	{"a row of a newer version is an error to write", func(c *contract) {
		r := row(0)
		r.V = item.Version + 1
		if result, err := c.table.PutRow(c.Context(), r, noRev); err == nil {
			c.Errorf("put row returns %v, want an error", result)
		}
	}},
}

// starts returns the bucket starts of all pages of a range.
func (c *contract) starts(u tier.Unit, r storage.Range) (all []model.Time) {
	c.Helper()
	rows := paging.Items(func(after string) ([]rollup.Row, string, error) {
		r.After = after
		page, err := c.table.Rows(c.Context(), u, r)
		return page.Rows, page.Next, err
	})
	for row, err := range rows {
		if err != nil {
			c.Fatalf("rows: %v", err)
		}
		all = append(all, row.Key.Start)
	}
	return all
}
