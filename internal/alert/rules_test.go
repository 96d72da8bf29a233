package alert_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestAddRule_SaysWhatCannotBe(t *testing.T) {
	r := newRig(t)
	change := func(f func(*model.Rule)) model.Rule {
		rule := hot()
		f(&rule)
		return rule
	}
	for code, draft := range map[string]model.Rule{
		alert.CodeRuleName:      change(func(r *model.Rule) { r.Name = "Too hot" }),
		alert.CodeRuleKind:      change(func(r *model.Rule) { r.Kind = "PAGEVIEW" }),
		alert.CodeRuleMeasure:   change(func(r *model.Rule) { r.Measure = "_at" }),
		alert.CodeRuleBounds:    change(func(r *model.Rule) { r.Bounds = model.Below }),
		alert.CodeRuleSeverity:  change(func(r *model.Rule) { r.Severity = "grave" }),
		alert.CodeRuleNoCurrent: change(func(r *model.Rule) { r.SubjectType, r.Kind = "SITE", "PAGEVIEW" }),
		alert.CodeRuleSubject:   change(func(r *model.Rule) { r.SubjectType = "TRUCK" }),
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

func TestAddRule_ThereIsAnEndToThem(t *testing.T) {
	r := newRig(t)
	for i := range alert.MaxRules {
		rule := hot()
		rule.Name = fmt.Sprintf("rule-%d", i)
		r.adds(rule)
	}
	if _, wrong, err := r.AddRule(t.Context(), hot()); err != nil || len(wrong) != 1 || wrong[0].Code != alert.CodeTooManyRules {
		t.Errorf("one too many is answered %v, %v", wrong, err)
	}
}

func TestAddRule_ChangedItIsARevisionThatBeginsNow(t *testing.T) {
	r := newRig(t)
	first := r.adds(hot())
	r.appends(1, 31)
	r.looks()
	r.now = r.now.Add(time.Minute)
	same := r.adds(hot())
	if same.ID() != first.ID() || same.From != first.From {
		t.Errorf("added again it is %s from %s, want %s from %s", same.ID(), same.From, first.ID(), first.From)
	}
	higher := hot()
	higher.High = decimal("40")
	second := r.adds(higher)
	if second.ID() != "too-hot.2" || second.From != r.now {
		t.Errorf("changed it is %s from %s", second.ID(), second.From)
	}
	stood := r.stand("resolved 31")
	if stood[0].Ended == nil || stood[0].Ended.Reason != "its rule was changed" {
		t.Errorf("the alert ended by %+v", stood[0].Ended)
	}
	r.appends(1, 31)
	r.appends(2, 41)
	r.looks()
	r.stand("resolved 31", "open 41")
}

func TestRemoveRule_EndsItsAlerts(t *testing.T) {
	for name, subject := range map[string]string{"of the type": "", "of one subject": sensor.ID} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			rule := hot()
			rule.Subject = subject
			r.adds(rule)
			r.appends(1, 31)
			r.looks()
			r.stand("open 31")
			if _, err := r.RemoveRule(t.Context(), "DEVICE", subject, "too-hot", "ann"); err != nil {
				t.Fatal(err)
			}
			if stood := r.stand("resolved 31"); stood[0].Ended == nil || stood[0].Ended.Reason != "its rule was removed" {
				t.Errorf("the alert ended by %+v", stood[0].Ended)
			}
			r.now = r.now.Add(time.Hour)
			r.appends(1, 20)
			r.appends(2, 99)
			r.looks()
			r.stand("resolved 31")
			if _, err := r.RemoveRule(t.Context(), "DEVICE", subject, "too-hot", "ann"); !errors.Is(err, alert.ErrNoRule) {
				t.Errorf("removed again: %v", err)
			}
			if rules, err := r.Rules(t.Context(), "DEVICE", subject); err != nil || len(rules) != 0 {
				t.Errorf("left are %v, %v", rules, err)
			}
		})
	}
}

// A process that remembers a rule raises by it for a while after it was removed.
func TestSweepRemoved_EndsWhatARememberedRuleRaised(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(1, 20)
	r.looks() // remembers the rule
	hand := &alert.Service{Store: r.table, Catalog: r.Catalog, Now: r.Now, Rand: r.Rand}
	if _, err := hand.RemoveRule(t.Context(), "DEVICE", "", "too-hot", "ann"); err != nil {
		t.Fatal(err)
	}
	r.appends(2, 31)
	r.looks()
	r.stand("open 31")
	if ended, err := hand.SweepRemoved(t.Context()); err != nil || ended != 1 {
		t.Fatalf("swept %d, %v", ended, err)
	}
	r.stand("resolved 31")
}

func TestOwnRule_IsOneSubjectsAndBesideItsTypes(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	own := hot()
	own.Subject, own.High = sensor.ID, decimal("20")
	if made := r.adds(own); made.ID() != "own.too-hot.1" {
		t.Errorf("it is %s", made.ID())
	}
	r.appends(1, 25)
	r.appends(2, 31)
	r.looks()
	r.stand("open 25", "open 31")
}

func TestHands_AcknowledgeAndResolveOnceAndLeaveTheRuleAlone(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(1, 31)
	r.looks()
	id := r.stand("open 31")[0].ID
	for _, by := range []string{"ann", "ben"} {
		a, err := r.Acknowledge(t.Context(), sensor, id, by)
		if err != nil || a.Acknowledged.By != "ann" || a.Status() != model.AlertOpen {
			t.Fatalf("acknowledged by %s: %+v, %v", by, a, err)
		}
	}
	if found, err := r.Find(t.Context(), id); err != nil || found == nil || found.Series != readings {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, by := range []string{"ann", "ben"} {
		a, err := r.Resolve(t.Context(), sensor, id, by)
		if err != nil || a.Resolved.By != "ann" || a.ExpiresAt == 0 {
			t.Fatalf("resolved by %s: %+v, %v", by, a, err)
		}
	}
	if found, err := r.Find(t.Context(), id); err != nil || found != nil {
		t.Errorf("resolved it is found open: %+v, %v", found, err)
	}
	r.appends(2, 35) // the violation goes on
	r.looks()
	r.stand("resolved 31")
	r.appends(3, 20)
	r.appends(4, 36)
	r.looks()
	r.stand("resolved 31", "open 36")
	if a, err := r.Resolve(t.Context(), sensor, "01KDWCN5TV8QD99ME6KB1AXNAW", "ann"); a != nil || err != nil {
		t.Errorf("an alert that is not there: %+v, %v", a, err)
	}
}

// An alert that has expired is gone for people too, though TTL has not come for it yet.
func TestHands_LeaveAnExpiredAlertAlone(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	r.appends(1, 31)
	r.appends(2, 20)
	r.looks()
	id := r.stand("resolved 31")[0].ID
	r.now = r.now.Add(91 * 24 * time.Hour)
	for name, do := range map[string]func(context.Context, model.Subject, string, string) (*model.Alert, error){"acknowledge": r.Acknowledge, "resolve": r.Resolve} {
		if a, err := do(t.Context(), sensor, id, "ann"); a != nil || err != nil {
			t.Errorf("%s: %+v, %v; want none", name, a, err)
		}
	}
	if a, err := r.Get(t.Context(), sensor, id); a != nil || err != nil {
		t.Errorf("it was revived: %+v, %v", a, err)
	}
}

// shortPages is a table whose pages of an index are full before they are as long as asked.
type shortPages struct {
	alert.Store
	asked *int
}

func (s shortPages) List(ctx context.Context, l table.Listing) (table.ListPage, error) {
	if l.Index != "" {
		*s.asked++
		l.Limit = min(l.Limit, 1+*s.asked%3)
	}
	return s.Store.List(ctx, l)
}

func TestOpen_MergesItsParts(t *testing.T) {
	for name, over := range map[string]func(alert.Store) alert.Store{
		"pages as long as asked": func(s alert.Store) alert.Store { return s },
		"short pages":            func(s alert.Store) alert.Store { return shortPages{s, new(int)} },
	} {
		t.Run(name, func(t *testing.T) { openMerges(t, over) })
	}
}

func openMerges(t *testing.T, over func(alert.Store) alert.Store) {
	r := newRig(t)
	r.adds(hot())
	var want []string
	for i := range 60 {
		r.appends(2*i, 31)
		r.appends(2*i+1, 20)
	}
	r.looks()
	page, err := r.OfSubject(t.Context(), sensor, alert.Filter{}, alert.Cursor{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range page.Alerts { // as if sixty stood open
		a.Recovered, a.ExpiresAt = nil, 0
		want = append(want, a.ID)
		if err := r.putOpen(&a); err != nil {
			t.Fatal(err)
		}
	}
	r.Store = over(r.Store)
	var got []string
	for after, pages := (alert.Cursor{}), 0; ; pages++ {
		p, err := r.Open(t.Context(), model.Critical, after, 7)
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

// press is a publisher that can be shut.
type press struct {
	shut bool
	told []string
}

func (p *press) Publish(_ context.Context, notices []model.Notice) ([]bool, error) {
	if p.shut {
		return nil, errors.New("the bus is shut")
	}
	taken := make([]bool, len(notices))
	for i, n := range notices {
		taken[i] = true
		p.told = append(p.told, string(n.Change))
	}
	return taken, nil
}

func TestDeliver_WhatIsRefusedWaitsAndIsToldLater(t *testing.T) {
	r := newRig(t)
	bus := &press{shut: true}
	r.Publisher = bus
	r.adds(hot())
	r.appends(1, 31)
	report := r.looks()
	if n, err := r.Deliver(t.Context(), report.Told); n != 0 || err == nil {
		t.Errorf("a shut bus took %d, %v", n, err)
	}
	r.now = r.now.Add(3 * time.Minute)
	if w, err := r.DeliverWaiting(t.Context()); err == nil || w.Left != 1 || w.Oldest != 3*time.Minute {
		t.Errorf("waiting %+v, %v", w, err)
	}
	bus.shut = false
	if w, err := r.DeliverWaiting(t.Context()); err != nil || w != (alert.Waiting{Delivered: 1}) {
		t.Errorf("delivered %+v, %v", w, err)
	}
	if w, err := r.DeliverWaiting(t.Context()); err != nil || w != (alert.Waiting{}) {
		t.Errorf("left %+v, %v", w, err)
	}
	if fmt.Sprint(bus.told) != "[raised]" {
		t.Errorf("told %v", bus.told)
	}
}

func TestDeliver_ThatIsMarkedAsItIsTold(t *testing.T) {
	r := newRig(t)
	bus := &press{}
	r.Publisher = bus
	r.adds(hot())
	r.appends(1, 31)
	if n, err := r.Deliver(t.Context(), r.looks().Told); n != 1 || err != nil {
		t.Errorf("delivered %d, %v", n, err)
	}
	r.now = r.now.Add(time.Hour)
	if w, err := r.DeliverWaiting(t.Context()); err != nil || w != (alert.Waiting{}) {
		t.Errorf("waiting %+v, %v", w, err)
	}
}
