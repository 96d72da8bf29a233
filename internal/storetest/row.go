package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// none is the rev of no row.
var none rollup.Rev

// spec is what the readings of facts are summarised by.
var spec = &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "temperature", Scale: 9, Percentiles: true}}}

// row is the rollup of hour n after noon, of three readings, with rev {1, n}.
func row(n int) *rollup.Row {
	fold := rollup.NewFold(spec)
	for i := range 3 {
		e := reading(60*n+i, "", "temperature", 20+i)
		fold.AddEvent(&e)
	}
	return &rollup.Row{
		Key:       rollup.Key{Series: series, Tier: tier.Hour.String(), Start: minute(60 * n)},
		Fold:      *fold,
		Rev:       rollup.Rev{1, byte(n)},
		V:         item.Version,
		ExpiresAt: minute(60 * n).Add(90 * 24 * time.Hour).Seconds(),
		WrittenAt: minute(60*n + 61),
	}
}

// put writes a row that must be written.
func (c *contract) put(r *rollup.Row, prev rollup.Rev) {
	c.Helper()
	if answer, err := c.table.PutRow(c.Context(), r, prev); err != nil || answer != model.Written {
		c.Fatalf("put row answers %v, %v; want written", answer, err)
	}
}

// lost writes a row whose condition must fail.
func (c *contract) lost(r *rollup.Row, prev rollup.Rev) {
	c.Helper()
	if answer, err := c.table.PutRow(c.Context(), r, prev); err != nil || answer != model.Refused {
		c.Fatalf("put row answers %v, %v; want refused", answer, err)
	}
}

// row reads a row; it must be there.
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
	{"a row is written where there is none, and read as it was written", func(c *contract) {
		want := row(0)
		if r, err := c.table.Row(c.Context(), want.Key); r != nil || err != nil {
			c.Fatalf("row is %v, %v; want none", r, err)
		}
		c.put(want, none)
		c.sameRow(c.row(want.Key), want)
	}},
	{"absence is no condition once there is a row", func(c *contract) {
		c.put(row(0), none)
		second := row(0)
		second.Rev = rollup.Rev{2}
		c.lost(second, none)
		c.equal("rev", c.row(second.Key).Rev, rollup.Rev{1})
	}},
	{"a row is written over its rev and over no other", func(c *contract) {
		c.put(row(0), none)
		second := row(0)
		second.Rev = rollup.Rev{2}
		c.lost(second, rollup.Rev{9})
		c.put(second, rollup.Rev{1})
		third := row(0)
		third.Rev = rollup.Rev{3}
		c.lost(third, rollup.Rev{1})
		c.equal("rev", c.row(third.Key).Rev, rollup.Rev{2})
	}},
	{"a rev is no condition where there is no row", func(c *contract) {
		c.lost(row(0), rollup.Rev{1})
		c.equal("items", len(c.scan()), 0)
	}},
	{"a row deleted and made again is another row", func(c *contract) {
		c.put(row(0), none)
		if err := c.table.DeleteItem(c.Context(), keys.Row(row(0).Key)); err != nil {
			c.Fatal(err)
		}
		again := row(0)
		again.Rev = rollup.Rev{7}
		c.put(again, none)
		c.lost(row(0), rollup.Rev{1})
	}},
	{"a row is replaced whole", func(c *contract) {
		full := row(0)
		full.Unreadable, full.Exact, full.ChildrenUntil = 3, false, 17
		c.put(full, none)
		c.enriched(keys.Row(full.Key), "left", item.Value{Type: item.S, S: "behind"})
		empty := row(0)
		empty.Fold, empty.Empty, empty.ExpiresAt, empty.Rev = *rollup.NewFold(spec), true, 0, rollup.Rev{2}
		c.put(empty, full.Rev)
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
	{"rows of a range are those whose buckets start in it", func(c *contract) {
		for n := range 5 {
			c.put(row(n), none)
		}
		day := row(0)
		day.Key.Tier, day.Key.Start = tier.Day.String(), minute(-720)
		c.put(day, none)
		r := model.Range{Series: series, From: minute(60), To: minute(180), Consistent: true}
		c.equal("rows", c.starts(tier.Hour, r), []model.Time{minute(60), minute(120)})
		r.From, r.Newest = minute(61), true
		c.equal("newest first, from within a bucket", c.starts(tier.Hour, r), []model.Time{minute(120)})
		r.From, r.To = minute(-720), minute(720)
		c.equal("days", c.starts(tier.Day, r), []model.Time{minute(-720)})
		r.Limit = 2
		c.equal("page by page", c.starts(tier.Hour, r), []model.Time{minute(240), minute(180), minute(120), minute(60), minute(0)})
	}},
	{"empty and expired rows are shown", func(c *contract) {
		r := row(0)
		r.Fold, r.Empty, r.ExpiresAt = *rollup.NewFold(spec), true, 1
		c.put(r, none)
		if got := c.row(r.Key); !got.Empty || got.ExpiresAt != 1 {
			c.Errorf("row is %+v, want it empty and expired", got)
		}
		c.equal("rows", c.starts(tier.Hour, wholeDay()), []model.Time{noon})
	}},
	{"a row that cannot be decoded comes bare, and hides no other", func(c *contract) {
		for n := range 3 {
			c.put(row(n), none)
		}
		c.enriched(keys.Row(row(0).Key), keys.AttrVersion, item.Value{Type: item.N, S: "99"})
		c.enriched(keys.Row(row(1).Key), keys.AttrSummary, item.Value{Type: item.B, B: []byte{0xff}})
		c.equal("rows", c.starts(tier.Hour, wholeDay()), []model.Time{minute(0), minute(60), minute(120)})
		if newer := c.row(row(0).Key); newer.V != 99 || newer.Summary != nil {
			c.Errorf("row of a newer version is %+v, want its version and no summary", newer)
		}
		damaged := c.row(row(1).Key)
		if damaged.Rev != row(1).Rev || damaged.Summary != nil || damaged.Empty {
			c.Errorf("damaged row is %+v, want its rev and no summary", damaged)
		}
		c.put(row(1), damaged.Rev)
		c.sameRow(c.row(row(1).Key), row(1))
	}},
	{"a row of a newer version is not written", func(c *contract) {
		r := row(0)
		r.V = item.Version + 1
		if answer, err := c.table.PutRow(c.Context(), r, none); err == nil {
			c.Errorf("put row answers %v, want an error", answer)
		}
	}},
}

// starts are the bucket starts of all pages of a range.
func (c *contract) starts(u tier.Unit, r model.Range) (all []model.Time) {
	c.Helper()
	for {
		page, err := c.table.Rows(c.Context(), u, r)
		if err != nil {
			c.Fatalf("rows: %v", err)
		}
		for _, row := range page.Rows {
			all = append(all, row.Key.Start)
		}
		if r.After = page.Next; r.After == "" {
			return all
		}
	}
}
