package timeseries_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// cents is a number that programs also write as text.
type cents int64

func (c cents) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(c)/100, 'f', 2, 64), nil
}

func (c *cents) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	*c = cents(f * 100)
	return err
}

type logEntry struct {
	Host   string      `tide:"subject"`
	At     time.Time   `tide:"time"`
	Level  slog.Level  `tide:"dimension"`
	Least  *slog.Level `tide:"field"`
	Client netip.Addr  `tide:"distinct"`
	Cost   cents       `tide:"measure"`
	Owner  slog.Level  `tide:"enrichment"`
}

// A type that writes itself as text is stored as this text, as encoding/json writes it, and compared by it.
// A measure stays a number.
func TestValues_NamedNumbersThatMarshalAsText(t *testing.T) {
	t.Parallel()
	ctx, table := context.Background(), newTable()
	events := open[logEntry](t, table, catalog.Kind{Name: "LOG", Subject: catalog.SubjectType{Name: "HOST"}})
	least, key := slog.LevelDebug, timeseries.Key{Subject: "a"}
	in := logEntry{Host: "a", At: today, Level: slog.LevelWarn, Least: &least, Cost: 1234,
		Client: netip.MustParseAddr("203.0.113.7")}
	if _, err := events.Append(ctx, in); err != nil {
		t.Fatal(err)
	}
	if _, err := events.Enrich(ctx, key, map[string]any{"owner": slog.LevelError}); err != nil {
		t.Fatal(err)
	}
	got, err := events.Latest(ctx, key)
	if err != nil || got.Level != slog.LevelWarn || *got.Least != least || got.Cost != 1234 ||
		got.Client != in.Client || got.Owner != slog.LevelError {
		t.Errorf("latest %+v, %v; want %+v with the owner ERROR", got, err, in)
	}
	for name, c := range map[string]struct {
		where timeseries.CountOption
		want  int64
	}{
		"its type":           {timeseries.Where("level", model.Equal, slog.LevelWarn), 1},
		"its text":           {timeseries.Where("level", model.Equal, "WARN"), 1},
		"another":            {timeseries.Where("level", model.Equal, slog.LevelInfo), 0},
		"a pointer":          {timeseries.Where("least", model.Equal, &least), 1},
		"a measure":          {timeseries.Where("cost", model.Greater, cents(1233)), 1},
		"a measure, a float": {timeseries.Where("cost", model.AtMost, 1233.5), 0},
	} {
		if n, err := events.Count(ctx, key, c.where); err != nil || int64(n.Events) != c.want {
			t.Errorf("%s: %d events, %v; want %d", name, n.Events, err, c.want)
		}
	}
	if _, err := events.Count(ctx, key, timeseries.Where("level", model.Equal, 4)); !errors.Is(err,
		model.ErrCondition) {
		t.Errorf("a number: %v; want ErrCondition", err)
	}
	fold(table, events.Kind())
	total, err := events.Total(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if cost, ok := total.Summary.Measure("cost"); !ok || cost.Sum.String() != "1234" {
		t.Errorf("the sum is %s, want 1234", cost.Sum)
	}
}

// Profiles that a release before stored have the number itself.
func TestProfiles_NamedNumbersThatMarshalAsText(t *testing.T) {
	t.Parallel()
	type before struct {
		ID    string `tide:"subject"`
		Level int    `tide:"field"`
	}
	type after struct {
		ID    string     `tide:"subject"`
		Level slog.Level `tide:"field"`
	}
	ctx, table := context.Background(), newTable()
	host := catalog.SubjectType{Name: "HOST"}
	old, err := timeseries.OpenProfiles[before](table, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := timeseries.OpenProfiles[after](table, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Put(ctx, before{ID: "a", Level: int(slog.LevelWarn)}, 0); err != nil {
		t.Fatal(err)
	}
	got, err := hosts.Get(ctx, "a")
	if err != nil || got.Value.Level != slog.LevelWarn {
		t.Fatalf("a stored number: %+v, %v; want WARN", got, err)
	}
	if _, err := hosts.Put(ctx, got.Value, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Get(ctx, "a"); err == nil {
		t.Error("the changed profile has a number; want the text WARN")
	}
	if got, err := hosts.Get(ctx, "a"); err != nil || got.Value.Level != slog.LevelWarn {
		t.Errorf("a stored text: %+v, %v; want WARN", got, err)
	}
}
