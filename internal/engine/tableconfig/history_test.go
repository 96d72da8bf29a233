package tableconfig_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// history is a table whose configuration changes while events arrive.
type history struct {
	*testing.T
	table *memory.Table
	clock atomic.Int64
	// remembers is false for a run in which processes do not read the table's configuration,
	// as before there was one.
	remembers bool
	kinds     *catalog.Catalog // of the running processes
}

func newHistory(t *testing.T, remembers bool) *history {
	h := &history{T: t, remembers: remembers}
	h.at("2026-04-20T06:00:00Z")
	h.table = memory.New(h.now)
	return h
}

func (h *history) now() model.Time { return model.Time(h.clock.Load()) }
func (h *history) at(text string)  { h.clock.Store(int64(mustTime(text))) }

func mustTime(text string) model.Time {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return at
}

func newCatalog(t *testing.T, p tier.Policy) *catalog.Catalog {
	t.Helper()
	kinds, err := catalog.New(catalog.Kind{
		Name: "FLOW", Subject: catalog.SubjectType{Name: "DEVICE"}, Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9}}, Retention: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// deploy deploys a configuration: the processes start with it, then it is applied, and then
// they read the table's again. It returns the error of the step that is refused.
func (h *history) deploy(p tier.Policy) error {
	h.Helper()
	h.kinds = newCatalog(h.T, p)
	if !h.remembers {
		return nil
	}
	if err := h.start(p); err != nil {
		return err
	}
	a := &tableconfig.Applier{Table: h.table, Now: h.now, MaxAhead: 5 * time.Minute}
	if _, err := a.Apply(h.Context(), newCatalog(h.T, p)); err != nil {
		return err
	}
	return h.start(p)
}

// start starts the processes with a declared configuration.
func (h *history) start(p tier.Policy) error {
	h.kinds = newCatalog(h.T, p)
	if !h.remembers {
		return nil
	}
	return tableconfig.Load(h.Context(), h.table, h.kinds, h.now())
}

func (h *history) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// event stores an event now and processes it.
func (h *history) event(text string) {
	h.Helper()
	kind, _ := h.kinds.Kind("FLOW")
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(1))}}
	e := model.Event{
		Series: kind.Series("d1", "", model.Order{}), Order: model.Order{At: mustTime(text)}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: h.now(), ExpiresAt: kind.Retention.EventExpiresAt(h.now()),
	}
	if _, err := h.table.Put(h.Context(), e); err != nil {
		h.Fatal(err)
	}
	agg := &aggregate.Aggregator{
		Store: h.table, QuarantineStore: h.table, Catalog: h.kinds, Now: h.now, Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	report := agg.Process(h.Context(),
		[]storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e, At: h.now()}})
	if len(report.Failures) > 0 {
		h.Fatal(report.Failures[0].Err)
	}
}

// wrong returns the rows of [from, to) that say exact, but have another number of events
// than were stored.
func (h *history) wrong(want map[string]int64) (wrong []string) {
	h.Helper()
	for bucket, n := range want {
		name, start, _ := strings.Cut(bucket, " ")
		unit, err := tier.ParseUnit(name)
		h.must(err)
		kind, _ := h.kinds.Kind("FLOW")
		b := unit.BucketAt(mustTime(start))
		row, err := h.table.Row(h.Context(),
			rollup.Key{Series: kind.Series("d1", "", model.Order{}), Tier: name, Start: b.Start})
		h.must(err)
		if row != nil && !row.Empty && row.Exact && row.Summary.Events() != n {
			wrong = append(wrong, bucket)
		}
	}
	return wrong
}

const day = tier.Day24

func policy(raw time.Duration, tiers ...tier.Tier) tier.Policy {
	return tier.Policy{Raw: raw, Tiers: tiers}
}

func hours(kept time.Duration) tier.Tier { return tier.Tier{Unit: tier.Hour, Retention: kept} }

var (
	days    = tier.Tier{Unit: tier.Day, Retention: 730 * day}
	months  = tier.Tier{Unit: tier.Month, Retention: tier.Forever}
	minutes = tier.Tier{Unit: tier.Minute, Retention: 34 * day}
)

// bothWays runs a history as before there was a configuration of the table, when it ends
// with a wrong row, and with it.
func bothWays(t *testing.T, run func(h *history) (wrong []string)) {
	t.Helper()
	if wrong := run(newHistory(t, false)); len(wrong) == 0 {
		t.Error("without the table's configuration no row is wrong: the history proves nothing")
	}
	if wrong := run(newHistory(t, true)); len(wrong) > 0 {
		t.Errorf("exact and wrong: %v", wrong)
	}
}

func TestHistory_MinuteTierRemovedAndALateEventAfterRawExpired(t *testing.T) {
	t.Parallel()
	fine, coarse := policy(3*day, minutes, hours(90*day), days, months),
		policy(3*day, hours(90*day), days, months)
	bothWays(t, func(h *history) []string {
		h.must(h.deploy(fine))
		for _, at := range []string{"2026-04-20T05:10:00Z", "2026-04-20T05:20:00Z"} {
			h.event(at)
		}
		h.at("2026-04-25T06:00:00Z")
		h.table.Expire(h.now())
		switch err := h.deploy(coarse); {
		case h.remembers && (!errors.Is(err, tableconfig.ErrRefused) ||
			!strings.Contains(err.Error(), "refused: kinds.FLOW.tiers.minute")):
			h.Errorf("deploy: %v, want it refused with the tier's name", err)
		case h.remembers:
			h.must(h.deploy(fine))
		}
		h.event("2026-04-20T05:30:00Z")
		return h.wrong(map[string]int64{"hour 2026-04-20T05:00:00Z": 3, "day 2026-04-20T00:00:00Z": 3,
			"month 2026-04-01T00:00:00Z": 3})
	})
}

func TestHistory_HourKeptLongerWithoutLeast(t *testing.T) {
	t.Parallel()
	bothWays(t, func(h *history) []string {
		h.must(h.deploy(policy(3*day, hours(7*day), days, months)))
		for _, at := range []string{"2026-04-20T05:10:00Z", "2026-04-20T05:20:00Z"} {
			h.event(at)
		}
		h.at("2026-04-29T06:00:00Z")
		h.table.Expire(h.now())
		h.must(h.deploy(policy(3*day, hours(30*day), days, months)))
		h.event("2026-04-20T05:30:00Z")
		return h.wrong(map[string]int64{"hour 2026-04-20T05:00:00Z": 3, "day 2026-04-20T00:00:00Z": 3,
			"month 2026-04-01T00:00:00Z": 3})
	})
}

func TestHistory_MinuteTierDeployedAfterItsFrom(t *testing.T) {
	t.Parallel()
	bothWays(t, func(h *history) []string {
		h.must(h.deploy(policy(3*day, hours(90*day), days, months)))
		h.at("2026-04-20T10:10:00Z")
		h.event("2026-04-20T10:09:00Z")
		h.at("2026-04-20T10:30:00Z")
		from := minutes
		from.From = mustTime("2026-04-20T10:00:00Z")
		h.must(h.deploy(policy(3*day, from, hours(90*day), days, months)))
		h.at("2026-04-20T10:40:00Z")
		h.event("2026-04-20T10:39:00Z")
		return h.wrong(map[string]int64{"hour 2026-04-20T10:00:00Z": 2, "day 2026-04-20T00:00:00Z": 2,
			"month 2026-04-01T00:00:00Z": 2})
	})
}

func TestHistory_ValidFromRolledBackAndForward(t *testing.T) {
	t.Parallel()
	from := minutes
	from.From = mustTime("2026-04-20T12:00:00Z")
	before, after := policy(3*day, hours(90*day), days, months), policy(3*day, from, hours(90*day), days, months)
	bothWays(t, func(h *history) []string {
		h.must(h.deploy(before))
		h.at("2026-04-20T10:00:00Z")
		h.must(h.deploy(after))
		h.at("2026-04-20T10:30:00Z")
		h.must(h.deploy(before)) // the tier has not begun
		h.at("2026-04-20T12:11:00Z")
		h.event("2026-04-20T12:10:00Z")
		h.at("2026-04-20T12:30:00Z")
		h.must(h.deploy(after))
		h.at("2026-04-20T12:41:00Z")
		h.event("2026-04-20T12:40:00Z")
		return h.wrong(map[string]int64{"hour 2026-04-20T12:00:00Z": 2, "day 2026-04-20T00:00:00Z": 2})
	})
}

// After the tier has begun, the older declaration alone would lose minutes.
func TestHistory_ABegunTierCannotBeRolledBack(t *testing.T) {
	t.Parallel()
	before, after := policy(3*day, hours(90*day), days, months),
		policy(3*day, minutes, hours(90*day), days, months)
	h := newHistory(t, true)
	h.must(h.deploy(before))
	h.must(h.deploy(policy(3*day, tier.Tier{Unit: tier.Minute, Retention: 34 * day}, hours(90*day), days,
		months)))
	h.at("2026-04-20T09:00:00Z")
	h.event("2026-04-20T08:59:00Z")
	if err := h.start(before); !errors.Is(err, tableconfig.ErrRefused) {
		t.Errorf("start with the older configuration: %v, want %v", err, tableconfig.ErrRefused)
	}
	h.must(h.start(after))
}

// A coarsest tier that is removed may be added again: its rows from before may miss changes.
func TestHistory_ATierAddedAgainBeginsAfterTheGap(t *testing.T) {
	t.Parallel()
	with, without := policy(3*day, hours(90*day), days, months), policy(3*day, hours(90*day), days)
	h := newHistory(t, true)
	h.must(h.deploy(with))
	h.event("2026-04-20T05:10:00Z")
	h.must(h.deploy(without))
	h.event("2026-04-20T05:20:00Z")
	h.must(h.deploy(with))
	kind, _ := h.kinds.Kind("FLOW")
	month, _, found := kind.Retention.Find(tier.Month)
	if !found || month.From != mustTime("2026-05-01T00:00:00Z") {
		t.Errorf("month tier %+v, want it from the first month after the gap", month)
	}
}
