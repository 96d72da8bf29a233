package tidemarkcdk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Athena finds each file of an export by its table, with its columns.
func TestArchive_HasATableForTheEventsAndTheRollupsOfEachKind(t *testing.T) {
	all := resourcesOfType(t, "archived", "AWS::Glue::Table")
	if len(all) < 4 {
		t.Fatalf("the stage describes %d tables, want at least four", len(all))
	}
	inputs := map[string]map[string]any{}
	for _, table := range all {
		input := table.Properties["TableInput"].(map[string]any)
		inputs[input["Name"].(string)] = input
	}
	rollups := inputs["reading_rollups"]
	storage := rollups["StorageDescriptor"].(map[string]any)
	const folder = "s3://exports/plant/tidemark/rollups/kind=READING/"
	want := map[string]any{
		"classification": "parquet", "projection.enabled": "true",
		"projection.month.type": "date", "projection.month.format": "yyyy-MM",
		"projection.month.range":    "2019-06,NOW+1DAYS",
		"projection.month.interval": "1", "projection.month.interval.unit": "MONTHS",
		"storage.location.template": folder + "month=${month}/",
	}
	if diff := cmp.Diff(want, rollups["Parameters"]); diff != "" || storage["Location"] != folder {
		t.Errorf("in %v (-want +got):\n%s", storage["Location"], diff)
	}
	var names []string
	types := map[string]string{}
	for _, c := range storage["Columns"].([]any) {
		name, kind := c.(map[string]any)["Name"].(string), c.(map[string]any)["Type"].(string)
		names, types[name] = append(names, name), kind
	}
	if got := strings.Join(names, ","); got != strings.ToLower(columns.Header) {
		t.Errorf("the columns are %s", got)
	}
	some := map[string]string{"subject": "string", "count": "bigint", "p95": "double", "exact": "boolean"}
	for name, kind := range some {
		if types[name] != kind {
			t.Errorf("the column %s has type %s, want %s", name, types[name], kind)
		}
	}
	days := inputs["reading_events"]["Parameters"].(map[string]any)
	if got := days["projection.day.range"]; got != "2019-06-01,NOW+1DAYS" {
		t.Errorf("events have the days %v", got)
	}
	for _, query := range resourcesOfType(t, "archived", "AWS::Athena::NamedQuery") {
		if text := query.Properties["QueryString"].(string); !strings.Contains(text, "FROM reading_rollups\n") {
			t.Errorf("the example is\n%s", text)
		}
	}
	for id, r := range resources(t, "full") {
		if strings.HasPrefix(r.Type, "AWS::Glue::") {
			t.Errorf("a stage without an archive has %s", id)
		}
	}
}

// A type without a row would be an empty text, which AWS Glue accepts.
func TestArchive_EachTypeOfColumnHasOneInGlue(t *testing.T) {
	for kind := columns.Text; kind <= columns.Object; kind++ {
		if glueTypes[kind] == "" {
			t.Errorf("type %d of a column has none in Glue", kind)
		}
	}
}

func TestArchive_RejectsColumnsThatDifferByCaseOnly(t *testing.T) {
	stage := config.Stage{Name: "prod", Archive: config.Archive{To: "s3://b/f"}}
	for _, name := range []string{"Temp", "day"} {
		kinds, err := catalog.New(catalog.Kind{
			Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
			Measures: []rollup.MeasureSpec{{Name: "temp"}, {Name: name}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := checkArchive(stage, kinds); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := checkArchive(config.Stage{}, kinds); err != nil {
			t.Errorf("without an archive: %v", err)
		}
	}
}
