package alert_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestAddRule_ReturnsTheCodeOfEachError(t *testing.T) {
	r := newFixture(t)
	change := func(f func(*storage.Rule)) storage.Rule {
		rule := hotRule()
		f(&rule)
		return rule
	}
	for code, draft := range map[string]storage.Rule{
		alert.CodeRuleName:     change(func(r *storage.Rule) { r.Name = "Too hot" }),
		alert.CodeRuleKind:     change(func(r *storage.Rule) { r.Kind = "PAGEVIEW" }),
		alert.CodeRuleMeasure:  change(func(r *storage.Rule) { r.Measure = "_at" }),
		alert.CodeRuleTest:     change(func(r *storage.Rule) { r.Test = "sum" }),
		alert.CodeRuleFor:      change(func(r *storage.Rule) { r.For = -1 }),
		alert.CodeRuleClear:    change(func(r *storage.Rule) { r.ClearHigh = decimal("31") }),
		alert.CodeRuleBounds:   change(func(r *storage.Rule) { r.Bounds = storage.Below }),
		alert.CodeRuleSeverity: change(func(r *storage.Rule) { r.Severity = "grave" }),
		alert.CodeRuleNoLatest: change(func(r *storage.Rule) { r.SubjectType, r.Kind = "SITE", "PAGEVIEW" }),
		alert.CodeRuleSubject:  change(func(r *storage.Rule) { r.SubjectType = "TRUCK" }),
	} {
		_, wrong, err := r.AddRule(t.Context(), draft)
		found := false
		for _, w := range wrong {
			found = found || w.Code == code
		}
		if err != nil || !found {
			t.Errorf("want %s, got %v, %v", code, wrong, err)
		}
	}
}

// An alert of a rule outside of two bounds ends between them: one bound may be given, if a value is left.
func TestAddRule_AValueIsLeftThatEndsAnAlert(t *testing.T) {
	r := newFixture(t)
	for _, c := range []struct {
		low, high *model.Decimal
		valid     bool
	}{
		{decimal("19"), nil, true}, {nil, decimal("18"), true}, {decimal("24"), nil, true},
		{decimal("24.1"), nil, false}, {nil, decimal("17"), false}, {decimal("23"), decimal("19"), false},
	} {
		rule := hotRule()
		rule.Bounds = storage.Outside
		rule.Low, rule.High = decimal("18"), decimal("24")
		rule.ClearLow, rule.ClearHigh = c.low, c.high
		_, wrong, err := r.AddRule(t.Context(), rule)
		refused := len(wrong) == 1 && wrong[0].Code == alert.CodeRuleClear
		if err != nil || refused == c.valid || !refused && len(wrong) > 0 {
			t.Errorf("outside, until %v and %v: %v, %v; valid: %v", c.low, c.high, wrong, err, c.valid)
		}
	}
}

func TestAddRule_LimitsTheNumberOfRules(t *testing.T) {
	r := newFixture(t)
	for i := range alert.MaxRules {
		rule := hotRule()
		rule.Name = fmt.Sprintf("rule-%d", i)
		r.mustAddRule(rule)
	}
	if _, wrong, err := r.AddRule(t.Context(), hotRule()); err != nil || len(wrong) != 1 ||
		wrong[0].Code != alert.CodeTooManyRules {
		t.Errorf("one rule too many: %v, %v; want too-many-rules", wrong, err)
	}
}

func TestAddRule_AChangedRuleIsANewRevisionFromNowOn(t *testing.T) {
	r := newFixture(t)
	first := r.mustAddRule(hotRule())
	r.append(1, 31)
	r.evaluate()
	r.now = r.now.Add(time.Minute)
	same := r.mustAddRule(hotRule())
	if same.ID() != first.ID() || same.From != first.From {
		t.Errorf("added again: %s from %s, want %s from %s", same.ID(), same.From, first.ID(), first.From)
	}
	higher := hotRule()
	higher.High = decimal("40")
	second := r.mustAddRule(higher)
	if second.ID() != "too-hot.2" || second.From != r.now.Add(-alert.RuleLookback) {
		t.Errorf("changed: %s from %s, want too-hot.2 from an hour ago", second.ID(), second.From)
	}
	alerts := r.wantAlerts("resolved 31")
	if alerts[0].Ended == nil || alerts[0].Ended.Reason != "its rule was changed" {
		t.Errorf("the alert ended by %+v", alerts[0].Ended)
	}
	r.append(1, 31)
	r.append(2, 41)
	r.evaluate()
	r.wantAlerts("resolved 31", "open 41")
}

func TestRemoveRule_EndsItsAlerts(t *testing.T) {
	for name, subject := range map[string]string{"of the type": "", "of one subject": sensor.ID} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t)
			rule := hotRule()
			rule.Subject = subject
			r.mustAddRule(rule)
			r.append(1, 31)
			r.evaluate()
			r.wantAlerts("open 31")
			if _, err := r.RemoveRule(t.Context(), "DEVICE", subject, "too-hot", "ann"); err != nil {
				t.Fatal(err)
			}
			if alerts := r.wantAlerts("resolved 31"); alerts[0].Ended == nil ||
				alerts[0].Ended.Reason != "its rule was removed" {
				t.Errorf("the alert ended by %+v", alerts[0].Ended)
			}
			r.now = r.now.Add(time.Hour)
			r.append(1, 20)
			r.append(2, 99)
			r.evaluate()
			r.wantAlerts("resolved 31")
			if _, err := r.RemoveRule(t.Context(), "DEVICE", subject, "too-hot", "ann"); !errors.Is(err,
				alert.ErrNoRule) {
				t.Errorf("removed again: %v, want ErrNoRule", err)
			}
			if rules, err := r.Rules(t.Context(), "DEVICE", subject); err != nil || len(rules) != 0 {
				t.Errorf("rules %v, %v; want none", rules, err)
			}
		})
	}
}

// A process raises alerts by a cached rule for a while after the rule was removed.
func TestEndAlertsOfRemovedRules_EndsAlertsRaisedByACachedRule(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(1, 20)
	r.evaluate() // caches the rule
	other := &alert.Service{Store: r.table, Catalog: r.Catalog, Now: r.Now, Rand: r.Rand}
	if _, err := other.RemoveRule(t.Context(), "DEVICE", "", "too-hot", "ann"); err != nil {
		t.Fatal(err)
	}
	r.append(2, 31)
	r.evaluate()
	r.wantAlerts("open 31")
	if ended, err := other.EndAlertsOfRemovedRules(t.Context()); err != nil || ended != 1 {
		t.Fatalf("ended %d, %v; want 1", ended, err)
	}
	r.wantAlerts("resolved 31")
}

func TestSubjectRule_AppliesInAdditionToTheRulesOfTheType(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	rule := hotRule()
	rule.Subject, rule.High = sensor.ID, decimal("20")
	if made := r.mustAddRule(rule); made.ID() != "own.too-hot.1" {
		t.Errorf("the rule has id %s, want own.too-hot.1", made.ID())
	}
	r.append(1, 25)
	r.append(2, 31)
	r.evaluate()
	r.wantAlerts("open 25", "open 31")
}

func TestAcknowledgeAndResolve_ChangeTheAlertOnceAndNotTheRule(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(1, 31)
	r.evaluate()
	id := r.wantAlerts("open 31")[0].ID
	for _, by := range []string{"ann", "ben"} {
		a, err := r.Acknowledge(t.Context(), sensor, id, by)
		if err != nil || a.Acknowledged.By != "ann" || a.Status() != storage.AlertOpen {
			t.Fatalf("acknowledged by %s: %+v, %v", by, a, err)
		}
	}
	if found, err := r.FindOpen(t.Context(), id); err != nil || found == nil || found.Series != readings {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, by := range []string{"ann", "ben"} {
		a, err := r.Resolve(t.Context(), sensor, id, by)
		if err != nil || a.Resolved.By != "ann" || a.ExpiresAt == 0 {
			t.Fatalf("resolved by %s: %+v, %v", by, a, err)
		}
	}
	if found, err := r.FindOpen(t.Context(), id); err != nil || found != nil {
		t.Errorf("found %+v, %v; want no open alert", found, err)
	}
	r.append(2, 35) // the violation continues
	r.evaluate()
	r.wantAlerts("resolved 31")
	r.append(3, 20)
	r.append(4, 36)
	r.evaluate()
	r.wantAlerts("resolved 31", "open 36")
	if a, err := r.Resolve(t.Context(), sensor, "01KDWCN5TV8QD99ME6KB1AXNAW", "ann"); a != nil || err != nil {
		t.Errorf("an alert that does not exist: %+v, %v; want nil", a, err)
	}
}

// An expired alert that TTL has not deleted yet is not returned or changed.
func TestAcknowledgeAndResolve_IgnoreAnExpiredAlert(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	r.append(1, 31)
	r.append(2, 20)
	r.evaluate()
	id := r.wantAlerts("resolved 31")[0].ID
	r.now = r.now.Add(91 * 24 * time.Hour)
	for name, do := range map[string]func(context.Context, model.Subject, string, string) (*storage.Alert,
		error){"acknowledge": r.Acknowledge, "resolve": r.Resolve} {
		if a, err := do(t.Context(), sensor, id, "ann"); a != nil || err != nil {
			t.Errorf("%s: %+v, %v; want none", name, a, err)
		}
	}
	if a, err := r.Get(t.Context(), sensor, id); a != nil || err != nil {
		t.Errorf("got %+v, %v; want none", a, err)
	}
}

// shortPages is a table whose index pages may be shorter than the requested limit.
type shortPages struct {
	alert.Store
	calls *int
}

func (s shortPages) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	if l.Index != "" {
		*s.calls++
		l.Limit = min(l.Limit, 1+*s.calls%3)
	}
	return s.Store.List(ctx, l)
}

func TestListOpen_MergesTheShards(t *testing.T) {
	for name, over := range map[string]func(alert.Store) alert.Store{
		"full pages":  func(s alert.Store) alert.Store { return s },
		"short pages": func(s alert.Store) alert.Store { return shortPages{s, new(int)} },
	} {
		t.Run(name, func(t *testing.T) { testListOpen(t, over) })
	}
}

func testListOpen(t *testing.T, over func(alert.Store) alert.Store) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	var want []string
	for i := range 60 {
		r.append(2*i, 31)
		r.append(2*i+1, 20)
	}
	r.evaluate()
	page, err := r.ListBySubject(t.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range page.Alerts { // make all sixty open
		a.Recovered, a.ExpiresAt = nil, 0
		want = append(want, a.ID)
		if err := r.putOpen(&a); err != nil {
			t.Fatal(err)
		}
	}
	r.Store = over(r.Store)
	var got []string
	for after, pages := (alert.Cursor{}), 0; ; pages++ {
		p, err := r.ListOpen(t.Context(), storage.Critical, after, 7)
		if err != nil || len(p.Alerts) > 7 || pages > len(want) {
			t.Fatalf("page %d: %d alerts, %v", pages, len(p.Alerts), err)
		}
		for _, a := range p.Alerts {
			got = append(got, a.ID)
		}
		if after = p.Next; after == (alert.Cursor{}) {
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("open alerts are %d, want %d newest first:\n%v\n%v", len(got), len(want), got, want)
	}
}

// fakePublisher is a publisher that can be down.
type fakePublisher struct {
	down      bool
	delivered []string
}

func (p *fakePublisher) Publish(_ context.Context, notifications []storage.Notification) ([]bool, error) {
	if p.down {
		return nil, errors.New("the publisher is down")
	}
	accepted := make([]bool, len(notifications))
	for i, n := range notifications {
		accepted[i] = true
		p.delivered = append(p.delivered, string(n.Change))
	}
	return accepted, nil
}

func TestDeliver_RefusedNotificationsAreDeliveredLater(t *testing.T) {
	r := newFixture(t)
	bus := &fakePublisher{down: true}
	r.Publisher = bus
	r.mustAddRule(hotRule())
	r.append(1, 31)
	report := r.evaluate()
	if n, err := r.Deliver(t.Context(), report.Notifications); n != 0 || err == nil {
		t.Errorf("delivered %d, %v; want an error", n, err)
	}
	r.now = r.now.Add(3 * time.Minute)
	if w, err := r.DeliverPending(t.Context()); err == nil || w.Left != 1 || w.Oldest != 3*time.Minute {
		t.Errorf("got %+v, %v", w, err)
	}
	bus.down = false
	if w, err := r.DeliverPending(t.Context()); err != nil || w != (alert.DeliveryResult{Delivered: 1}) {
		t.Errorf("got %+v, %v; want one delivered", w, err)
	}
	if w, err := r.DeliverPending(t.Context()); err != nil || w != (alert.DeliveryResult{}) {
		t.Errorf("got %+v, %v; want nothing left", w, err)
	}
	if fmt.Sprint(bus.delivered) != "[raised]" {
		t.Errorf("delivered %v, want one raised", bus.delivered)
	}
}

func TestDeliver_MarksNotificationsAsDelivered(t *testing.T) {
	r := newFixture(t)
	bus := &fakePublisher{}
	r.Publisher = bus
	r.mustAddRule(hotRule())
	r.append(1, 31)
	if n, err := r.Deliver(t.Context(), r.evaluate().Notifications); n != 1 || err != nil {
		t.Errorf("delivered %d, %v", n, err)
	}
	r.now = r.now.Add(time.Hour)
	if w, err := r.DeliverPending(t.Context()); err != nil || w != (alert.DeliveryResult{}) {
		t.Errorf("got %+v, %v", w, err)
	}
}
