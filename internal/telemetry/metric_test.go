package telemetry_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCatalogue_HasOneCompleteRowForEachMetric(t *testing.T) {
	all := telemetry.Catalogue()
	if len(all) != int(telemetry.WriteUnits) {
		t.Fatalf("%d rows for %d metrics", len(all), telemetry.WriteUnits)
	}
	name := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	seen := map[string]bool{telemetry.DimensionFunction: true, telemetry.DimensionKind: true, "_aws": true}
	for i, d := range all {
		if int(d.Metric) != i+1 {
			t.Errorf("row %d is of metric %d: rows must be in the order of the constants", i+1, d.Metric)
		}
		if !name.MatchString(d.Name) || seen[d.Name] || d.Metric.String() != d.Name {
			t.Errorf("%q is not a valid name, or is already used", d.Name)
		}
		seen[d.Name] = true
		if !isSentence(d.Sentence) || !slices.Contains([]telemetry.Unit{telemetry.Count, telemetry.Seconds}, d.Unit) {
			t.Errorf("%s: want a sentence and a unit, got %q and %q", d.Name, d.Sentence, d.Unit)
		}
		if a := d.Alarm; a != nil && (!isSentence(a.Meaning) || a.Periods < 1 || a.Within < a.Periods || a.Period <= 0 || a.Threshold < 0 ||
			!slices.Contains([]telemetry.Statistic{telemetry.Sum, telemetry.Maximum}, a.Statistic)) {
			t.Errorf("%s: invalid alarm: %+v", d.Name, *a)
		}
	}
}

func isSentence(s string) bool {
	return s != "" && strings.ToUpper(s[:1]) == s[:1] && strings.HasSuffix(s, ".")
}

func TestCatalogue_IsACopy(t *testing.T) {
	telemetry.Catalogue()[0].Name = "changed"
	if got := telemetry.Catalogue()[0].Name; got == "changed" {
		t.Error("a caller can change the catalogue")
	}
}

func TestDefinition_ExistsOnlyForMetricsOfTheCatalogue(t *testing.T) {
	for _, m := range []telemetry.Metric{0, telemetry.WriteUnits + 1, 255} {
		if d, ok := m.Definition(); ok {
			t.Errorf("Metric(%d) has the row %+v", uint8(m), d)
		}
	}
}

func TestForOutcome_HasOneMetricForEachOutcome(t *testing.T) {
	seen := map[telemetry.Metric]bool{}
	for _, v := range []model.Outcome{
		model.Applied, model.Late, model.Stale, model.Duplicate, model.Collision,
		model.Conflict, model.Gone, model.Rejected, model.Unknown,
	} {
		m, ok := telemetry.ForOutcome(v)
		want := "Observations" + strings.ToUpper(string(v[:1])) + string(v[1:])
		if !ok || seen[m] || m.String() != want {
			t.Errorf("ForOutcome(%s) = %s, %v; want %s", v, m, ok, want)
		}
		seen[m] = true
	}
	if m, ok := telemetry.ForOutcome("perhaps"); ok {
		t.Errorf("an unknown outcome is counted as %s", m)
	}
}

func TestForChange_HasOneMetricForEachType(t *testing.T) {
	for _, w := range []storage.ChangeType{storage.Inserted, storage.Corrected, storage.Deleted, storage.Expired} {
		m, ok := telemetry.ForChange(w)
		if want := "changes" + w.String(); !ok || !strings.EqualFold(m.String(), want) {
			t.Errorf("ForChange(%s) = %s, %v; want %s", w, m, ok, want)
		}
	}
	if m, ok := telemetry.ForChange(0); ok {
		t.Errorf("the zero change type is counted as %s", m)
	}
}
