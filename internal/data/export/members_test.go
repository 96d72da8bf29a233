package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const firstHour = "2026-04-01T00:00:00Z"

func member(id string) string { return tablekeys.Member(model.Subject{Type: "DEVICE", ID: id}) }

// newGroupRow returns the row of an hour of the group berlin, folded from a share of each member.
func newGroupRow(site *catalog.Kind, start string, values map[string]string) rollup.Row {
	row := newRow(site, site.GroupSeries("berlin", model.Series{}), tier.Hour, start, "temperature")
	row.Fold = *rollup.NewFold(site.Spec())
	for id, value := range values {
		share := newRow(site, row.Key.Series, tier.Hour, start, "temperature", value)
		share.Key.Member = member(id)
		row.AddRow(&share)
	}
	return row
}

// newGroups returns a source of rows of a group: with two members, without lists, with nine of eleven members
// after a purge of the tenth, and with no valid value. There is also a row of a member.
func newGroups(t *testing.T) Source {
	kinds, kind := newReadings(t, func(k *catalog.Kind) { k.Groups = []string{"site"} })
	site := kind.GroupKinds()[0]
	values := map[string]string{}
	for i := range 11 {
		values[fmt.Sprintf("d%02d", i)] = "5"
	}
	struck := newGroupRow(site, "2026-04-01T02:00:00Z", values)
	struck.Summary.StrikeMember(member("d09"))
	listless := newRow(site, struck.Key.Series, tier.Hour, "2026-04-01T01:00:00Z", "temperature", "3")
	table := memory.New(func() model.Time { return testNow })
	for _, row := range []rollup.Row{
		newGroupRow(site, firstHour, map[string]string{"a": "31.50", `b;"c"`: "-2"}), listless, struck,
		newGroupRow(site, "2026-04-01T03:00:00Z", map[string]string{"a": "broken"}),
		newRow(kind, device("a", "", 0), tier.Hour, firstHour, "temperature", "31.50"),
	} {
		putRow(t, table, &row)
		list(t, table, row.Key.Series, row.Key.Start, row.Key.Start)
	}
	if _, err := table.AdvanceSweep(t.Context(), storage.GroupShard, testNow); err != nil {
		t.Fatal(err)
	}
	return newSource(t, table, kinds)
}

// wantMembers has highest, highestPlaces, lowest and lowestPlaces of each hour of the group.
func wantMembers() [][]string {
	var nine []string
	for i := range 9 {
		nine = append(nine, fmt.Sprintf(`{"member":"d%02d","value":5}`, i))
	}
	all := "[" + strings.Join(nine, ",") + "]"
	return [][]string{
		{`[{"member":"a","value":31.5},{"member":"b;\"c\"","value":-2}]`, "10",
			`[{"member":"b;\"c\"","value":-2},{"member":"a","value":31.5}]`, "10"},
		{"", "", "", ""},
		{all, "9", all, "9"},
		{"[]", "10", "[]", "10"},
	}
}

// memberCells returns the four columns of each row of a kind.
func memberCells(header []string, records [][]string, kind string) (cells [][]string) {
	for _, r := range records {
		if r[slices.Index(header, "kind")] != kind {
			continue
		}
		var row []string
		for _, name := range []string{"highest", "highestPlaces", "lowest", "lowestPlaces"} {
			row = append(row, r[slices.Index(header, name)])
		}
		cells = append(cells, row)
	}
	return cells
}

// Rows of groups name their members in CSV and in Parquet. Lists that are not known are empty cells and no
// number of places, and so are the lists of a row of a member.
func TestRollups_NameTheMembersOfGroups(t *testing.T) {
	t.Parallel()
	source := newGroups(t)
	var out strings.Builder
	if err := source.Rollups(t.Context(), &out, AllTiers, "csv", nil); err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := files.At(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	archive := Archive{Source: source, Dataset: RollupRows, Format: "parquet", To: folder, Now: testNow}
	m, err := archive.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := func(kind string) (header []string, records [][]string) {
		var file bytes.Buffer
		stored, err := folder.Open(t.Context(), m.Files[slices.IndexFunc(m.Files,
			func(p Part) bool { return p.Kind == kind })].Path)
		if err != nil {
			t.Fatal(err)
		}
		defer stored.Close()
		if _, err := file.ReadFrom(stored); err != nil {
			t.Fatal(err)
		}
		return parquetRecords(t, file.Bytes())
	}
	for kind, want := range map[string][][]string{
		"READING_BY_SITE": wantMembers(), "READING": {{"", "", "", ""}},
	} {
		if diff := cmp.Diff(want, memberCells(table[0], table[1:], kind)); diff != "" {
			t.Errorf("%s as CSV (-want +got):\n%s", kind, diff)
		}
		header, records := read(kind)
		if diff := cmp.Diff(want, memberCells(header, records, kind)); diff != "" {
			t.Errorf("%s as Parquet (-want +got):\n%s", kind, diff)
		}
	}
}

// Programs read the lists of Parquet as JSON, and their places as whole numbers.
func TestRollups_ParquetHasTheTypesOfMembers(t *testing.T) {
	t.Parallel()
	w := new(bytes.Buffer)
	out, err := openParquet(w, RollupRows.Columns(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range parquet.NewReader(bytes.NewReader(w.Bytes())).Schema().Fields() {
		if strings.HasPrefix(f.Name(), "highest") || strings.HasPrefix(f.Name(), "lowest") {
			got[f.Name()] = f.Type().String()
		}
	}
	want := map[string]string{"highest": "JSON", "lowest": "JSON", "highestPlaces": "INT(64,true)",
		"lowestPlaces": "INT(64,true)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}
