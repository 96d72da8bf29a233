package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func (f *fixture) requestPurge(ids ...string) {
	f.Helper()
	for _, id := range ids {
		if _, err := f.purger.Request(f.Context(), model.Subject{Type: "DEVICE", ID: id}, "ops", 0); err != nil {
			f.Fatal(err)
		}
	}
}

func TestDirect_StartsAPurgeAndTheScheduleCompletesIt(t *testing.T) {
	f := newFixture(t)
	f.create()
	f.sample("direct")
	for i := range 10 {
		f.clock.Add(time.Minute.Milliseconds())
		if got := f.sample("scheduled"); got == `{"open":1,"done":1}` {
			break
		} else if i == 9 {
			t.Fatalf("after ten minutes the schedule returned %s, want a completed purge", got)
		}
	}
	got := f.sample("direct-dry-run")
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil || len(items) != 1 || items[0].Key() != tablekeys.PurgeLock(sensor) || got != "{}" {
		t.Errorf("%d items are left and a dry run returned %s, %v; want only the purge lock", len(items), got, err)
	}
	for _, metric := range []string{`"PurgesDone":1`, `"ItemsErased":3`, `"OldestDue":`} {
		if !strings.Contains(f.out.String(), metric) {
			t.Errorf("the metrics lack %s:\n%s", metric, f.out.String())
		}
	}
	if !strings.Contains(f.logs.String(), "purge done") || strings.Contains(f.logs.String(), sensor.ID) {
		t.Errorf("the log must say that the purge is done, without the subject:\n%s", f.logs.String())
	}
}

func TestScheduled_ALargePurgeDoesNotDelayOthers(t *testing.T) {
	f := newFixture(t)
	for i := range 3 {
		f.requestPurge(fmt.Sprint(i))
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Minute))
	defer cancel()
	i := invocation{f.handler, telemetry.Counts{}}
	if _, err := i.resumePurges(ctx); err != nil {
		t.Fatal(err)
	}
	open, err := i.openPurges(t.Context())
	if err != nil || len(open) != 3 {
		t.Fatal(len(open), err)
	}
	for _, p := range open {
		if p.Step != storage.PurgeSubjectLocked {
			t.Errorf("the purge of %s is at step %s, want all three started by one invocation", p.Subject, p.Step)
		}
	}
}

// For example, a purge that a newer release wrote.
func TestScheduled_AnUnreadablePurgeDoesNotBlockOthers(t *testing.T) {
	f := newFixture(t)
	f.requestPurge("1", "2", "3")
	damaged := item.FromPurge(&storage.Purge{Subject: model.Subject{Type: "DEVICE", ID: "2"}})
	delete(damaged, tablekeys.AttrStep)
	if err := f.table.PutItem(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	if got := f.sample("scheduled"); got != `{"open":2,"done":0}` {
		t.Errorf("got %s, want two open purges", got)
	}
	for _, id := range []string{"1", "3"} {
		if p, err := f.purger.Active(t.Context(), model.Subject{Type: "DEVICE", ID: id}); err != nil || p == nil ||
			p.Step != storage.PurgeSubjectLocked {
			t.Errorf("purge of %s: %+v, %v; want it started", id, p, err)
		}
	}
	if !strings.Contains(f.out.String(), `"StepFailures":1`) {
		t.Errorf("the failure is not counted: %s", f.out.String())
	}
}
