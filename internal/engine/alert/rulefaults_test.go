package alert_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
)

// faultyStore is a table in which one write fails. A delayed write is stored just before the
// next write, after the reads of that write.
type faultyStore struct {
	alert.Store
	at    int // number of the write that fails
	fault storetest.WriteFault

	writes int
	late   func()
}

func (u *faultyStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	if u.late != nil {
		u.late()
		u.late = nil
	}
	if u.writes++; u.writes != u.at {
		return u.Store.PutAll(ctx, puts)
	}
	switch u.fault {
	case storetest.Throttle:
		return storage.Throttled, nil
	case storetest.Conflict:
		return storage.Conflicted, nil
	case storetest.LoseResponse:
		_, err := u.Store.PutAll(ctx, puts)
		return storage.Unknown, err
	case storetest.Delay:
		u.late = func() { _, _ = u.Store.PutAll(ctx, puts) }
	}
	return storage.Unknown, nil
}

// ruleChanges are the changes of a rule that has an open alert.
var ruleChanges = map[string]struct {
	do  func(*fixture, string) (storage.Rule, error)
	end string // reason with which the alert ends
	id  string // of the returned rule
}{
	"changed": {func(r *fixture, subject string) (storage.Rule, error) {
		draft := hotRule()
		draft.Subject, draft.High = subject, decimal("40")
		made, wrong, err := r.AddRule(r.Context(), draft)
		if wrong != nil {
			r.Errorf("rejected: %v", wrong)
		}
		return made, err
	}, "its rule was changed", "too-hot.2"},
	"removed": {func(r *fixture, subject string) (storage.Rule, error) {
		return r.RemoveRule(r.Context(), "DEVICE", subject, "too-hot", "ann")
	}, "its rule was removed", "too-hot.1"},
}

// fixtureWithAlert has an open alert of a rule for the type, or for the sensor if subject
// is its id.
func fixtureWithAlert(t *testing.T, subject string) *fixture {
	r := newFixture(t)
	rule := hotRule()
	rule.Subject = subject
	r.mustAddRule(rule)
	r.append(1, 31)
	r.evaluate()
	r.wantAlerts("open 31")
	return r
}

func (r *fixture) wantEnded(reason string) {
	r.Helper()
	if alerts := r.wantAlerts("resolved 31"); alerts[0].Ended == nil || alerts[0].Ended.Reason != reason {
		r.Errorf("the alert ended by %+v, want %q", alerts[0].Ended, reason)
	}
}

func TestRuleChanges_SucceedWithAFaultAtAnyWrite(t *testing.T) {
	for name, change := range ruleChanges {
		for _, subject := range []string{"", sensor.ID} {
			for _, fault := range storetest.WriteFaults() {
				for at, more := 1, true; more; at++ {
					t.Run(fmt.Sprintf("%s of %q, %s at %d", name, subject, fault, at), func(t *testing.T) {
						r := fixtureWithAlert(t, subject)
						store := &faultyStore{Store: r.Store, at: at, fault: fault}
						r.Store = store
						got, err := change.do(r, subject)
						want := change.id
						if subject != "" {
							want = "own." + want
						}
						if err != nil || got.ID() != want {
							t.Errorf("got rule %s, %v; want %s", got.ID(), err, want)
						}
						r.wantEnded(change.end)
						more = store.writes >= at
					})
				}
			}
		}
	}
}

// If the process crashes before it has ended the alerts, the caller may repeat the change.
func TestAddRule_RepeatedAfterACrashEndsTheOldAlerts(t *testing.T) {
	for _, subject := range []string{"", sensor.ID} {
		r := fixtureWithAlert(t, subject)
		store := r.Store
		r.Store = crashingStore{store, new(int)}
		if _, err := ruleChanges["changed"].do(r, subject); !errors.Is(err, errCrashed) {
			t.Fatalf("got %v, want the crash", err)
		}
		r.wantAlerts("open 31")
		r.Store = store
		if made, err := ruleChanges["changed"].do(r, subject); err != nil || made.Revision != 2 {
			t.Fatalf("repeated change: %+v, %v; want revision 2", made, err)
		}
		r.wantEnded("its rule was changed")
	}
}

var errCrashed = errors.New("crashed")

// crashingStore stores one write and fails all later ones.
type crashingStore struct {
	alert.Store
	writes *int
}

func (d crashingStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	if *d.writes++; *d.writes > 1 {
		return storage.Unknown, errCrashed
	}
	return d.Store.PutAll(ctx, puts)
}
