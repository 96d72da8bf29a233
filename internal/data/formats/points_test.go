package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestPoints_LineProtocolBecomesWhatTheSourcesSay(t *testing.T) {
	settings := config.Default(domains.Kinds()...)
	kinds, err := settings.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	metric, _ := kinds.Kind(settings.Sources[0].Kind)
	name := filepath.Join(t.TempDir(), "points.lp")
	text := "cpu,host=a,cpu=0 usage=1.50,cores=8i,up=t,os=\"x\\\"y\" 1776695400123000000\n" +
		"# a comment\n\nmem,host=a free=1 \nmem,host=a free=\ncpu usage=2 1776695400000000000\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(in Input) (got []string, err error) {
		in.Points = &points.Mapping{Rows: settings.Sources, Catalog: kinds}
		err = in.Each([]string{name}, func(o Observation) error {
			got = append(got, strings.TrimPrefix(o.Location, name)+" "+o.Problem+string(o.Body))
			return nil
		})
		return got, err
	}
	got, err := read(Input{Kind: metric, Lenient: true})
	want := []string{
		`:1 {"` + metric.Subject.Field + `":"a","usage":1.50,"cores":8,"up":true,"os":"x\"y","timestamp":"2026-04-20T14:30:00.123Z","stream":"cpu,cpu=0"}`,
		`:4 the point has no time`, `:5 `, `:6 is not in it: pass ?subject=ID, or --set subject=ID`,
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v\n%s", err, strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
	if _, err := read(Input{Kind: metric}); !usererr.Is(err) || !strings.Contains(err.Error(), "points.lp:4") {
		t.Errorf("not lenient: %v", err)
	}
	other, err := read(Input{Kind: &kinds.Kinds[0], Lenient: true})
	if err != nil || metric == &kinds.Kinds[0] || !strings.Contains(other[0], "pass --kind "+metric.Path) {
		t.Errorf("%v, %q", err, other)
	}
}
