package alert_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestUnit_OfWhatARuleTests(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}, Groups: []string{"site"},
		Measures: []rollup.MeasureSpec{
			{Name: "temperature", Unit: "°C"}, {Name: "oil.temperature", Unit: "K"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &alert.Service{Catalog: kinds}
	for _, c := range []struct{ kind, measure, want string }{
		{"READING", "temperature", "°C"}, {"READING", "co2", ""}, {"READING", "", ""},
		{"READING", "oil.temperature", "K"},
		{"READING_BY_SITE", "temperature.avg", "°C"}, {"READING_BY_SITE", "oil.temperature.p95", "K"},
		{"READING_BY_SITE", "temperature.count", ""}, {"READING_BY_SITE", "events", ""},
		{"READING_BY_SITE", "co2.avg", ""}, {"GONE", "temperature", ""},
	} {
		if got := s.Unit(&storage.Rule{Kind: c.kind, Measure: c.measure}); got != c.want {
			t.Errorf("%s of %s: unit %q, want %q", c.measure, c.kind, got, c.want)
		}
	}
}
