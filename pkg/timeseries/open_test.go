package timeseries_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// opening opens a kind as T and answers the error alone.
func opening[T any](kind catalog.Kind) func() error {
	return func() error {
		_, err := timeseries.Open[T](newTable(), kind)
		return err
	}
}

type base struct {
	Device string    `tide:"subject"`
	At     time.Time `tide:"time"`
}

func TestOpen_EachMistakeHasItsCode(t *testing.T) {
	strict := iot.Readings
	strict.IDs = catalog.RequiredID
	enriched := iot.Readings
	enriched.Enrichment = []string{"accountId"}
	counted := iot.Readings
	counted.Dimensions = []rollup.DimensionSpec{{Name: "location", Top: 10}}
	nameless := iot.Readings
	nameless.Name = "no name"

	mixed := iot.Readings
	mixed.CurrentBy = []catalog.CurrentIndex{{By: []string{"accountId"}, Sort: []string{"state"}}}

	for name, c := range map[string]struct {
		open  func() error
		code  timeseries.Code
		field string
	}{
		"no field is the time": {opening[struct {
			Device string `tide:"subject"`
		}](iot.Readings), timeseries.OrderMissing, ""},
		"the time is the subject": {opening[struct {
			Device time.Time `tide:"subject,time"`
		}](iot.Readings), timeseries.OrderIsKey, "Device"},
		"the time is the id": {opening[struct {
			Device string    `tide:"subject"`
			At     time.Time `tide:"time,id"`
		}](iot.Readings), timeseries.OrderIsKey, "At"},
		"a version": {opening[struct {
			base
			Version int `tide:"version"`
		}](iot.Readings), timeseries.Versioned, "Version"},
		"no subject": {opening[struct {
			At time.Time `tide:"time"`
		}](iot.Readings), timeseries.AppendLacksKey, ""},
		"a subject that append does not write": {opening[struct {
			Device string    `tide:"subject,enrichment"`
			At     time.Time `tide:"time"`
		}](iot.Readings), timeseries.AppendLacksKey, "Device"},
		"a time that append does not write": {opening[struct {
			Device string    `tide:"subject"`
			At     time.Time `tide:"time,enrichment"`
		}](iot.Readings), timeseries.AppendLacksKey, "At"},
		"no id where the kind requires one": {opening[base](strict), timeseries.AppendLacksKey, ""},
		"a time that may be nil": {opening[struct {
			Device string     `tide:"subject"`
			At     *time.Time `tide:"time"`
		}](iot.Readings), timeseries.OrderIsReference, "At"},
		"soft delete": {opening[struct {
			base
			Deleted time.Time `tide:"deleted"`
		}](iot.Readings), timeseries.SoftDeleted, "Deleted"},
		"no tags":  {opening[struct{ Device string }](iot.Readings), timeseries.AppendMissing, ""},
		"no model": {opening[string](iot.Readings), timeseries.AppendMissing, ""},

		"another scale": {opening[struct {
			base
			Temperature float64 `tide:"measure,scale=2"`
		}](iot.Readings), timeseries.RowDiffers, "Temperature"},
		"percentiles of an undeclared measure": {opening[struct {
			base
			Pressure float64 `tide:"measure,percentiles"`
		}](iot.Readings), timeseries.RowDiffers, "Pressure"},
		"a measure that is a dimension": {opening[struct {
			base
			Location float64 `tide:"measure"`
		}](counted), timeseries.RowDiffers, "Location"},
		"another top": {opening[struct {
			base
			Location string `tide:"dimension,top=20"`
		}](counted), timeseries.RowDiffers, "Location"},
		"a dimension the row does not count": {opening[struct {
			base
			Location string `tide:"dimension"`
		}](iot.Readings), timeseries.RowDiffers, "Location"},
		"a field that is enrichment": {opening[struct {
			base
			Account string `tide:"field,name=accountId"`
		}](enriched), timeseries.RowDiffers, "Account"},

		"an unknown role": {opening[struct {
			base
			X string `tide:"feild"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"a scale that is no number": {opening[struct {
			base
			X float64 `tide:"measure,scale=two"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"an option of another role": {opening[struct {
			base
			X string `tide:"field,scale=2"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"two roles": {opening[struct {
			base
			X string `tide:"field,dimension"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"two subjects": {opening[struct {
			base
			Site string `tide:"subject"`
		}](iot.Readings), timeseries.TagUnreadable, "Site"},
		"a private field": {opening[struct {
			base
			x string `tide:"field"`
		}](iot.Readings), timeseries.TagUnreadable, "x"},
		"a name of the table's own": {opening[struct {
			base
			Expires string `tide:"field,name=expiresAt"`
		}](iot.Readings), timeseries.TagUnreadable, "Expires"},
		"one name twice": {opening[struct {
			base
			A string `tide:"field,name=x"`
			B string `tide:"field,name=x"`
		}](iot.Readings), timeseries.TagUnreadable, "B"},
		"a field behind a pointer": {opening[struct {
			*base
			A string `tide:"field"`
		}](iot.Readings), timeseries.TagUnreadable, "Device"},

		"a subject that is no string": {opening[struct {
			Device int       `tide:"subject"`
			At     time.Time `tide:"time"`
		}](iot.Readings), timeseries.TypeUnfit, "Device"},
		"a time that is a string": {opening[struct {
			Device string `tide:"subject"`
			At     string `tide:"time"`
		}](iot.Readings), timeseries.TypeUnfit, "At"},
		"a measure that is a string": {opening[struct {
			base
			Temperature string `tide:"measure"`
		}](iot.Readings), timeseries.TypeUnfit, "Temperature"},
		"a field that is a number": {opening[struct {
			base
			Pressure int `tide:"field"`
		}](iot.Readings), timeseries.TypeUnfit, "Pressure"},
		"a field that is a list": {opening[struct {
			base
			Tags []string `tide:"field"`
		}](iot.Readings), timeseries.TypeUnfit, "Tags"},

		"a kind that is wrong": {opening[base](nameless), timeseries.KindUnusable, ""},
		"an index key that mixes append and enrichment": {opening[struct {
			base
			Account string `tide:"enrichment,name=accountId"`
			State   string `tide:"field"`
		}](mixed), timeseries.KindUnusable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var mistake *timeseries.Error
			if err := c.open(); !errors.As(err, &mistake) {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if mistake.Code != c.code || mistake.Field != c.field {
				t.Errorf("got %s at field %q (%v), want %s at %q", mistake.Code, mistake.Field, mistake, c.code, c.field)
			}
		})
	}
}

func TestOpen_TellsEveryMistakeAtOnce(t *testing.T) {
	err := opening[struct {
		At      *time.Time `tide:"time"`
		Version int        `tide:"version"`
		X       string     `tide:"nonsense"`
	}](iot.Readings)()
	for _, code := range []timeseries.Code{timeseries.TagUnreadable, timeseries.OrderIsReference, timeseries.AppendLacksKey, timeseries.Versioned} {
		if !strings.Contains(err.Error(), string(code)) {
			t.Errorf("%s is not told:\n%v", code, err)
		}
	}
}

func TestOpen_TakesWhatTheRowLeavesOpen(t *testing.T) {
	for name, open := range map[string]func() error{
		"options left to the row": opening[struct {
			base
			Temperature float64 `tide:"measure"`
		}](iot.Readings),
		"an undeclared measure at the scale it has anyway": opening[struct {
			base
			Pressure float64 `tide:"measure,scale=9"`
		}](iot.Readings),
		"an undeclared field": opening[struct {
			base
			Location string `tide:"field"`
		}](iot.Readings),
		"model.Time as time": opening[struct {
			Device string     `tide:"subject"`
			At     model.Time `tide:"time"`
		}](iot.Readings),
		"a dimension that is distinct too": opening[struct {
			base
			Page string `tide:"dimension,distinct"`
		}](catalog.Kind{Name: "VISIT", Subject: catalog.SubjectType{Name: "SITE"}}),
	} {
		if err := open(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen_LeavesTheGivenRowAlone(t *testing.T) {
	row := iot.Readings
	row.Enrichment = nil
	opened, err := timeseries.Open[Reading](newTable(), row)
	if err != nil {
		t.Fatal(err)
	}
	if len(row.Enrichment) != 0 || len(opened.Kind().Enrichment) != 1 {
		t.Errorf("given row: %v, kind opened: %v; want none and the one tagged", row.Enrichment, opened.Kind().Enrichment)
	}
}

func TestCodes_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/CONFIG-ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []timeseries.Code{
		timeseries.OrderMissing, timeseries.OrderIsKey, timeseries.Versioned, timeseries.AppendLacksKey,
		timeseries.OrderIsReference, timeseries.SoftDeleted, timeseries.AppendMissing,
		timeseries.RowDiffers, timeseries.TagUnreadable, timeseries.TypeUnfit, timeseries.KindUnusable,
	} {
		if !strings.Contains(string(page), "## "+string(code)) {
			t.Errorf("docs/CONFIG-ERRORS.md has no section %s", code)
		}
	}
}
