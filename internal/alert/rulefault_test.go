package alert_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// unlucky is a table of which one write fails. What lands late does so when the next
// write has been decided on by what was read before.
type unlucky struct {
	alert.Store
	at    int // which write
	fault storetest.Fault

	writes int
	late   func()
}

func (u *unlucky) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	if u.late != nil {
		u.late()
		u.late = nil
	}
	if u.writes++; u.writes != u.at {
		return u.Store.PutAll(ctx, puts)
	}
	switch u.fault {
	case storetest.Throttle:
		return model.Throttled, nil
	case storetest.Conflict:
		return model.Conflicting, nil
	case storetest.LoseAnswer:
		_, err := u.Store.PutAll(ctx, puts)
		return model.Uncertain, err
	case storetest.LandLate:
		u.late = func() { _, _ = u.Store.PutAll(ctx, puts) }
	}
	return model.Uncertain, nil
}

// ruleChanges are what may be done to a rule that has an open alert.
var ruleChanges = map[string]struct {
	do  func(*rig, string) (model.Rule, error)
	end string // why the alert ends
	id  string // of what is answered
}{
	"changed": {func(r *rig, subject string) (model.Rule, error) {
		draft := hot()
		draft.Subject, draft.High = subject, decimal("40")
		made, wrong, err := r.AddRule(r.Context(), draft)
		if wrong != nil {
			r.Errorf("rejected: %v", wrong)
		}
		return made, err
	}, "its rule was changed", "too-hot.2"},
	"removed": {func(r *rig, subject string) (model.Rule, error) {
		return r.RemoveRule(r.Context(), "DEVICE", subject, "too-hot", "ann")
	}, "its rule was removed", "too-hot.1"},
}

// ruledRig has an open alert of a rule: of the type, or of the sensor alone.
func ruledRig(t *testing.T, subject string) *rig {
	r := newRig(t)
	rule := hot()
	rule.Subject = subject
	r.adds(rule)
	r.appends(1, 31)
	r.looks()
	r.stand("open 31")
	return r
}

func (r *rig) endedBy(reason string) {
	r.Helper()
	if stood := r.stand("resolved 31"); stood[0].Ended == nil || stood[0].Ended.Reason != reason {
		r.Errorf("the alert ended by %+v, want %q", stood[0].Ended, reason)
	}
}

func TestRuleChanges_AreDoneAndSaidToBeWhateverWriteFails(t *testing.T) {
	for name, change := range ruleChanges {
		for _, subject := range []string{"", sensor.ID} {
			for _, fault := range storetest.Faults() {
				for at, more := 1, true; more; at++ {
					t.Run(fmt.Sprintf("%s of %q, %s at %d", name, subject, fault, at), func(t *testing.T) {
						r := ruledRig(t, subject)
						store := &unlucky{Store: r.Store, at: at, fault: fault}
						r.Store = store
						got, err := change.do(r, subject)
						want := change.id
						if subject != "" {
							want = "own." + want
						}
						if err != nil || got.ID() != want {
							t.Errorf("answered %s, %v; want %s", got.ID(), err, want)
						}
						r.endedBy(change.end)
						more = store.writes >= at
					})
				}
			}
		}
	}
}

// Whoever changes a rule and dies before its alerts are ended may ask again.
func TestAddRule_AskedAgainEndsWhatItLeft(t *testing.T) {
	for _, subject := range []string{"", sensor.ID} {
		r := ruledRig(t, subject)
		whole := r.Store
		r.Store = dying{whole, new(int)}
		if _, err := ruleChanges["changed"].do(r, subject); !errors.Is(err, errDied) {
			t.Fatalf("it died, and said %v", err)
		}
		r.stand("open 31")
		r.Store = whole
		if made, err := ruleChanges["changed"].do(r, subject); err != nil || made.Revision != 2 {
			t.Fatalf("asked again: %+v, %v", made, err)
		}
		r.endedBy("its rule was changed")
	}
}

var errDied = errors.New("died")

// dying takes one write, and no more.
type dying struct {
	alert.Store
	writes *int
}

func (d dying) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	if *d.writes++; *d.writes > 1 {
		return model.Uncertain, errDied
	}
	return d.Store.PutAll(ctx, puts)
}
