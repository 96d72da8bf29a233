package telemetry_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCatalogue_HasOneCompleteRowForEachMetric(t *testing.T) {
	all := telemetry.Catalogue()
	name := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	seen := map[string]bool{telemetry.DimensionFunction: true, "Kind": true, "_aws": true}
	for _, d := range all {
		if !name.MatchString(string(d.Metric)) || seen[string(d.Metric)] {
			t.Errorf("%q is not a valid name, or is already used", d.Metric)
		}
		seen[string(d.Metric)] = true
		if !isSentence(d.Sentence) ||
			!slices.Contains([]telemetry.Unit{telemetry.Count, telemetry.Seconds}, d.Unit) {
			t.Errorf("%s: want a sentence and a unit, got %q and %q", d.Metric, d.Sentence, d.Unit)
		}
		if a := d.Alarm; a != nil &&
			(!isSentence(a.Meaning) || a.Periods < 1 || a.Within < a.Periods || a.Period <= 0 || a.Threshold < 0 ||
				!slices.Contains([]telemetry.Statistic{telemetry.Sum, telemetry.Maximum}, a.Statistic)) {
			t.Errorf("%s: invalid alarm: %+v", d.Metric, *a)
		}
	}
}

// Each constant of the package has a row, and each row a constant: a metric that only one of them has
// cannot be published.
func TestCatalogue_HasTheConstants(t *testing.T) {
	files, err := filepath.Glob("*metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared, rows []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^\t(\w+) +Metric = "(\w+)"$`).FindAllStringSubmatch(
			string(source), -1) {
			if match[1] != match[2] {
				t.Errorf("%s is the name %q", match[1], match[2])
			}
			declared = append(declared, match[2])
		}
	}
	for _, d := range telemetry.Catalogue() {
		rows = append(rows, string(d.Metric))
	}
	slices.Sort(declared)
	slices.Sort(rows)
	if len(rows) == 0 || !slices.Equal(declared, rows) {
		t.Errorf("the constants are\n%v\nthe rows are\n%v", declared, rows)
	}
}

func isSentence(s string) bool {
	return s != "" && strings.ToUpper(s[:1]) == s[:1] && strings.HasSuffix(s, ".")
}

func TestCatalogue_IsACopy(t *testing.T) {
	telemetry.Catalogue()[0].Metric = "changed"
	if got := telemetry.Catalogue()[0].Metric; got == "changed" {
		t.Error("a caller can change the catalogue")
	}
}

func TestDefinition_ExistsOnlyForMetricsOfTheCatalogue(t *testing.T) {
	for _, m := range []telemetry.Metric{"", "Perhaps", "observationsApplied"} {
		if d, ok := m.Definition(); ok {
			t.Errorf("Metric %q has the row %+v", m, d)
		}
	}
}

var (
	outcomes = []model.Outcome{
		model.Applied, model.Late, model.Stale, model.Duplicate, model.Collision,
		model.Conflict, model.Gone, model.Rejected, model.Unknown,
	}
	changeTypes = []storage.ChangeType{storage.Inserted, storage.Corrected, storage.Deleted, storage.Expired}
)

func TestForOutcome_HasOneMetricForEachOutcome(t *testing.T) {
	seen := map[telemetry.Metric]bool{}
	for _, v := range outcomes {
		m, ok := telemetry.ForOutcome(v)
		want := "Observations" + strings.ToUpper(string(v[:1])) + string(v[1:])
		if !ok || seen[m] || string(m) != want {
			t.Errorf("ForOutcome(%s) = %s, %v; want %s", v, m, ok, want)
		}
		seen[m] = true
	}
	if m, ok := telemetry.ForOutcome("perhaps"); ok {
		t.Errorf("an unknown outcome is counted as %s", m)
	}
}

func TestDecided_HasTheMetricOfEachOutcomeButUnknown(t *testing.T) {
	var want []telemetry.Metric
	for _, v := range outcomes {
		if m, _ := telemetry.ForOutcome(v); v != model.Unknown {
			want = append(want, m)
		}
	}
	if got := telemetry.Decided(); !slices.Equal(slices.Sorted(slices.Values(got)),
		slices.Sorted(slices.Values(want))) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestForChange_HasOneMetricForEachType(t *testing.T) {
	for _, w := range changeTypes {
		m, ok := telemetry.ForChange(w)
		if want := "changes" + w.String(); !ok || !strings.EqualFold(string(m), want) {
			t.Errorf("ForChange(%s) = %s, %v; want %s", w, m, ok, want)
		}
	}
	if m, ok := telemetry.ForChange(storage.ChangeType(0)); ok {
		t.Errorf("the zero change type is counted as %s", m)
	}
}
