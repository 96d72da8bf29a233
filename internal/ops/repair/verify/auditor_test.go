package verify

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (f *fixture) audit(a Auditor, s model.Subject) *AuditReport {
	f.Helper()
	a.Table = f.Table
	a.Catalog = f.catalog
	a.Now = f.now
	report, err := a.Run(f.Context(), s)
	if err != nil {
		f.Fatal(err)
	}
	return report
}

// lines returns the suspects as "hour: reason".
func lines(all []Suspect) (lines []string) {
	for _, s := range all {
		lines = append(lines, s.Key.Tier+": "+s.Reason)
	}
	return lines
}

func TestAuditor_FindsBucketsThatDifferFromTheirChildren(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture)
		want   []string
	}{
		"nothing changed":      {func(*fixture) {}, nil},
		"an event not counted": {func(f *fixture) { f.store(eventAt("2026-04-20T14:10:00Z", 1)) }, []string{"hour: the row's digest differs from its children's"}},
		"an hour without row":  {func(f *fixture) { f.store(eventAt("2026-04-20T20:00:00Z", 1)) }, []string{"hour: there is no row for its children"}},
		"a deleted event": {
			func(f *fixture) {
				e := f.inShard(testEvents[4])
				if _, err := f.DeleteEvent(f.Context(), e.Key(), f.now()); err != nil {
					f.Fatal(err)
				}
			},
			[]string{"hour: the row has no children"},
		},
		"a changed day": {
			func(f *fixture) { f.changeRow(tier.Day, "2026-04-20T14:00:00Z", func(r *rollup.Row) { r.Digest[0]++ }) },
			[]string{"day: the row's digest differs from its children's",
				"month: the row's digest differs from its children's"},
		},
		"wrong numbers with the right digest": {
			func(f *fixture) {
				f.changeRow(tier.Hour, "2026-04-20T14:00:00Z", func(r *rollup.Row) {
					r.Summary = rollup.NewFold(testKind(t).Spec()).Summary
				})
			},
			nil,
		},
	} {
		for _, shards := range []int{1, 3} {
			t.Run(fmt.Sprint(name, ", shards ", shards), func(t *testing.T) {
				kind := *testKind(t)
				kind.Shards = shards
				f := newFixture(t, &kind)
				f.process(testEvents...)
				c.change(f)
				for _, subject := range []model.Subject{{}, tested.Subject} { // by a scan, and by the partitions
					report := f.audit(Auditor{}, subject)
					if got := lines(report.Suspects); !slices.Equal(got, c.want) {
						t.Errorf("subject %v: suspects %q, want %q", subject, got, c.want)
					}
					if len(report.Undeclared) > 0 || report.Items == 0 {
						t.Errorf("subject %v: %d items, undeclared %v", subject, report.Items, report.Undeclared)
					}
				}
			})
		}
	}
}

func TestAuditor_IncludeMakesABucketSuspectWhateverItsDigest(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	f.changeRow(tier.Hour, "2026-05-01T00:00:00Z", func(r *rollup.Row) { r.ChildrenExpireAt = 1 })
	report := f.audit(Auditor{Include: func(e *model.Event) bool {
		return e.At >= testEvents[3].At
	}}, model.Subject{})
	want := []string{"hour: an event of it arrived in the range",
		"hour: the row is sealed and may miss an event of the range"}
	if got := lines(report.Suspects); !slices.Equal(got, want) {
		t.Errorf("suspects %q, want %q", got, want)
	}
}

func TestAuditor_ReportsProgressAndSeriesOfUndeclaredKinds(t *testing.T) {
	f := newFixture(t, testKind(t))
	other := testEvents[0]
	other.Series.Kind = "NOISE"
	f.store(other)
	f.process(testEvents...)
	seen := 0
	report := f.audit(Auditor{Progress: func(s Step) { seen += s.Added }}, model.Subject{})
	if seen != report.Items {
		t.Errorf("progress counted %d of %d items", seen, report.Items)
	}
	if want := []model.Series{other.Series}; !slices.Equal(report.Undeclared, want) ||
		!slices.Equal(report.Series(), want) {
		t.Errorf("undeclared %v, to recount %v; want %v", report.Undeclared, report.Series(), want)
	}
}

// Items that are neither events nor rows do not matter to an audit.
func TestAuditor_IgnoresOtherItems(t *testing.T) {
	f := newFixture(t, testKind(t))
	f.process(testEvents...)
	if err := f.PutItem(f.Context(), item.FromStreamProgress(f.now())); err != nil {
		t.Fatal(err)
	}
	if report := f.audit(Auditor{}, model.Subject{}); len(report.Suspects) > 0 {
		t.Errorf("suspects %v, want none", report.Suspects)
	}
}
