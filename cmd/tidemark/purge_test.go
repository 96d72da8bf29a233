package main

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Requesting a purge that was requested before prints when it begins, or that it has begun,
// and does not wait for it.
func TestPurge_ReportsAnExistingPurge(t *testing.T) {
	subject := model.Subject{Type: "DEVICE", ID: "sensor_01"}
	for _, c := range []struct {
		name  string
		grace time.Duration // of the existing purge
		begun bool
		after time.Duration // of the new request
		want  string
	}{
		{"not due, requested without --after", 72 * time.Hour, false, 0, "until then --call-off cancels it"},
		{"not due, requested with --after", 72 * time.Hour, false, time.Hour, "until then --call-off cancels it"},
		{"due", 0, false, time.Hour, "has begun already: it begins within a minute"},
		{"begun", 0, true, time.Hour, "has begun already: the subject is locked"},
	} {
		purger := &lifecycle.Purger{Store: memory.New(wallClock), Now: wallClock, Rand: rand.Reader,
			Timing: lifecycle.Timing{Append: time.Hour},
			Sleep: func(_ context.Context, d time.Duration) error {
				t.Errorf("%s: the command waits for %s", c.name, d)
				return context.Canceled
			}}
		if _, err := purger.Request(t.Context(), subject, "another user", c.grace); err != nil {
			t.Fatal(err)
		}
		if c.begun {
			if _, err := purger.Advance(t.Context(), subject); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetOut(&out)
		flags := purgeFlags{yes: true, after: times.Span(c.after)}
		if err := flags.purge(cmd, purger, subject); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: printed %q, %v; want %q", c.name, &out, err, c.want)
		}
	}
}

func TestPurge_IsLimitedUnlessAskedOtherwise(t *testing.T) {
	cmd := purgeCommand(&connection{})
	if rate, err := cmd.Flags().GetInt("rate"); err != nil || rate != 500 {
		t.Errorf("a purge removes %d items a second, %v; want 500: a table that others use must stay responsive",
			rate, err)
	}
}

func TestPurge_OfEventsRequiresKindAndRange(t *testing.T) {
	for _, args := range []string{"--kind readings --yes", "--kind readings --stream roof --dry-run",
		"--from 2026-04-20 --yes"} {
		cmd := purgeCommand(&connection{})
		cmd.SetArgs(append([]string{"devices/sensor_01"}, strings.Fields(args)...))
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "pass the ") {
			t.Errorf("%s: got %v, want a usage error", args, err)
		}
	}
}

func TestRuleFlags_ParsesTwoBounds(t *testing.T) {
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"20,20": "20 20", "18,24": "18 24", "-5, 5": "-5 5"} {
		f := ruleFlags{kind: "readings", measure: "temperature", outside: text}
		r, err := f.rule(kinds, "devices", "comfort", false)
		if err != nil || r.Low == nil || r.High == nil || r.Low.String()+" "+r.High.String() != want {
			t.Errorf("--outside %s is %v to %v, %v; want %s", text, r.Low, r.High, err, want)
		}
	}
}

func TestPurge_RemovesTheEventsThatMeetAConditionAndSaysWhereCopiesRemain(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T11:00:00Z 2", "2026-11-02T12:00:00Z 1")
	b.expect(0, words("purge devices/a --where temperature=1 --dry-run"), "would delete 2 events")
	b.expect(0, words("purge devices/a --where temperature=1 --yes"), "deleted 2 events",
		"copies may remain in", "point-in-time recovery of the table, until 20",
		"backups and exports that users made, until its owner")
	if out := b.expect(0, words("history devices/a"), "2026-11-02T11:00:00.000Z"); strings.Contains(out,
		"T10:00") || strings.Contains(out, "T12:00") {
		t.Errorf("events are left: %s", out)
	}
	b.expect(1, words("purge devices/a --where temperatur=1 --yes"), "no stored event has the fields")
	stored := b.append("a", "2026-11-02T13:00:00Z 1")[0].Key
	newer := item.FromEvent(&model.Event{Series: stored.Series, Order: stored.Order})
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(newer)
	b.expect(1, words("purge devices/a --where temperature=1 --yes"), "1 events that cannot be decoded may meet")
	for args, want := range map[string]string{
		"purge devices/a --where value --yes":               "want a field, a comparison and a value",
		"purge devices/a --value path --yes":                "want field=value",
		"purge devices/a --value path=/a --yes":             "no dimension counts the values",
		"purge devices/a --value path=/a --where a=1 --yes": "of the other flags, it takes",
		"purge devices/a --where temperature=1 --call-off":  "purge a whole subject",
		"purge devices/a --kind readings --stream s --yes":  "--where, or --id",
		"purge devices/a --value path=/a --from 2026 --yes": "of the other flags, it takes",
	} {
		b.expect(2, words(args), want)
	}
}
