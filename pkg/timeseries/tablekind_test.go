package timeseries_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// applied returns a table to which the kind of readings was applied, after change.
func applied(t *testing.T, change func(*catalog.Kind)) *memory.Table {
	t.Helper()
	kind := iot.Readings
	change(&kind)
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	table := newTable()
	a := &tableconfig.Applier{Table: table, Now: func() model.Time { return model.NewTime(clock()) }}
	if _, err := a.Apply(t.Context(), kinds); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestAppend_RefusesAKindThatDoesNotFitTheTable(t *testing.T) {
	t.Parallel()
	table := applied(t, func(k *catalog.Kind) { k.Shards = 3 })
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	value := Reading{Device: "sensor_01", At: today, Temperature: number("20")}
	_, plain := readings.Append(t.Context(), value)
	_, conditional := readings.Append(t.Context(), value, timeseries.If("location", model.Missing, nil))
	for _, err := range []error{plain, conditional} {
		if !errors.Is(err, timeseries.ErrTableConfig) {
			t.Errorf("append: %v, want %v", err, timeseries.ErrTableConfig)
		}
	}
}

func TestAppend_KeepsEventsAsLongAsTheTableSays(t *testing.T) {
	t.Parallel()
	table := applied(t, func(k *catalog.Kind) {
		k.Retention = tier.Standard()
		k.Retention.Raw = 10 * tier.Day24
	})
	readings, err := timeseries.Open[Reading](table, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Append(t.Context(),
		Reading{Device: "sensor_01", At: today, Temperature: number("20")}); err != nil {
		t.Fatal(err)
	}
	if n := table.Expire(model.NewTime(today.Add(10*24*time.Hour + time.Minute))); n != 1 {
		t.Errorf("%d events expired after the 10 days of the table, want 1", n)
	}
}

// unreadable cannot read the table's configuration.
type unreadable struct{ *memory.Table }

func (unreadable) KindConfig(context.Context, string) (*storage.KindConfig, error) {
	return nil, errors.New("no route")
}

func TestAppend_IsUndecidedIfTheConfigurationCannotBeRead(t *testing.T) {
	t.Parallel()
	readings, err := timeseries.Open[Reading](unreadable{newTable()}, iot.Readings,
		&timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Append(t.Context(), Reading{Device: "sensor_01", At: today}); !errors.Is(err,
		timeseries.ErrUndecided) {
		t.Errorf("append: %v, want %v", err, timeseries.ErrUndecided)
	}
}

// A program whose kind does not fit the table learns nothing from it: each read and change is an error, and
// never nothing, 0 or "there is no such event".
func TestReads_RefuseAKindThatDoesNotFitTheTable(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Name, kind.Path = "STRANGE", "strange"
	for name, c := range map[string]struct {
		table *memory.Table
		kind  catalog.Kind
	}{
		"other shards": {applied(t, func(k *catalog.Kind) { k.Shards = 3 }), iot.Readings},
		"unknown kind": {applied(t, func(*catalog.Kind) {}), kind},
	} {
		readings, err := timeseries.Open[Reading](c.table, c.kind, &timeseries.Options{Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		key := timeseries.Key{Subject: "sensor_01"}
		value := Reading{Device: "sensor_01", At: today, Temperature: number("20")}
		for read, do := range map[string]func() error{
			"latest":  func() error { _, err := readings.Latest(t.Context(), key); return err },
			"count":   func() error { _, err := readings.Count(t.Context(), key); return err },
			"page":    func() error { _, err := readings.Page(t.Context(), key); return err },
			"rollups": func() error { _, err := readings.Rollups(t.Context(), key, tier.Hour); return err },
			"total":   func() error { _, err := readings.Total(t.Context(), key); return err },
			"enrich": func() error {
				_, err := readings.Enrich(t.Context(), key, map[string]any{"accountId": "acme"})
				return err
			},
			"transact":  func() error { _, err := readings.TransactItems(value); return err },
			"latest by": func() error { _, err := readings.LatestBy(t.Context(), []string{"acme"}); return err },
			"chart": func() error {
				_, err := readings.Chart(t.Context(), key, timeseries.In(today.Add(-time.Hour), today))
				return err
			},
			"series": func() error {
				for _, err := range readings.Series(t.Context(), "") {
					return err
				}
				return nil
			},
			"delete":  func() error { _, err := readings.Delete(t.Context(), value); return err },
			"correct": func() error { _, err := readings.Correct(t.Context(), value); return err },
			"append":  func() error { _, err := readings.Append(t.Context(), value); return err },
			"history": func() error {
				for _, err := range readings.History(t.Context(), key) {
					return err
				}
				return nil
			},
		} {
			if err := do(); !errors.Is(err, timeseries.ErrTableConfig) || errors.Is(err, timeseries.ErrUndecided) {
				t.Errorf("%s: %s: %v, want %v alone", name, read, err, timeseries.ErrTableConfig)
			}
		}
	}
}

// silent never returns a configuration.
type silent struct{ *memory.Table }

func (silent) KindConfig(ctx context.Context, _ string) (*storage.KindConfig, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// One caller waits for the configuration; the deadline of another is kept.
func TestAppend_KeepsItsDeadlineWhileAnotherReadsTheConfiguration(t *testing.T) {
	t.Parallel()
	readings, err := timeseries.Open[Reading](silent{newTable()}, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	patient, stop := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() { _, _ = readings.Append(patient, Reading{Device: "sensor_01", At: today}) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	started := time.Now()
	_, err = readings.Append(ctx, Reading{Device: "sensor_01", At: today})
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("an append with a deadline of 50 ms took %s", took)
	}
	if !errors.Is(err, timeseries.ErrUndecided) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("append: %v, want ErrUndecided and the deadline", err)
	}
	stop()
	first.Wait()
}

// countedReads counts the reads of the configuration.
type countedReads struct {
	*memory.Table
	reads *atomic.Int64
}

func (c countedReads) KindConfig(ctx context.Context, kind string) (*storage.KindConfig, error) {
	c.reads.Add(1)
	return c.Table.KindConfig(ctx, kind)
}

func TestAppend_ReadsTheConfigurationOnceForAllCallers(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	store := countedReads{applied(t, func(*catalog.Kind) {}), &reads}
	readings, err := timeseries.Open[Reading](store, iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for n := range 20 {
		running.Go(func() {
			v := Reading{Device: "sensor_01", At: today.Add(time.Duration(-n) * time.Second)}
			if _, err := readings.Append(t.Context(), v); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if n := reads.Load(); n > 2 { // whether the kind is known, and its configuration
		t.Errorf("20 appends read the configuration %d times, want one read", n)
	}
}

func TestOpen_RefusesAStoreThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]timeseries.Store{
		"nil": nil, "a nil table": (*memory.Table)(nil), "a zero table": &memory.Table{},
		"a nil client": dynamo.New(nil, "tidemark"), "no name": dynamo.New(&dynamodb.Client{}, ""),
	} {
		if _, err := timeseries.Open[Reading](store, iot.Readings, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpen_AnUnmanagedKindIsWrittenToATableThatHasOthers(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Name, kind.Path = "STRANGE", "strange"
	readings, err := timeseries.Open[Reading](applied(t, func(*catalog.Kind) {}), kind,
		&timeseries.Options{Now: clock, Unmanaged: true})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := readings.Append(t.Context(), Reading{Device: "sensor_01", At: today}); err != nil ||
		out.Outcome != model.Applied {
		t.Errorf("append: %s, %v; want applied", out.Outcome, err)
	}
}

func TestKind_IsACopy(t *testing.T) {
	t.Parallel()
	readings, err := timeseries.Open[Reading](newTable(), iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	readings.Kind().Measures[0].Name = "changed"
	if name := readings.Kind().Measures[0].Name; name == "changed" {
		t.Errorf("the kind of the opened events has the measure %q after a change of a copy", name)
	}
}
