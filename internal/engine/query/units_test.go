package query_test

import (
	"maps"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestUnits_LeaveOutMeasuresOnWhichKindsDiffer(t *testing.T) {
	t.Parallel()
	made, err := catalog.New(
		catalog.Kind{Name: "INDOOR", Subject: catalog.SubjectType{Name: "DEVICE"}, Groups: []string{"site"},
			Measures: []rollup.MeasureSpec{{Name: "temperature", Unit: "°C"}, {Name: "humidity", Unit: "%"},
				{Name: "battery"}}},
		catalog.Kind{Name: "OUTDOOR", Subject: catalog.SubjectType{Name: "DEVICE"},
			Measures: []rollup.MeasureSpec{{Name: "temperature", Unit: "°F"}, {Name: "humidity", Unit: "%"},
				{Name: "battery", Unit: "V"}, {Name: "rain", Unit: "mm"}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	indoor, _ := made.Kind("INDOOR")
	outdoor, _ := made.Kind("OUTDOOR")
	group, _ := made.Kind("INDOOR_BY_SITE")
	both := map[string]string{"humidity": "%", "rain": "mm"}
	for name, c := range map[string]struct{ got, want map[string]string }{
		"of a kind":                {query.Units(indoor), map[string]string{"temperature": "°C", "humidity": "%"}},
		"of groups":                {query.Units(group), query.Units(indoor)},
		"of kinds that are merged": {query.Units(indoor, outdoor), both},
		"of no kind":               {query.Units(), nil},
	} {
		if !maps.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if got := outdoor.Unit("rain") + outdoor.Unit("snow"); got != "mm" {
		t.Errorf("units of rain and of an undeclared measure: %q, want mm alone", got)
	}
}
