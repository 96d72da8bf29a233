package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// gates counts how often it is asked.
type gates struct {
	*memory.Table
	asked atomic.Int64
	fails atomic.Bool
}

func (g *gates) Gated(ctx context.Context, s model.Subject) (bool, error) {
	g.asked.Add(1)
	if g.fails.Load() {
		return false, errors.New("not answered")
	}
	return g.Table.Gated(ctx, s)
}

// gatedWorld is a service that asks gates, at a clock that can be moved.
func gatedWorld(t *testing.T) (*ingest.Service, *gates, *atomic.Int64) {
	t.Helper()
	now := &atomic.Int64{}
	now.Store(int64(clock()))
	g := &gates{Table: memory.New(func() model.Time { return model.Time(now.Load()) })}
	s := serviceOn(g.Table, 1)
	s.Gates, s.Now = g, func() model.Time { return model.Time(now.Load()) }
	return s, g, now
}

func shut(t *testing.T, table *memory.Table, subject string) {
	t.Helper()
	gate := model.Gate{Subject: model.Subject{Type: "DEVICE", ID: subject}, Since: clock(), PurgeID: "1"}
	if err := table.PutItem(t.Context(), item.FromGate(&gate)); err != nil {
		t.Fatal(err)
	}
}

func TestAppend_WithoutCurrentMeetsTheGateWithinATimeout(t *testing.T) {
	t.Parallel()
	s, g, now := gatedWorld(t)
	s.GateFor = 10 * time.Second
	kind := kindOf(t, withoutCurrent)
	verdict := func(n int) model.Verdict {
		return appendAll(t, s, kind, draft(minute(0), fmt.Sprint(n)))[0].Verdict
	}
	if got := verdict(1); got != model.Applied {
		t.Fatalf("verdict %s before the purge, want applied", got)
	}
	shut(t, g.Table, "sensor_01")
	now.Add(9_999)
	if got := verdict(2); got != model.Applied {
		t.Errorf("verdict %s while the gate is remembered as open, want applied", got)
	}
	now.Add(1)
	if got := verdict(3); got != model.Gone {
		t.Errorf("verdict %s when that is forgotten, want gone", got)
	}
	if got := g.asked.Load(); got != 2 {
		t.Errorf("the gate was looked at %d times for three appends within two timeouts, want 2", got)
	}
}

func TestAppend_GateIsLookedAtForEachSubjectOnceAndNeverForAKindWithCurrent(t *testing.T) {
	t.Parallel()
	s, g, _ := gatedWorld(t)
	shut(t, g.Table, "gone")
	bare := kindOf(t, withoutCurrent)
	var drafts []ingest.Draft
	for i := range 20 {
		d := draft(minute(i), "")
		d.Subject = []string{"here", "gone"}[i%2]
		drafts = append(drafts, d)
	}
	for i, o := range appendAll(t, s, bare, drafts...) {
		if want := []model.Verdict{model.Applied, model.Gone}[i%2]; o.Verdict != want {
			t.Errorf("observation %d of %s is %s, want %s", i, drafts[i].Subject, o.Verdict, want)
		}
	}
	asked := g.asked.Load()
	if asked > 2*8 { // eight at once may ask before one of them remembers
		t.Errorf("the gates were looked at %d times for two subjects", asked)
	}
	appendAll(t, s, kindOf(t, keeping), drafts[0])
	if got := g.asked.Load(); got != asked {
		t.Error("an append to a kind with current looked at the gate")
	}
}

func TestAppend_GateThatIsNotAnsweredStoresNothing(t *testing.T) {
	t.Parallel()
	s, g, _ := gatedWorld(t)
	g.fails.Store(true)
	outcomes, err := s.AppendEvents(t.Context(), kindOf(t, withoutCurrent), []ingest.Draft{draft(minute(0), "")})
	if err == nil || outcomes[0].Verdict != model.Unknown {
		t.Errorf("verdict %s, %v; want unknown and an error", outcomes[0].Verdict, err)
	}
	if n := len(g.Table.Records(0)); n != 0 {
		t.Errorf("%d items stored, want none", n)
	}
}
