package history

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/data/export"
)

// reader prints the rows of a query of an archive as JSON. Its views are the tables of Athena.
const reader = `
import duckdb, json, sys
folder, sql = sys.argv[1:]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
for name in ("events", "rollups"):
    files = f"'{folder}/{name}/kind=READING/*/*.parquet', hive_partitioning = true, hive_types_autocast = false"
    db.execute(f"CREATE VIEW reading_{name} AS SELECT * FROM read_parquet({files})")
db.execute("CREATE MACRO date_format(t, f) AS strftime(t, f)")
print(json.dumps(db.execute(sql).fetchall(), default=str))
`

// DuckDB joins and groups the files of an archive, and its sums of events equal the rollups.
func TestArchive_IsATableOfOtherPrograms(t *testing.T) {
	t.Parallel()
	python := filepath.Join("..", "..", "build", "venv", "bin", "python")
	if err := exec.Command(python, "-c", "import duckdb").Run(); err != nil {
		testenv.Missing(t, "python", "DuckDB is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	d := newDeployment(t)
	if _, err := load(t.Context(), d.url, filepath.Join(t.TempDir(), "j"), writeCSV(t, 12_000)); err != nil {
		t.Fatal(err)
	}
	d.fold()
	dir := t.TempDir()
	if m := d.exportTo(dir, export.Events, "parquet"); len(m.Files) < 2 {
		t.Fatalf("the archive has the files %v, want several days", m.Files)
	}
	d.exportTo(dir, export.RollupRows, "parquet")
	query := func(sql string) (rows [][]any) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), python, "-c", reader, dir, sql).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := json.Unmarshal(out, &rows); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		return rows
	}

	for _, tier := range []string{"hour", "day", "month"} {
		differences := query(`
			WITH counted AS (
				SELECT "deviceId" AS subject, date_trunc('` + tier + `', "timestamp") AS bucket,
					count(temperature) AS n, sum(temperature) AS total, min(temperature) AS low, max(temperature) AS high
				FROM reading_events GROUP BY ALL)
			SELECT count(*), count(c.subject) FILTER (
				c.n = r."count" AND abs(c.total - r."sum") < 1e-6 AND c.low = r."min" AND c.high = r."max")
			FROM counted c FULL JOIN (SELECT * FROM reading_rollups WHERE tier = '` + tier + `' AND measure = 'temperature') r
			ON c.subject = r.subject AND c.bucket = r.bucket::TIMESTAMPTZ`)
		if all, equal := differences[0][0].(float64), differences[0][1].(float64); all < 49 || equal != all {
			t.Errorf("%s: %v of %v buckets are equal", tier, equal, all)
		}
	}

	types := map[columns.Type]string{
		columns.Text: "VARCHAR", columns.Integer: "BIGINT", columns.Number: "DOUBLE", columns.Boolean: "BOOLEAN",
		columns.Timestamp: "TIMESTAMP WITH TIME ZONE", columns.Object: "JSON",
	}
	for _, of := range []columns.Dataset{columns.Events, columns.Rollups} {
		want, got := map[string]string{of.Unit.String(): "VARCHAR"}, map[string]string{}
		for _, c := range of.Columns(&d.kinds.Kinds[0]) {
			want[c.Name] = types[c.Type]
		}
		for _, row := range query("SELECT column_name, column_type FROM (DESCRIBE reading_" + of.Name + ")") {
			got[row[0].(string)] = row[1].(string)
		}
		if want["kind"] = "VARCHAR"; !cmp.Equal(want, got) { // of the path
			t.Errorf("%s (-want +got):\n%s", of.Name, cmp.Diff(want, got))
		}
	}

	example := strings.ReplaceAll(columns.MeansQuery("reading_rollups"), "current_date", "DATE '2026-04-20'")
	if rows := query(example); len(rows) != 10 || rows[0][2].(float64) < rows[9][2].(float64) ||
		rows[0][1] != "temperature" {
		t.Errorf("the example returns %v", rows)
	}
}
