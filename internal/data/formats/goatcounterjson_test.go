package formats

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// The rows of an archive are in any order, and a member may be null or a number with decimals.
func TestWeb_GoatCountersCountsMayBeInAnyOrder(t *testing.T) {
	t.Parallel()
	const hour = `{"path_id":1,"ref_id":1,"hour":"2026-03-05T`
	dir := t.TempDir()
	var names []string
	for name, text := range map[string]string{
		"paths.jsonl": `{"id":1,"path":"/","title":null,"event":null}`,
		"refs.jsonl":  `{"id":1,"ref":null,"ref_scheme":null}`,
		"hit_stats.jsonl": hour + `20:00:00Z","count":2}` + "\n" + hour + `19:00:00Z","count":3.0}` + "\n" +
			hour + `21:00:00+01:00","count":4}` + "\n" + hour + `19:00:00Z","count":"5"}`,
		"location_stats.jsonl": `{"day":"2026-03-05","path_id":1,"location":null,"count":6}`,
	} {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(names[len(names)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	web := Web{Format: "goatcounter-json", Site: "example.com"}
	got, problems := readWeb(t, webfield.ImportedDays, web, newArchive(t, names))
	shown := map[string]bool{}
	for _, e := range got {
		shown[fmt.Sprint(e["timestamp"], " ", e["stream"], " ", e["pageviews"])] = true
	}
	want := map[string]bool{
		"2026-03-05T19:00:00.000Z visitors 8": true, "2026-03-05T20:00:00.000Z visitors 6": true,
		"2026-03-05T19:00:00.000Z pages / 3": true, "2026-03-05T19:00:00.000Z pages / 5": true,
		"2026-03-05T20:00:00.000Z pages / 2": true, "2026-03-05T20:00:00.000Z pages / 4": true,
		"2026-03-05T00:00:00.000Z locations / 6": true,
	}
	if diff := cmp.Diff(want, shown); diff != "" || len(problems) > 0 {
		t.Errorf("(-want +got):\n%s%q", diff, problems)
	}
}

// GoatCounter names the source of some referrers, and other pages send the same name: both have rows.
func TestWeb_ReferrersOfOneNameAreSeriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const count = `{"hour":"2026-03-05T19:00:00Z","path_id":1,"ref_id":%d,"count":%d}` + "\n"
	parts := []string{
		"paths.jsonl", `{"id":1,"path":"/"}`,
		"refs.jsonl", `{"id":2,"ref":"Google","ref_scheme":"g"}` + "\n" +
			`{"id":3,"ref":"Google","ref_scheme":"o"}` + "\n" + `{"id":4,"ref":"Google","ref_scheme":"c"}`,
		"hit_stats.jsonl", fmt.Sprintf(count+count+count, 2, 5, 3, 6, 4, 7),
	}
	web := Web{Format: "goatcounter-json", Site: "example.com"}
	for range 2 { // the second time as an import of the same archive again
		got, problems := readWeb(t, webfield.ImportedDays, web, packed(t, "export.zip", parts...))
		shown := map[string]string{}
		for _, e := range got {
			figures := fmt.Sprint(e["pageviews"], " ", e["referrer"], " ", e["utm_source"])
			shown[fmt.Sprint(e["stream"])] += figures
		}
		want := map[string]string{
			"visitors": "18 <nil> <nil>", "pages / Google": "5 Google <nil>",
			"pages / Google 3": "6 Google <nil>", "pages / Google fac142acb7309a3b": "7 <nil> Google",
		}
		if diff := cmp.Diff(want, shown); diff != "" || len(problems) > 0 {
			t.Errorf("(-want +got):\n%s%q", diff, problems)
		}
	}
}
