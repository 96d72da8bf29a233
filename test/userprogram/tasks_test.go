package userprogram

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// The eight tasks of docs/use/GO.md: each type and function is one task.

type define struct {
	Device      string    `tide:"subject"`
	At          time.Time `tide:"time"`
	Temperature float64   `tide:"measure"`
	Location    string    `tide:"field"`
}

func defineOpen(table store) (*timeseries.Events[define], error) {
	return timeseries.Open[define](table, iot.Readings, nil)
}

type readings = *timeseries.Events[define]

func appendOne(ctx context.Context, r readings, v define) (timeseries.Result[define], error) {
	return r.Append(ctx, v)
}

func appendIf(ctx context.Context, r readings, v define) (timeseries.Result[define], error) {
	return r.Append(ctx, v, timeseries.If("location", model.Equal, "hall"))
}

func latest(ctx context.Context, r readings, key timeseries.Key) (*define, error) {
	return r.Latest(ctx, key)
}

func history(ctx context.Context, r readings, key timeseries.Key, from, to time.Time) (
	found []define, _ error,
) {
	for v, err := range r.History(ctx, key, timeseries.In(from, to)) {
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, nil
}

func hours(ctx context.Context, r readings, key timeseries.Key, from, to time.Time) (
	timeseries.RollupList, error,
) {
	return r.Rollups(ctx, key, tier.Hour, timeseries.In(from, to))
}

func deleteAndRestore(ctx context.Context, users *timeseries.Profiles[user], id string) error {
	if _, err := users.Delete(ctx, id, 0); err != nil {
		return err
	}
	_, err := users.Restore(ctx, id, 0)
	return err
}

func uniqueEmail(table store) (*timeseries.Profiles[user], error) {
	return timeseries.OpenProfiles[user](table, catalog.SubjectType{Name: "USER", Profile: &catalog.Profile{
		Unique: []catalog.Unique{{Name: "email", Fields: []string{"email"}}},
	}}, nil)
}

// tasks are the rows of the table, by what declares them.
var tasks = []struct {
	name string
	in   []string
}{
	{"define", []string{"define", "defineOpen"}},
	{"append, with duplicate and late reported", []string{"appendOne"}},
	{"conditional append", []string{"appendIf"}},
	{"latest", []string{"latest"}},
	{"events of a range", []string{"history"}},
	{"hourly rollups of a range", []string{"hours"}},
	{"soft delete and restore", []string{"deleteAndRestore"}},
	{"unique field, in each change", []string{"uniqueEmail"}},
}

func TestTasks_HaveTheLinesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/use/GO.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := declaredLines(t, "tasks_test.go")
	for _, task := range tasks {
		n := 0
		for _, name := range task.in {
			if lines[name] == 0 {
				t.Fatalf("%s is not declared", name)
			}
			n += lines[name]
		}
		if row := fmt.Sprintf("| %s | %d |", task.name, n); !strings.Contains(string(page), row) {
			t.Errorf("docs/use/GO.md has no row %s", row)
		}
	}
}

// declaredLines returns the lines within the braces of each type and function of a file.
func declaredLines(t *testing.T, name string) map[string]int {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	add := func(name string, from, to token.Pos) {
		lines[name] = files.Position(to).Line - files.Position(from).Line - 1
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.Name, d.Body.Lbrace, d.Body.Rbrace)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok {
					if fields, ok := ts.Type.(*ast.StructType); ok {
						add(ts.Name.Name, fields.Fields.Opening, fields.Fields.Closing)
					}
				}
			}
		}
	}
	return lines
}

func TestTasks_Work(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, at := context.Background(), time.Now()
		r, err := defineOpen(s)
		if err != nil {
			t.Fatal(err)
		}
		v := define{Device: "sensor_01", At: at, Temperature: 20, Location: "hall"}
		for _, want := range []model.Outcome{model.Applied, model.Duplicate} {
			if out, err := appendOne(ctx, r, v); err != nil || out.Outcome != want {
				t.Errorf("append: %s, %v; want %s", out.Outcome, err, want)
			}
		}
		v.At = at.Add(time.Millisecond)
		if out, err := appendIf(ctx, r, v); err != nil || out.Outcome != model.Applied {
			t.Errorf("conditional append: %s, %v", out.Outcome, err)
		}
		got, err := latest(ctx, r, sensor)
		if want := v.At.Truncate(time.Millisecond); err != nil || got == nil || !got.At.Equal(want) {
			t.Errorf("latest: %+v, %v; want the reading at %s", got, err, want)
		}
		from := at.Add(-time.Minute)
		if got, err := history(ctx, r, sensor, from, at.Add(time.Minute)); err != nil || len(got) != 2 {
			t.Errorf("%d events, %v; want 2", len(got), err)
		}
		if got, err := hours(ctx, r, sensor, from, at); err != nil || len(got.Missing) != 0 {
			t.Errorf("hours: missing %v, %v; want nothing missing", got.Missing, err)
		}
		users, err := uniqueEmail(s)
		if err != nil {
			t.Fatal(err)
		}
		put(t, users, user{ID: "alice", Email: "a@x"}, 0, lifecycle.Created)
		put(t, users, user{ID: "bob", Email: "a@x"}, 0, lifecycle.Taken)
		if err := deleteAndRestore(ctx, users, "alice"); err != nil {
			t.Error(err)
		}
		if found, err := users.Get(ctx, "alice"); err != nil || found == nil {
			t.Errorf("alice after the restore: %+v, %v", found, err)
		}
	})
}
