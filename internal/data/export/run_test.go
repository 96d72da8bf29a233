package export

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCommand_RefusesWhatDoesNotFitTogether(t *testing.T) {
	one := []model.Subject{{Type: "DEVICE", ID: "hall"}}
	for name, c := range map[string]struct {
		command Command
		dataset Dataset
		want    string
	}{
		"no such format":    {Command{Format: "xml", Tier: AllTiers}, RollupRows, "want csv or ndjson or parquet"},
		"parquet to a pipe": {Command{Format: "parquet", Tier: AllTiers}, RollupRows, "name a folder with --to"},
		"no such tier":      {Command{Format: "csv", Tier: "decade"}, RollupRows, "--tier"},
		"a tier of files":   {Command{Format: "csv", Tier: "day", To: "x"}, RollupRows, "leave out --out and --tier"},
		"a file of files":   {Command{Format: "csv", Tier: AllTiers, Out: "y", To: "x"}, RollupRows, "leave out --out and --tier"},
		"a zone of all":     {Command{Format: "csv", Tier: AllTiers, Zone: time.UTC}, RollupRows, "want day"},
		"a zone of hours":   {Command{Format: "csv", Tier: "hour", Zone: time.UTC}, RollupRows, "want day"},
		"files of a zone":   {Command{Format: "csv", Zone: time.UTC, To: "x"}, RollupRows, "with --out"},
		"files of a device": {Command{Format: "csv", Subjects: one, To: "x"}, RollupRows, "with --out"},
		"events to a pipe":  {Command{Format: "csv"}, Events, "--to is missing"},
	} {
		if err := c.command.Check(c.dataset); !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, c := range []Command{{Format: "csv", Tier: "day", Out: "x"},
		{Format: "parquet", Tier: "week", Out: "x", Zone: time.UTC},
		{Format: "parquet", Tier: AllTiers, To: "x"}} {
		if err := c.Check(RollupRows); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCommand_PrintsWhatItReadsAndWhatTheManifestLists(t *testing.T) {
	a := newArchived(t)
	var out, log strings.Builder
	run := func(c Command, d Dataset) error {
		return c.Run(t.Context(), d, a.table, a.source.Catalog, a.source.Query.Now, &out, &log)
	}
	if err := run(Command{Format: "ndjson", To: a.dir}, Events); err != nil {
		t.Fatal(err)
	}
	if want := "4 rows in 3 files, listed in events/manifest.json of " + a.dir; !strings.HasPrefix(out.String(),
		want) || !strings.HasPrefix(log.String(), "2 series, up to 11 files to write: at least 7 read units\n") {
		t.Errorf("%s\n%s\nwant %s", log.String(), out.String(), want)
	}
	out.Reset()
	if ok, err := RunCheck(t.Context(), a.dir, &out); !ok || err != nil ||
		out.String() != "3 files compared, 0 wrong\n" {
		t.Errorf("%t, %v: %s", ok, err, out.String())
	}
	if err := run(Command{Kinds: []string{"none"}, Format: "csv", Tier: AllTiers},
		RollupRows); !usererr.Is(err) {
		t.Errorf("no such kind: %v", err)
	}
	if ok, err := RunCheck(t.Context(), t.TempDir(), io.Discard); ok && err == nil {
		t.Error("an empty folder was checked")
	}
}
