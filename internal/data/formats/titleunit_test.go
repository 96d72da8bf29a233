package formats

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// A column in °F is not the measure in °C of its name: it keeps its title, and is refused where the user maps
// it.
func TestCSV_AColumnInAnotherUnitIsNotTheMeasure(t *testing.T) {
	c, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: "temperature", Unit: "°C"}, {Name: "pressure", Unit: "hPa"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ titles, mapped, want string }{
		{titles: "Temperature (°C),Pressure [mbar]", want: `"temperature":70,"pressure":1000`},
		{titles: "Temperature (F),Pressure", want: `"Temperature (F)":70,"pressure":1000`},
		{titles: "temperature,pressure (psi)", want: `"temperature":70,"pressure (psi)":1000`},
		{titles: "Temperature (avg),Pressure (kPa)", want: `"temperature":70,"Pressure (kPa)":1000`},
		{titles: "T [°F],x", mapped: "T [°F]", want: "is in °F, and the measure temperature in °C"},
		{titles: "T [degC],x", mapped: "T [degC]", want: `"temperature":70`},
	} {
		text := "device,time," + tc.titles + "\na,2026-11-01T10:00:00Z,70,1000\n"
		in := Input{Kind: &c.Kinds[0], Stdin: strings.NewReader(text)}
		if tc.mapped != "" {
			in.Columns = ColumnMap{
				{field: "deviceId", header: "device"}, {field: "timestamp", header: "time"},
				{field: "temperature", header: tc.mapped},
			}
		}
		got := ""
		err := in.Each([]string{StdinName}, func(o Observation) error { got += string(o.Body); return nil })
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.titles, got, tc.want)
		}
	}
}
