package lifecycle_test

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A message waits in the queue of undelivered messages while its subject is purged. An operator replays it,
// as its alarm says, as long as any queue may have kept it.
func TestPurge_NoReplayBringsAPurgedSubjectBackWhileACopyExists(t *testing.T) {
	conf := config.Default()
	for _, after := range []time.Duration{0, 49 * time.Hour, config.InboxRetention,
		conf.Mapping.FailureRetention,
		config.InboxRetention + conf.Mapping.FailureRetention + conf.Quarantine.Retention} {
		w := newFixture(t, employee)
		kinds, err := catalog.New(
			catalog.Kind{Name: "SCORE", Subject: catalog.SubjectType{Name: "EMPLOYEE", Field: "employeeId"}})
		if err != nil {
			t.Fatal(err)
		}
		replay := func(at model.Time) ([]model.Outcome, error) {
			text, _ := json.Marshal(
				map[string]any{"kind": "SCORE", "employeeId": "alice", "timestamp": at.String(), "points": 7})
			retrier := quarantine.NewRetrier(w.table, kinds, conf.Limits, "SCORE", w.now, io.Discard)
			done, err := retrier.Append(t.Context(), envelope.FromRule, text, "m1")
			return done.Outcomes, err
		}
		if got, err := replay(w.now() - 1); err != nil || len(got) != 1 || got[0] != model.Applied {
			t.Fatalf("before the purge: %v, %v, want applied", got, err)
		}
		if _, err := w.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.advance(after)
		w.table.Expire(w.now())
		if got, err := replay(noon - 2); err == nil || err.Error() != "gone" {
			t.Errorf("replayed %s after the purge: %v, %v, want gone", after, got, err)
		}
		for _, it := range w.items() {
			if k := it.Key(); k.PK == "EMPLOYEE#alice" {
				t.Errorf("%s after the purge the table has %s %s", after, k.PK, k.SK)
			}
		}
	}
}

// The lock follows from the configured retentions.
func TestTiming_TheLockOutlivesWhatIsConfigured(t *testing.T) {
	conf := config.Default()
	before := lifecycle.NewTiming(conf).Lock
	conf.Quarantine.Retention += 100 * 24 * time.Hour
	if got := lifecycle.NewTiming(conf).Lock; got != before+100*24*time.Hour {
		t.Errorf("the lock lasts %s, want 100 days more than %s", got, before)
	}
	var returning time.Duration
	for _, c := range lifecycle.ListCopies(conf) {
		switch c.Where {
		case "queues of undelivered messages", "quarantined data whose subject could not be read",
			"the queue of observations":
			returning = max(returning, c.For)
		}
	}
	if lock := lifecycle.NewTiming(conf).Lock; returning == 0 || lock <= returning {
		t.Errorf("the lock lasts %s, want more than %s", lock, returning)
	}
}
