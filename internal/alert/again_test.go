package alert_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// addsUnseen has another process add a rule like hot, of which this one learns later.
func (r *rig) addsUnseen(as func(*model.Rule)) {
	r.Helper()
	draft := hot()
	as(&draft)
	other := &alert.Service{Store: r.table, Catalog: r.Catalog, Now: r.Now, Rand: r.Rand}
	if _, wrong, err := other.AddRule(r.Context(), draft); err != nil || wrong != nil {
		r.Fatalf("add rule: %v, %v", wrong, err)
	}
}

// A rule with much to test ends the pass before it comes to where another one is to be
// tested again.
func TestLook_DeletionIsSeenToBehindAnotherRulesBacklog(t *testing.T) {
	for _, flaps := range []int{3, 40} {
		r := newRig(t)
		r.adds(hot())
		r.appends(0, 5)
		r.looks() // remembers the rules
		r.addsUnseen(func(warm *model.Rule) { warm.Name, warm.High = "warm", decimal("10") })
		var want []string
		for i := range flaps {
			r.appends(2*i+1, 15)
			r.appends(2*i+2, 5)
			want = append(want, "resolved 15")
		}
		raised := r.appends(1000, 31)
		r.appends(1001, 20)
		r.looks()
		r.stand("resolved 31")
		r.deletes(raised)
		r.looks()
		r.stand(append(want, "withdrawn 31", "open 20")...)
	}
}

// A rule that begins later than what is to be tested again does not have the others begin
// again and again.
func TestLook_DeletionBeforeARuleBeganIsSeenToOnce(t *testing.T) {
	r := newRig(t)
	r.adds(hot())
	var want []string
	first := r.appends(1, 31)
	for i := range 60 {
		r.appends(2*i+2, 20)
		r.appends(2*i+3, 32)
		want = append(want, "resolved 32")
	}
	r.appends(200, 20)
	r.now = r.now.Add(time.Hour)
	r.adds(model.Rule{Name: "cold", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: model.Below, Low: decimal("5"), Severity: model.Info})
	r.appends(1, 4)
	r.looks()
	r.deletes(first)
	before := r.reads["PutAll"]
	r.looks()
	r.stand(append(append([]string{"withdrawn 31"}, want...), "open 4")...)
	if n := r.reads["PutAll"] - before; n > 10 {
		t.Errorf("that took %d writes", n)
	}
}
