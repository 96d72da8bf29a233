package tableconfig_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var noon = mustTime("2026-04-20T12:00:00Z")

func clock() model.Time { return noon }

func newKinds(t *testing.T, change func(*catalog.Kind)) *catalog.Catalog {
	t.Helper()
	k := catalog.Kind{
		Name: "FLOW", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures:   []rollup.MeasureSpec{{Name: "value", Scale: 9}},
		Dimensions: []rollup.DimensionSpec{{Name: "room"}}, Distinct: []string{"user"},
		Retention: policy(10*day, hours(90*day), days, months),
	}
	if change != nil {
		change(&k)
	}
	kinds, err := catalog.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func apply(t *testing.T, table tableconfig.Store, now model.Time,
	change func(*catalog.Kind)) (tableconfig.Applied, error) {
	t.Helper()
	a := &tableconfig.Applier{Table: table, Now: func() model.Time { return now }, MaxAhead: 5 * time.Minute}
	all, err := a.Apply(t.Context(), newKinds(t, change))
	if err != nil {
		return tableconfig.Applied{}, err
	}
	return all[0], nil
}

func TestApply_AdoptsTheDeclaredConfigurationOnce(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	first, err := apply(t, table, noon, nil)
	if err != nil || !first.Changed {
		t.Fatalf("%+v, %v; want it applied", first, err)
	}
	want := []storage.TierConfig{{Unit: "hour", Retention: 90 * day, Least: 90 * day}, {Unit: "day",
		Retention: 730 * day, Least: 730 * day}, {Unit: "month", Retention: tier.Forever, Least: tier.Forever}}
	if diff := cmp.Diff(want, first.Config.Tiers); diff != "" || first.Config.AppliedAt != noon {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	again, err := apply(t, table, noon.Add(time.Hour), nil)
	if err != nil || again.Changed || again.Config.Rev != first.Config.Rev {
		t.Errorf("applied again: %+v, %v; want it unchanged", again, err)
	}
}

func TestApply_RefusesWhatWouldMakeStoredRowsWrong(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	wrap := func(bits int) func(*catalog.Kind) {
		return func(k *catalog.Kind) {
			k.Measures = append(slices.Clip(k.Measures), rollup.MeasureSpec{Name: "total", Counter: true, Wrap: bits})
		}
	}
	if _, err := apply(t, table, noon, wrap(0)); err != nil {
		t.Fatal(err)
	}
	before, _ := table.KindConfig(t.Context(), "FLOW")
	for want, change := range map[string]func(*catalog.Kind){
		"kinds.FLOW.orderBy: none to points number": func(k *catalog.Kind) {
			k.OrderBy = "points"
			k.OrderType = catalog.NumberOrder
			k.Retention = tier.Policy{Raw: 30 * day}
		},
		"kinds.FLOW.shards: 1 to 3":               func(k *catalog.Kind) { k.Shards = 3 },
		"kinds.FLOW.subject.name: DEVICE to SITE": func(k *catalog.Kind) { k.Subject.Name = "SITE" },
		"kinds.FLOW.measures.total.wrap: 0 to 32": wrap(32),
		"kinds.FLOW.measures.value.scale: 9 to 2": func(k *catalog.Kind) { k.Measures[0].Scale = 2 },
		"kinds.FLOW.tiers.hour: 90d to none":      func(k *catalog.Kind) { k.Retention.Tiers = k.Retention.Tiers[1:] },
		"kinds.FLOW.tiers.day: 730d to none":      func(k *catalog.Kind) { k.Retention = policy(10*day, hours(90*day), months) },
	} {
		_, err := apply(t, table, noon, change)
		if !errors.Is(err, tableconfig.ErrRefused) || !strings.Contains(err.Error(), "refused: "+want) {
			t.Errorf("apply: %v, want %s refused", err, want)
		}
		if err := tableconfig.Load(t.Context(), table, newKinds(t, change), noon); !errors.Is(err,
			tableconfig.ErrRefused) {
			t.Errorf("%s: load returned %v, want it refused", want, err)
		}
	}
	if after, _ := table.KindConfig(t.Context(), "FLOW"); !cmp.Equal(before, after) {
		t.Errorf("a refused change was written: %+v", after)
	}
}

func TestApply_KeepsTheLeastRetentionEver(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	keeping := func(raw, hour time.Duration) func(*catalog.Kind) {
		return func(k *catalog.Kind) { k.Retention = policy(raw, hours(hour), days, months) }
	}
	for _, p := range [][2]time.Duration{{10 * day, 90 * day}, {3 * day, 20 * day}, {60 * day, 200 * day},
		{30 * day, 60 * day}} {
		if _, err := apply(t, table, noon, keeping(p[0], p[1])); err != nil {
			t.Fatal(err)
		}
	}
	kinds := newKinds(t, keeping(30*day, 60*day))
	if err := tableconfig.Load(t.Context(), table, kinds, noon); err != nil {
		t.Fatal(err)
	}
	got := kinds.Kinds[0].Retention
	if got.Raw != 30*day || got.LeastRawRetention() != 3*day || got.Tiers[0].Retention != 60*day ||
		got.Tiers[0].LeastRetention() != 20*day {
		t.Errorf("retention %+v, want the present one with the least ever", got)
	}
}

func TestLoad_RunsByTheTableUntilADeclarationIsApplied(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	if _, err := apply(t, table, noon, nil); err != nil {
		t.Fatal(err)
	}
	kinds := newKinds(t, func(k *catalog.Kind) { k.Retention = policy(3*day, minutes, hours(30*day), days) })
	if err := tableconfig.Load(t.Context(), table, kinds, noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(policy(10*day, hours(90*day), days, months), kinds.Kinds[0].Retention); diff != "" {
		t.Errorf("(-table +process):\n%s", diff)
	}
}

// Each reading of the clock is a millisecond later than the one before.
func TestApply_SaysSinceWhenAFieldHoldsWhileTimePasses(t *testing.T) {
	t.Parallel()
	table, now := memory.New(clock), noon
	a := &tableconfig.Applier{Table: table, MaxAhead: 5 * time.Minute,
		Now: func() model.Time { now++; return now }}
	if _, err := a.Apply(t.Context(), newKinds(t, nil)); err != nil {
		t.Fatal(err)
	}
	all, err := a.Apply(t.Context(), newKinds(t, func(k *catalog.Kind) {
		k.Distinct = append(k.Distinct, "badge")
	}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "FLOW: badge is complete from " +
		all[0].Config.AppliedAt.String(); !strings.Contains(all[0].String(), want) {
		t.Errorf("said %q, want %q", all[0], want)
	}
}

func TestApply_SaysSinceWhenAFieldHolds(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	if _, err := apply(t, table, noon, nil); err != nil {
		t.Fatal(err)
	}
	later := noon.Add(day)
	got, err := apply(t, table, later, func(k *catalog.Kind) {
		k.Measures = []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}, {Name: "new", Scale: 2}}
		k.Dimensions = append(k.Dimensions, rollup.DimensionSpec{Name: "area"})
		k.Distinct = append(k.Distinct, "badge")
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "FLOW: new is complete from " + later.String(); !strings.Contains(got.String(), want) {
		t.Errorf("said %q, want %q", got, want)
	}
	want := [][]storage.FieldConfig{
		{{Name: "new", Scale: 2, Since: later}, {Name: "value", Scale: 9, Percentiles: true, PercentilesSince: later}},
		{{Name: "area", Top: 200, Since: later}, {Name: "room", Top: 200}}, {{Name: "badge", Since: later}, {Name: "user"}},
	}
	if diff := cmp.Diff(want,
		[][]storage.FieldConfig{got.Config.Measures, got.Config.Dimensions, got.Config.Distinct}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestApply_TheFirstBucketOfANewTier(t *testing.T) {
	t.Parallel()
	quarterDeclared := minutes
	quarterDeclared.From = mustTime("2026-04-21T00:00:00Z")
	for name, c := range map[string]struct {
		before, after tier.Policy
		unit          tier.Unit
		want          string
	}{
		"finer, next hour after the lead":      {policy(10*day, hours(90*day), days, months), policy(10*day, minutes, hours(90*day), days, months), tier.Minute, "2026-04-20T14:00:00.000Z"},
		"finer, declared later":                {policy(10*day, hours(90*day), days, months), policy(10*day, quarterDeclared, hours(90*day), days, months), tier.Minute, "2026-04-21T00:00:00.000Z"},
		"between, next month":                  {policy(10*day, hours(90*day), months), policy(10*day, hours(90*day), days, months), tier.Day, "2026-05-01T00:00:00.000Z"},
		"coarsest, where all children exist":   {policy(10*day, hours(90*day), days), policy(10*day, hours(90*day), days, months), tier.Month, "2024-05-01T00:00:00.000Z"},
		"the only one, where all events exist": {policy(10*day, hours(90*day)), policy(10*day, days), tier.Day, "2026-04-11T00:00:00.000Z"},
	} {
		table := memory.New(clock)
		for _, p := range []tier.Policy{c.before, c.after} {
			if _, err := apply(t, table, noon, func(k *catalog.Kind) { k.Retention = p }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		stored, _ := table.KindConfig(t.Context(), "FLOW")
		p, err := tableconfig.Policy(stored)
		got, _, _ := p.Find(c.unit)
		if err != nil || got.From.String() != c.want {
			t.Errorf("%s: from %s, %v; want %s", name, got.From, err, c.want)
		}
	}
}

// contended changes the stored configuration before the first write of another process.
type contended struct {
	*memory.Table
	first func()
}

func (c *contended) PutKindConfig(ctx context.Context, k storage.KindConfig,
	prev [16]byte) (storage.WriteResult, error) {
	if c.first != nil {
		run := c.first
		c.first = nil
		run()
	}
	return c.Table.PutKindConfig(ctx, k, prev)
}

func TestApply_ReadsAgainWhatAnotherProcessApplied(t *testing.T) {
	t.Parallel()
	table := &contended{Table: memory.New(clock)}
	table.first = func() {
		if _, err := apply(t, table.Table, noon, func(k *catalog.Kind) {
			k.Retention = policy(3*day, hours(20*day), days, months)
		}); err != nil {
			t.Error(err)
		}
	}
	got, err := apply(t, table, noon, nil)
	if err != nil || got.Config.LeastRaw != 3*day || got.Config.Tiers[0].Least != 20*day {
		t.Errorf("%+v, %v; want what the other process promised to be kept", got.Config, err)
	}
	table.first = func() {
		if _, err := apply(t, table.Table, noon, func(k *catalog.Kind) { k.Measures[0].Scale = 12 }); err != nil {
			t.Error(err)
		}
	}
	if _, err := apply(t, table, noon, func(k *catalog.Kind) { k.Distinct = nil }); !errors.Is(err,
		tableconfig.ErrRefused) {
		t.Errorf("apply after a larger scale: %v, want it refused", err)
	}
}

// broken cannot be read, or not be written.
type broken struct {
	*memory.Table
	read, write error
}

func (b broken) KindConfig(ctx context.Context, kind string) (*storage.KindConfig, error) {
	if b.read != nil {
		return nil, b.read
	}
	return b.Table.KindConfig(ctx, kind)
}

func (b broken) PutKindConfig(context.Context, storage.KindConfig, [16]byte) (storage.WriteResult, error) {
	return storage.Unknown, b.write
}

func TestErrorsOfTheTableAreReturned(t *testing.T) {
	t.Parallel()
	failure := errors.New("no access")
	for _, table := range []broken{
		{Table: memory.New(clock), read: failure},
		{Table: memory.New(clock), write: failure},
	} {
		if _, err := apply(t, table, noon, nil); !errors.Is(err, failure) {
			t.Errorf("apply: %v, want %v", err, failure)
		}
	}
	current := &tableconfig.Current{Table: broken{Table: memory.New(clock), read: failure}, Now: clock,
		Declare: func() (*catalog.Catalog, error) { return newKinds(t, nil), nil }}
	if _, _, err := current.Kinds(t.Context()); !errors.Is(err, failure) {
		t.Errorf("kinds: %v, want %v", err, failure)
	}
	current.Declare = func() (*catalog.Catalog, error) { return nil, failure }
	if _, _, err := current.Kinds(t.Context()); !errors.Is(err, failure) {
		t.Errorf("kinds: %v, want %v", err, failure)
	}
}

func TestPolicy_ATierOfAnUnknownUnitIsAnError(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	stored := storage.KindConfig{Kind: "FLOW", Rev: [16]byte{1}, SubjectType: "DEVICE", Shards: 1,
		Tiers: []storage.TierConfig{{Unit: "decade"}}}
	if _, err := table.PutKindConfig(t.Context(), stored, [16]byte{}); err != nil {
		t.Fatal(err)
	}
	if err := tableconfig.Load(t.Context(), table, newKinds(t, nil), noon); err == nil {
		t.Error("no error for a tier that this release does not know")
	}
}

func TestCurrent_ReadsTheTableAgain(t *testing.T) {
	t.Parallel()
	table, now := memory.New(clock), noon
	current := &tableconfig.Current{Table: table, Now: func() model.Time { return now },
		Declare: func() (*catalog.Catalog, error) { return newKinds(t, nil), nil }}
	kinds := func(want bool, raw time.Duration) {
		t.Helper()
		got, changed, err := current.Kinds(t.Context())
		if err != nil || changed != want || got.Kinds[0].Retention.Raw != raw {
			t.Errorf("kinds: %v, changed %t, %v; want raw %s, changed %t", got.Kinds[0].Retention, changed, err, raw,
				want)
		}
	}
	kinds(true, 10*day)
	if _, err := apply(t, table, noon, func(k *catalog.Kind) { k.Retention.Raw = 9 * day }); err != nil {
		t.Fatal(err)
	}
	kinds(false, 10*day)
	now = now.Add(tableconfig.MaxAge)
	kinds(true, 9*day)
	now = now.Add(tableconfig.MaxAge)
	kinds(false, 9*day)
}

// A kind with stored items cannot be left out: its stream records would go to quarantine.
func TestApply_ARemovedKindIsRefusedUntilItIsRetired(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	if _, err := apply(t, table, noon, nil); err != nil {
		t.Fatal(err)
	}
	others := newKinds(t, func(k *catalog.Kind) { k.Name = "OTHER" })
	a := &tableconfig.Applier{Table: table, Now: clock}
	stored := func(kind string) bool {
		c, err := table.KindConfig(t.Context(), kind)
		return err == nil && c != nil
	}
	if _, err := a.Apply(t.Context(), others); !errors.Is(err, tableconfig.ErrRefused) ||
		!strings.Contains(err.Error(), "kinds.FLOW") || stored("OTHER") {
		t.Errorf("%v, OTHER stored %t; want the removed kind refused and nothing written", err, stored("OTHER"))
	}
	a.Retired = []string{"FLOW"}
	for _, dry := range []bool{true, false} {
		a.DryRun = dry
		all, err := a.Apply(t.Context(), others)
		if err != nil || all[0].String() != "FLOW: retired" || stored("FLOW") != dry {
			t.Errorf("dry run %t: %v, %v, FLOW stored %t", dry, all, err, stored("FLOW"))
		}
	}
	if all, err := a.Apply(t.Context(), others); err != nil || len(all) != 1 {
		t.Errorf("again: %v, %v; want only OTHER", all, err)
	}
	a.Retired = []string{"OTHER"}
	if _, err := a.Apply(t.Context(), others); err == nil || !strings.Contains(err.Error(), "still declared") {
		t.Errorf("a declared kind: %v, want an error", err)
	}
}

// A mode that is declared has no effect before it is applied, and aggregation follows readers.
func TestApply_ATierBecomesDeferredAfterTheLead(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	if _, err := apply(t, table, noon, nil); err != nil {
		t.Fatal(err)
	}
	deferred := func(k *catalog.Kind) {
		for i := range k.Retention.Tiers {
			k.Retention.Tiers[i].Deferred = true
		}
	}
	loaded := func() tier.Policy {
		kinds := newKinds(t, deferred)
		if err := tableconfig.Load(t.Context(), table, kinds, noon); err != nil {
			t.Fatal(err)
		}
		return kinds.Kinds[0].Retention
	}
	if loaded().HasDeferred() {
		t.Error("deferred before it is applied")
	}
	if _, err := apply(t, table, noon, deferred); err == nil || !strings.Contains(err.Error(), "cannot sweep") {
		t.Errorf("a program that cannot sweep: %v, want an error", err)
	}
	now := noon
	// it takes its time: readers learn of the mode after it
	sweep := func(context.Context, storage.QueueShard) error {
		now = now.Add(10 * time.Minute)
		return nil
	}
	a := &tableconfig.Applier{Table: table, Now: func() model.Time { return now }, Sweep: sweep, Queue: table}
	all, err := a.Apply(t.Context(), newKinds(t, deferred))
	from := now.Add(tableconfig.Lead)
	if err != nil || now == noon ||
		!strings.Contains(all[0].String(), "FLOW: tier month is deferred from "+from.String()) {
		t.Errorf("%v, %v; want the time from which tiers are deferred", all, err)
	}
	for _, got := range loaded().Tiers {
		if !got.Deferred || got.DeferredFrom != from {
			t.Errorf("%s: deferred %t from %s, want it from %s", got.Unit, got.Deferred, got.DeferredFrom, from)
		}
	}
}

// Regions that are requested later count in sessions from then on, and the sessions before stay as they are.
func TestApply_SessionsCountRegionsThatAreRequestedLater(t *testing.T) {
	t.Parallel()
	table, now := memory.New(clock), noon
	sweep := func(context.Context, storage.QueueShard) error { return nil }
	a := &tableconfig.Applier{Table: table, Now: func() model.Time { return now }, Sweep: sweep, Queue: table}
	declared := func(regions bool) *catalog.Catalog {
		conf := config.Default(web.Kinds()...)
		conf.Collector.Regions = regions
		kinds, err := conf.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		return kinds
	}
	for _, regions := range []bool{false, true, false, true} {
		if _, err := a.Apply(t.Context(), declared(regions)); err != nil {
			t.Fatalf("regions %v: %v", regions, err)
		}
		for _, loaded := range []bool{false, true} { // of a process of either configuration
			kinds := declared(loaded)
			if err := tableconfig.Load(t.Context(), table, kinds, now.Add(tableconfig.Lead)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{web.PageViews.Name, web.Sessions.Name} {
				k, _ := kinds.Kind(name)
				counts := slices.ContainsFunc(k.Spec().Dimensions, func(d rollup.DimensionSpec) bool {
					return d.Name == webfield.Region
				})
				since, _ := k.Spec().Added.Find(rollup.DimensionRole, webfield.Region)
				if counts != regions || regions && since.WholeFrom != now {
					t.Errorf("%s, regions %v: counts them %v, whole from %s; want from %s", name, regions, counts,
						since.WholeFrom, now)
				}
			}
		}
		now = now.Add(tier.Day24)
	}
}

func TestNext_RefusesOtherSessions(t *testing.T) {
	declare := func(change func(*catalog.Sessions)) *catalog.Kind {
		sessions := web.Sessions
		rule := *sessions.Sessions
		change(&rule)
		sessions.Sessions = &rule
		kinds, err := catalog.New(web.PageViews, sessions)
		if err != nil {
			t.Fatal(err)
		}
		return kinds.SessionKinds(web.PageViews.Name)[0]
	}
	same := func(*catalog.Sessions) {}
	stored, refused := tableconfig.Next(nil, declare(same), noon, 0)
	if len(refused) > 0 {
		t.Fatalf("adopting the declaration: refused %v", refused)
	}
	if _, refused = tableconfig.Next(&stored, declare(same), noon, 0); len(refused) > 0 {
		t.Errorf("the same declaration: refused %v", refused)
	}
	for name, change := range map[string]func(*catalog.Sessions){
		"gap":    func(s *catalog.Sessions) { s.Gap = 20 * time.Minute },
		"follow": func(s *catalog.Sessions) { s.Follow = 12 * time.Hour },
		"fields": func(s *catalog.Sessions) { s.First = s.First[1:] },
	} {
		if _, refused := tableconfig.Next(&stored, declare(change), noon, 0); len(refused) != 1 ||
			!strings.Contains(refused[0].String(), "kinds.SESSION.sessionsOf") {
			t.Errorf("another %s: refused %v, want the sessions", name, refused)
		}
	}
	stored.Sessions = []byte(`{"Gap": "a text"}`)
	if _, refused := tableconfig.Next(&stored, declare(same), noon, 0); len(refused) != 1 {
		t.Errorf("a declaration that this release does not understand: refused %v", refused)
	}
}
