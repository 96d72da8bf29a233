package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestVerifier_CountsFindingsByTier(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	steps := 0
	report := f.verify(Verifier{Progress: func(s Step) { steps += s.Added }}, Scope{Span: Always})
	var got []string
	for _, c := range report.Tiers {
		got = append(got, c.Tier)
		if len(c.Status) != 1 || c.Status[Equal] == 0 || c.Inexact != 0 {
			t.Errorf("%s: %v, %d inexact; want only equal rows", c.Tier, c.Status, c.Inexact)
		}
	}
	if !slices.Equal(got, []string{"hour", "day", "month"}) {
		t.Errorf("tiers %v, want the finest first", got)
	}
	if !report.OK() || !report.Checked() || report.Series != 1 || report.Events != len(testEvents) ||
		steps != 1 {
		t.Errorf("report %+v, %d steps", report, steps)
	}
}

func TestVerifier_ExplainsTheFirstDifferences(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.store(eventAt("2026-04-20T14:10:00Z", 1), eventAt("2026-04-20T23:10:00Z", 1))
	report := f.verify(Verifier{MaxExplained: 1}, Scope{Span: Always})
	if len(report.Differences) != 4 || report.OK() {
		t.Fatalf("differences %+v, want two hours, a day and a month", report.Differences)
	}
	if got := report.Differences[0].Events; !strings.Contains(got, "not in the row: 2026-04-20T14:10:00.000Z") {
		t.Errorf("the first is explained by %q", got)
	}
	if got := report.Differences[1].Events; got != "" {
		t.Errorf("the second is explained by %q, want only one explained", got)
	}
}

func TestVerifier_RecountsOnlyTheScope(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.store(eventAt("2026-04-20T14:10:00Z", 1))
	day := eventAt("2026-05-01T00:00:00Z", 0).At
	for name, c := range map[string]struct {
		scope       Scope
		differences int
		checked     bool
	}{
		"a month without the event": {Scope{Span: Span{From: day, To: model.MaxTime}}, 0, true},
		"the tier":                  {Scope{Span: Always, Tier: tier.Day}, 1, true},
		"another subject":           {Scope{Span: Always, Subject: model.Subject{Type: "DEVICE", ID: "b"}}, 0, false},
	} {
		report := f.verify(Verifier{}, c.scope)
		if len(report.Differences) != c.differences || report.Checked() != c.checked {
			t.Errorf("%s: %d differences, checked %t; want %d, %t", name, len(report.Differences), report.Checked(),
				c.differences, c.checked)
		}
	}
}

func TestVerifier_QuickRecountsOnlySeriesWithAWrongDigest(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	report := f.verify(Verifier{Quick: true}, Scope{Span: Always})
	if report.Series != 0 || !report.OK() || !report.Checked() || report.Audit == nil {
		t.Errorf("without a difference: %+v, want nothing recounted", report)
	}
	f.changeRow(tier.Month, "2026-05-01T00:00:00Z", func(r *rollup.Row) { r.Digest[0]++ })
	report = f.verify(Verifier{Quick: true}, Scope{Span: Always})
	if report.Series != 1 || len(report.Differences) != 1 {
		t.Errorf("with a wrong digest: %+v, want one difference", report)
	}
}

func TestVerifier_ReportsSeriesOfUndeclaredKinds(t *testing.T) {
	f := newFixture(t, testKind(t))
	e := testEvents[0]
	e.Series.Kind = "NOISE"
	f.store(e)
	report := f.verify(Verifier{}, Scope{Span: Always})
	if report.OK() || len(report.Undeclared) != 1 || report.Series != 0 {
		t.Errorf("report %+v, want one undeclared series", report)
	}
}
