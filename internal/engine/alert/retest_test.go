package alert_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// addRuleElsewhere adds a rule like hotRule by another process. This process learns of it
// later, because it caches the rules.
func (r *fixture) addRuleElsewhere(edit func(*storage.Rule)) {
	r.Helper()
	draft := hotRule()
	edit(&draft)
	other := &alert.Service{Store: r.table, Catalog: r.Catalog, Now: r.Now, Rand: r.Rand}
	if _, wrong, err := other.AddRule(r.Context(), draft); err != nil || wrong != nil {
		r.Fatalf("add rule: %v, %v", wrong, err)
	}
}

// A rule with many events to test ends the pass before the events that another rule must
// test again.
func TestEvaluate_HandlesADeletionBehindAnotherRulesBacklog(t *testing.T) {
	for _, flaps := range []int{3, 40} {
		r := newFixture(t)
		r.mustAddRule(hotRule())
		r.append(0, 5)
		r.evaluate() // caches the rules
		r.addRuleElsewhere(func(rule *storage.Rule) { rule.Name, rule.High = "warm", decimal("10") })
		var want []string
		for i := range flaps {
			r.append(2*i+1, 15)
			r.append(2*i+2, 5)
			want = append(want, "resolved 15")
		}
		raised := r.append(1000, 31)
		r.append(1001, 20)
		r.evaluate()
		r.wantAlerts("resolved 31")
		r.delete(raised)
		r.evaluate()
		r.wantAlerts(append(want, "withdrawn 31", "open 20")...)
	}
}

// A rule that starts after the events to test again does not make the other rules test
// them repeatedly.
func TestEvaluate_HandlesADeletionBeforeTheStartOfARuleOnce(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(hotRule())
	var want []string
	first := r.append(1, 31)
	for i := range 60 {
		r.append(2*i+2, 20)
		r.append(2*i+3, 32)
		want = append(want, "resolved 32")
	}
	r.append(200, 20)
	r.now = r.now.Add(time.Hour)
	r.mustAddRule(storage.Rule{Name: "cold", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: storage.Below, Low: decimal("5"), Severity: storage.Info})
	r.append(1, 4)
	r.evaluate()
	r.delete(first)
	before := r.requests["PutAll"]
	r.evaluate()
	r.wantAlerts(append(append([]string{"withdrawn 31"}, want...), "open 4")...)
	if n := r.requests["PutAll"] - before; n > 10 {
		t.Errorf("the deletion took %d writes, want at most 10", n)
	}
}
