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

// openModel returns a function that opens a kind as T and returns the error.
func openModel[T any](kind catalog.Kind) func() error {
	return func() error {
		_, err := timeseries.Open[T](newTable(), kind, nil)
		return err
	}
}

type minimalModel struct {
	Device string    `tide:"subject"`
	At     time.Time `tide:"time"`
}

func TestOpen_EachMistakeHasItsCode(t *testing.T) {
	strict := iot.Readings
	strict.IDs = catalog.RequiredID
	enriched := iot.Readings
	enriched.Enrichment = []string{"accountId"}
	metered := iot.Readings
	metered.Measures = []rollup.MeasureSpec{{Name: "energy", Counter: true}}
	counted := iot.Readings
	counted.Dimensions = []rollup.DimensionSpec{{Name: "location", Top: 10}}
	nameless := iot.Readings
	nameless.Name = "no name"

	mixed := iot.Readings
	mixed.LatestBy = []catalog.LatestIndex{{By: []string{"accountId"}, Sort: []string{"state"}}}

	for name, c := range map[string]struct {
		open  func() error
		code  timeseries.Code
		field string
	}{
		"no field is the time": {openModel[struct {
			Device string `tide:"subject"`
		}](iot.Readings), timeseries.OrderMissing, ""},
		"the time is the subject": {openModel[struct {
			Device time.Time `tide:"subject,time"`
		}](iot.Readings), timeseries.OrderIsKey, "Device"},
		"the time is the id": {openModel[struct {
			Device string    `tide:"subject"`
			At     time.Time `tide:"time,id"`
		}](iot.Readings), timeseries.OrderIsKey, "At"},
		"a version": {openModel[struct {
			minimalModel
			Version int `tide:"version"`
		}](iot.Readings), timeseries.Versioned, "Version"},
		"no subject": {openModel[struct {
			At time.Time `tide:"time"`
		}](iot.Readings), timeseries.AppendLacksKey, ""},
		"a subject that append never writes": {openModel[struct {
			Device string    `tide:"subject,enrichment"`
			At     time.Time `tide:"time"`
		}](iot.Readings), timeseries.AppendLacksKey, "Device"},
		"a time that append never writes": {openModel[struct {
			Device string    `tide:"subject"`
			At     time.Time `tide:"time,enrichment"`
		}](iot.Readings), timeseries.AppendLacksKey, "At"},
		"no id where the kind requires one": {openModel[minimalModel](strict), timeseries.AppendLacksKey, ""},
		"a time that may be nil": {openModel[struct {
			Device string     `tide:"subject"`
			At     *time.Time `tide:"time"`
		}](iot.Readings), timeseries.OrderIsReference, "At"},
		"soft delete": {openModel[struct {
			minimalModel
			Deleted time.Time `tide:"deleted"`
		}](iot.Readings), timeseries.SoftDeleted, "Deleted"},
		"no tags":  {openModel[struct{ Device string }](iot.Readings), timeseries.AppendMissing, ""},
		"no model": {openModel[string](iot.Readings), timeseries.AppendMissing, ""},

		"another scale": {openModel[struct {
			minimalModel
			Temperature float64 `tide:"measure,scale=2"`
		}](iot.Readings), timeseries.RowDiffers, "Temperature"},
		"percentiles of an undeclared measure": {openModel[struct {
			minimalModel
			Pressure float64 `tide:"measure,percentiles"`
		}](iot.Readings), timeseries.RowDiffers, "Pressure"},
		"another wrap-around": {openModel[struct {
			minimalModel
			Energy float64 `tide:"measure,counter,wrap=32"`
		}](metered), timeseries.RowDiffers, "Energy"},
		"a counter of an undeclared measure": {openModel[struct {
			minimalModel
			Pressure float64 `tide:"measure,counter"`
		}](iot.Readings), timeseries.RowDiffers, "Pressure"},
		"a counter that is a dimension": {openModel[struct {
			minimalModel
			Pressure string `tide:"dimension,counter"`
		}](iot.Readings), timeseries.TagUnreadable, "Pressure"},
		"a measure that is a dimension": {openModel[struct {
			minimalModel
			Location float64 `tide:"measure"`
		}](counted), timeseries.RowDiffers, "Location"},
		"another top": {openModel[struct {
			minimalModel
			Location string `tide:"dimension,top=20"`
		}](counted), timeseries.RowDiffers, "Location"},
		"a dimension the kind does not declare": {openModel[struct {
			minimalModel
			Location string `tide:"dimension"`
		}](iot.Readings), timeseries.RowDiffers, "Location"},
		"a field that is enrichment": {openModel[struct {
			minimalModel
			Account string `tide:"field,name=accountId"`
		}](enriched), timeseries.RowDiffers, "Account"},

		"an unknown role": {openModel[struct {
			minimalModel
			X string `tide:"feild"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"a scale that is not a number": {openModel[struct {
			minimalModel
			X float64 `tide:"measure,scale=two"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"an option of another role": {openModel[struct {
			minimalModel
			X string `tide:"field,scale=2"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"two roles": {openModel[struct {
			minimalModel
			X string `tide:"field,dimension"`
		}](iot.Readings), timeseries.TagUnreadable, "X"},
		"two subjects": {openModel[struct {
			minimalModel
			Site string `tide:"subject"`
		}](iot.Readings), timeseries.TagUnreadable, "Site"},
		"a private field": {openModel[struct {
			minimalModel
			x string `tide:"field"`
		}](iot.Readings), timeseries.TagUnreadable, "x"},
		"a reserved name": {openModel[struct {
			minimalModel
			Expires string `tide:"field,name=expiresAt"`
		}](iot.Readings), timeseries.TagUnreadable, "Expires"},
		"a name used twice": {openModel[struct {
			minimalModel
			A string `tide:"field,name=x"`
			B string `tide:"field,name=x"`
		}](iot.Readings), timeseries.TagUnreadable, "B"},
		"a field behind a pointer": {openModel[struct {
			*minimalModel
			A string `tide:"field"`
		}](iot.Readings), timeseries.TagUnreadable, "Device"},

		"a subject that is not a string": {openModel[struct {
			Device int       `tide:"subject"`
			At     time.Time `tide:"time"`
		}](iot.Readings), timeseries.TypeUnfit, "Device"},
		"a time that is a string": {openModel[struct {
			Device string `tide:"subject"`
			At     string `tide:"time"`
		}](iot.Readings), timeseries.TypeUnfit, "At"},
		"a time of the stored form": {openModel[struct {
			Device string     `tide:"subject"`
			At     model.Time `tide:"time"`
		}](iot.Readings), timeseries.TypeUnfit, "At"},
		"a field that is a time of the stored form": {openModel[struct {
			minimalModel
			Until model.Time `tide:"field"`
		}](iot.Readings), timeseries.TypeUnfit, "Until"},
		"a measure that is a string": {openModel[struct {
			minimalModel
			Temperature string `tide:"measure"`
		}](iot.Readings), timeseries.TypeUnfit, "Temperature"},
		"a field that is a number": {openModel[struct {
			minimalModel
			Pressure int `tide:"field"`
		}](iot.Readings), timeseries.TypeUnfit, "Pressure"},
		"a field that is a list": {openModel[struct {
			minimalModel
			Tags []string `tide:"field"`
		}](iot.Readings), timeseries.TypeUnfit, "Tags"},

		"a kind that is wrong": {openModel[minimalModel](nameless), timeseries.KindUnusable, ""},
		"an index key that mixes append and enrichment": {openModel[struct {
			minimalModel
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

func TestOpen_ReportsEveryMistakeAtOnce(t *testing.T) {
	err := openModel[struct {
		At      *time.Time `tide:"time"`
		Version int        `tide:"version"`
		X       string     `tide:"nonsense"`
	}](iot.Readings)()
	for _, code := range []timeseries.Code{timeseries.TagUnreadable, timeseries.OrderIsReference,
		timeseries.AppendLacksKey, timeseries.Versioned} {
		if !strings.Contains(err.Error(), string(code)) {
			t.Errorf("%s is not reported:\n%v", code, err)
		}
	}
}

func TestOpen_TakesUndeclaredAttributesFromTheTags(t *testing.T) {
	for name, open := range map[string]func() error{
		"options that the tag omits": openModel[struct {
			minimalModel
			Temperature float64 `tide:"measure"`
		}](iot.Readings),
		"an undeclared measure with the default scale": openModel[struct {
			minimalModel
			Pressure float64 `tide:"measure,scale=9"`
		}](iot.Readings),
		"an undeclared field": openModel[struct {
			minimalModel
			Location string `tide:"field"`
		}](iot.Readings),
		"a dimension that is also distinct": openModel[struct {
			minimalModel
			Page string `tide:"dimension,distinct"`
		}](catalog.Kind{Name: "VISIT", Subject: catalog.SubjectType{Name: "SITE"}}),
	} {
		if err := open(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen_DoesNotChangeTheGivenKind(t *testing.T) {
	row := iot.Readings
	row.Enrichment = nil
	opened, err := timeseries.Open[Reading](newTable(), row, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(row.Enrichment) != 0 || len(opened.Kind().Enrichment) != 1 {
		t.Errorf("given kind: %v, opened kind: %v; want none and the tagged one", row.Enrichment,
			opened.Kind().Enrichment)
	}
}

func TestCodes_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/use/CONFIG-ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []timeseries.Code{
		timeseries.OrderMissing, timeseries.OrderIsKey, timeseries.Versioned, timeseries.AppendLacksKey,
		timeseries.OrderIsReference, timeseries.SoftDeleted, timeseries.AppendMissing,
		timeseries.RowDiffers, timeseries.TagUnreadable, timeseries.TypeUnfit, timeseries.KindUnusable,
	} {
		if !strings.Contains(string(page), "## "+string(code)) {
			t.Errorf("docs/use/CONFIG-ERRORS.md has no section %s", code)
		}
	}
}
