package formats

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// TestShapes reads tables as programs write them by default, by what a new user would pass. The title of a
// file is its name and options of the command; the file "=" after it is what is read.
func TestShapes(t *testing.T) {
	const path = "testdata/shapes.txtar"
	corpus, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var results []txtar.File
	for i, f := range corpus.Files {
		if f.Name == "=" {
			continue
		}
		got := readShape(t, f)
		results = append(results, f, txtar.File{Name: "=", Data: []byte(got)})
		same := i+1 < len(corpus.Files) && corpus.Files[i+1].Name == "=" && string(corpus.Files[i+1].Data) == got
		if !same && !*update {
			t.Errorf("%s was read as\n%s", f.Name, got)
		}
	}
	if n := len(results) / 2; n < 20 {
		t.Errorf("%d shapes, want 20", n)
	}
	if *update {
		writeCorpus(t, path, &txtar.Archive{Comment: corpus.Comment, Files: results})
	}
}

// readShape returns the places and bodies of the observations of a file, or the error.
func readShape(t *testing.T, f txtar.File) string {
	t.Helper()
	settings := config.Default(domains.Kinds()...)
	kinds, err := settings.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	options := strings.Split(f.Name, " ")
	name := options[0]
	in := Input{Lenient: true, Points: &points.Mapping{Rows: settings.Sources, Catalog: kinds}}
	if in.Kind, err = names.Kind(kinds, ""); err != nil {
		t.Fatal(err)
	}
	flags := flag.NewFlagSet(f.Name, flag.ContinueOnError)
	flags.Func("kind", "", func(text string) (err error) { in.Kind, err = names.Kind(kinds, text); return err })
	flags.Func("zone", "", func(text string) (err error) {
		in.Clock.Zone, err = time.LoadLocation(text)
		return err
	})
	flags.Func("time-format", "", in.Clock.SetFormat)
	flags.Func("set", "", func(text string) (err error) {
		in.Shape.Constants, err = ParseConstants(text, in.Kind)
		return err
	})
	flags.Func("map", "", func(text string) (err error) {
		in.Columns, err = ParseColumns(text, in.Kind)
		return err
	})
	flags.StringVar(&in.Source, "source", "", "")
	flags.Func("missing", "", func(text string) error {
		in.Shape.Missing = append(in.Shape.Missing, text)
		return nil
	})
	flags.IntVar(&in.Shape.Skip, "skip", 0, "")
	flags.IntVar(&in.Shape.SkipBelow, "skip-below", 0, "")
	if err := flags.Parse(options[1:]); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile(name, f.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err = in.Each([]string{name}, func(o Observation) error {
		fmt.Fprintf(&got, "%s %s%s\n", o.Location, o.Problem, o.Body)
		return nil
	})
	if err != nil {
		fmt.Fprintf(&got, "refused: %v\n", err)
	}
	return got.String()
}
