package reshape_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/reshape"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// shop is a table with the visits of a site, of which each hour has one view and one order.
type shop struct {
	*testing.T
	table *memory.Table
	clock model.Time
	goals []goal.Goal // declared
}

func newShop(t *testing.T) *shop {
	s := &shop{T: t, clock: parseTime("2026-04-10T00:00:00Z")}
	s.table = memory.New(func() model.Time { return s.clock })
	return s
}

func (s *shop) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shop) declared() *catalog.Catalog {
	s.Helper()
	site := catalog.SubjectType{Name: "SITE"}
	policy := tier.Policy{Raw: 5 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * day},
		{Unit: tier.Day, Retention: tier.Forever}}}.Defer()
	events := func(name string) catalog.Kind {
		return catalog.Kind{Name: name, Subject: site, Latest: catalog.NoLatest, Retention: policy}
	}
	visits := events("VISIT")
	visits.Sessions = &catalog.Sessions{Of: "VIEW", By: "who", Gap: 30 * time.Minute, Follow: time.Hour}
	visits.Goals = s.goals
	visits.Retention.Tiers = append([]tier.Tier(nil), policy.Tiers...)
	for i := range visits.Retention.Tiers {
		visits.Retention.Tiers[i].Grace = 40 * time.Minute
	}
	kinds, err := catalog.New(events("VIEW"), visits, events("ORDER"))
	s.must(err)
	return kinds
}

// kinds returns the kinds of a process that declares some goals, by the configuration of the table.
func (s *shop) kinds() *catalog.Catalog {
	s.Helper()
	kinds := s.declared()
	s.must(tableconfig.Load(s.Context(), s.table, kinds, s.clock))
	return kinds
}

func (s *shop) apply() (string, error) {
	a := &tableconfig.Applier{
		Table: s.table, Queue: s.table, Now: func() model.Time { return s.clock },
		Sweep: func(context.Context, storage.QueueShard) error { return nil },
	}
	all, err := a.Apply(s.Context(), s.declared())
	return fmt.Sprint(all), err
}

func (s *shop) aggregator() *aggregate.Aggregator {
	return &aggregate.Aggregator{Store: s.table, QuarantineStore: s.table, Catalog: s.kinds(),
		Now: func() model.Time { return s.clock }, Rand: rand.NewChaCha8([32]byte{1})}
}

// hours appends a view and an order to some hours and sweeps what has closed.
func (s *shop) hours(n int) {
	s.Helper()
	for range n {
		s.clock = s.clock.Add(time.Hour)
		var changes []storage.Change
		for _, kind := range []string{"VIEW", "ORDER"} {
			k, _ := s.kinds().Kind(kind)
			attrs := model.Attrs{{Name: "amount", Value: model.NumberValue(model.MustDecimal("0.10"))},
				{Name: "who", Value: model.TextValue("a")}}
			e := model.Event{
				Series: k.Series("site", "", model.Order{}), Order: model.Order{At: s.clock, ID: kind}, Attrs: attrs, Hash: model.HashAttrs(attrs),
				ArrivedAt: s.clock, ExpiresAt: k.Retention.EventExpiresAt(s.clock),
			}
			_, err := s.table.Put(s.Context(), e)
			s.must(err)
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: e.Key(), After: &e, At: s.clock})
		}
		agg := s.aggregator()
		if report := agg.Process(s.Context(), changes); len(report.Failures) > 0 {
			s.Fatal(report.Failures[0].Err)
		}
		for _, shard := range storage.FirstGeneration.QueueShards() {
			_, err := agg.Sweep(s.Context(), shard)
			s.must(err)
		}
	}
	s.table.Expire(s.clock)
}

// rows returns how many rows of hours count a goal in each session and say so, and how many say
// that they are partial.
func (s *shop) rows() (whole, partial int) {
	s.Helper()
	kind, _ := s.kinds().Kind("VISIT")
	page, err := s.table.Rows(s.Context(), tier.Hour,
		storage.Range{Series: kind.Series("site", "", model.Order{}), From: model.MinTime, To: model.MaxTime})
	s.must(err)
	for _, row := range page.Rows {
		m, _ := row.Summary.Measure("goal_buy")
		value, _ := row.Summary.Measure("goal_buy_value")
		switch said := len(kind.Spec().Partial(&row.Fold)) == 0; {
		case !said:
			partial++
		case m.Count == 1 && m.Sum.String() == "1" && value.Sum.String() == "0.1":
			whole++
		default:
			s.Errorf("%s says that the goal is whole: %+v, value %+v", row.Key.Start, m, value)
		}
	}
	return whole, partial
}

func bought() []goal.Goal {
	return []goal.Goal{{Name: "buy", Steps: []goal.Step{{Of: "VIEW"}, {Of: "ORDER"}}, Value: "amount"}}
}

func (s *shop) verify() {
	s.Helper()
	v := &verify.Verifier{Store: s.table, MaxExplained: 3, Catalog: s.kinds(),
		Now: func() model.Time { return s.clock }}
	report, err := v.Verify(s.Context(), verify.Scope{Span: verify.Always})
	s.must(err)
	if !report.OK() {
		s.Errorf("verify: %+v", report.Differences)
	}
}

// A goal that is declared later is counted from then on. Reshape counts it as far as events are
// stored, and the table says from when it is whole.
func TestSwitch_CountsAGoalThatIsDeclaredLaterAsFarAsEventsAreStored(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, err := s.apply()
	s.must(err)
	s.hours(10 * 24)
	s.goals = bought()
	s.hours(1)
	if kind, _ := s.kinds().Kind("VISIT"); len(kind.Goals) != 0 {
		t.Fatal("a goal is counted that is not applied")
	}
	applied := s.clock
	text, err := s.apply()
	s.must(err)
	if !strings.Contains(text,
		"VISIT: goal_buy is complete from "+applied.String()+": tidemark rebuild --fields VISIT") {
		t.Errorf("%s, want from when the goal is complete", text)
	}
	s.goals = nil // a process that was not deployed since counts the goals of the table
	s.hours(3)
	s.goals = bought()
	if whole, partial := s.rows(); whole == 0 || whole > 3 || partial < 230 {
		t.Errorf("before: %d rows are whole, %d partial; want the new ones whole", whole, partial)
	}
	s.verify()
	r := &reshape.Reshaper{Table: s.table, Catalog: s.kinds(), Now: func() model.Time { return s.clock },
		Retrier: retry.Retrier{Rand: rand.NewChaCha8([32]byte{2})}}
	_, err = r.Switch(t.Context(), "VISIT")
	s.must(err)
	if whole, partial := s.rows(); whole < 5*24-3 || whole > 5*24+2 || partial == 0 {
		t.Errorf("after: %d rows are whole, %d partial; want five days of whole rows", whole, partial)
	}
	s.verify()
	kind, _ := s.kinds().Kind("VISIT")
	buy, _ := kind.Spec().Added.Find(rollup.MeasureRole, "goal_buy")
	if first := s.clock.Add(-5 * day); buy.Since != applied || buy.WholeFrom < first ||
		buy.WholeFrom > first.Add(3*time.Hour) {
		t.Errorf("whole from %s since %s, want from the first stored event on, %s", buy.WholeFrom, buy.Since, first)
	}
}

// Rows of one name count one thing: another goal of the name is refused until no process folds the
// goal that was removed, and is a new goal after that.
func TestApply_RefusesAnotherGoalOfAName(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.goals = bought()
	_, err := s.apply()
	s.must(err)
	s.goals[0].Steps = s.goals[0].Steps[1:]
	if _, err := s.apply(); err == nil || !strings.Contains(err.Error(), "kinds.VISIT.goals.buy") {
		t.Errorf("%v, want the goal refused", err)
	}
	other := s.goals
	s.goals = nil
	_, err = s.apply()
	s.must(err)
	s.clock = s.clock.Add(2 * tableconfig.Lead)
	s.goals = other
	_, err = s.apply()
	s.must(err)
	kind, _ := s.kinds().Kind("VISIT")
	buy, _ := kind.Spec().Added.Find(rollup.MeasureRole, "goal_buy")
	if len(kind.Goals) != 1 || len(kind.Goals[0].Steps) != 1 || buy.Since != s.clock {
		t.Errorf("goals %v since %s, want the new one from now on", kind.Goals, buy.Since)
	}
}

// A process that lacks what a goal of the table needs would count too few: it is refused.
func TestLoad_RefusesGoalsThatItCannotCount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.goals = bought()
	_, err := s.apply()
	s.must(err)
	s.goals = nil
	all := s.declared()
	without, err := catalog.New(all.Kinds[:2]...)
	s.must(err)
	if err := tableconfig.Load(t.Context(), s.table, without, s.clock); err == nil ||
		!strings.Contains(err.Error(), "events of kind ORDER, which is not declared") {
		t.Errorf("%v, want the kind named", err)
	}
	stored, err := s.table.KindConfig(t.Context(), "VISIT")
	s.must(err)
	for i := range stored.Measures {
		stored.Measures[i].Goal = []byte(`{"Name": "buy", "Countries": ["NO"]}`)
	}
	prev := stored.Rev
	stored.Rev[0]++
	_, err = s.table.PutKindConfig(t.Context(), *stored, prev)
	s.must(err)
	if err := tableconfig.Load(t.Context(), s.table, s.declared(), s.clock); err == nil ||
		!strings.Contains(err.Error(), "a goal that this release does not know") {
		t.Errorf("%v, want a newer release named", err)
	}
}

// Sessions are folded from all events of goals: the shortest retention of these counts.
func TestLoad_SessionsHaveTheShortestRetentionThatEventsOfGoalsEverHad(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.goals = bought()
	_, err := s.apply()
	s.must(err)
	orders, err := s.table.KindConfig(t.Context(), "ORDER")
	s.must(err)
	prev := orders.Rev
	orders.Rev[0]++
	orders.LeastRaw = 4 * day
	_, err = s.table.PutKindConfig(t.Context(), *orders, prev)
	s.must(err)
	kind, _ := s.kinds().Kind("VISIT")
	if got := kind.Retention.LeastRawRetention(); got != 4*day {
		t.Errorf("the least retention of the sources of sessions is %s, want 4 days", got)
	}
}
