package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// What a command does not find was never there, or is not known, and the command says which.
func TestReads_SayWhetherThereIsNothingOrNotKnown(t *testing.T) {
	b := newBench(t)
	b.process(b.append("sensor_01", wallClock().Add(-time.Minute).String()+" 21"))
	const notKnown = "not known: events before "
	series := b.kinds.Kinds[0].Series("old", "", model.Order{})
	b.put(item.FromListedSeries(storage.ListedSeries{Series: series, First: 0, Last: wallClock()}))
	b.putMonth(series, model.NewTime(time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)))
	for _, c := range []struct{ command, want, not string }{
		{"history devices/sensor_01", "21", notKnown},
		{"history devices/old", "has nothing in this range", notKnown},
		{"history devices/sensor_01 --from 2020-01-01", "21", notKnown},
		{"history devices/old --from 2020-01-01", notKnown, ""},
		{"history devices/old --from 2021-01-01 --to 2022-01-01", "has nothing in this range", notKnown},
		{"history devices/old --last 1d", "has nothing in this range", notKnown},
		{"history devices/old --count --from 2020-01-01", notKnown, ""},
		{"history devices/old --output json --from 2020-01-01", `"wholeFrom":`, ""},
		{"history devices/sensor_01 --count", "1", notKnown},
		{"history devices/never --count", "has no events: check the id", notKnown},
		{"rollups devices/sensor_01 --from 2099-01-01 --to 2099-02-01", "has nothing in this range", "empty"},
		{"rollups devices/sensor_01 --from 2099-01-01", "has nothing in this range", "empty"},
		{"rollups devices/sensor_01 --measure humidity", "none of the 1 buckets in this range has", ""},
		{"rollups devices/sensor_01 --measure temperature", "21", "none of"},
	} {
		out := b.expect(0, strings.Fields(c.command), c.want)
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("tidemark %s: %s, want no %q", c.command, out, c.not)
		}
	}
}

// A format that is a list of rows has no place for what is not known, or not processed: the command says it.
func TestReads_SayInEachFormatWhatIsNotKnown(t *testing.T) {
	b := newBench(t)
	b.process(b.append("sensor_01", wallClock().Add(-time.Minute).String()+" 21"))
	b.put(item.FromStreamProgress(wallClock().Add(-time.Hour)))
	series := b.kinds.Kinds[0].Series("old", "", model.Order{})
	b.put(item.FromListedSeries(storage.ListedSeries{Series: series, First: 0, Last: wallClock()}))
	b.putMonth(series, model.NewTime(time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)))
	const behind, notKnown = "changes since ", "not known: "
	for _, c := range []struct{ command, want string }{
		{"rollups devices/sensor_01", behind},
		{"rollups devices/sensor_01 --tier hour", behind},
		{"rollups devices/sensor_01 --total", behind},
		{"rollups devices/old --tier day --from 2020-01-01 --to 2020-02-01", notKnown},
		{"rollups devices/old --total --from 2020-01-02 --to 2020-02-01", notKnown},
		{"history devices/old --from 2020-01-01", notKnown},
		{"alerts", behind},
		{"ls", behind},
	} {
		for _, format := range []string{"table", "json", "ndjson", "csv"} {
			b.expect(0, append(strings.Fields(c.command), "--output", format), c.want)
		}
	}
}

// putMonth stores the row of a month with one event. Its days and events are not stored.
func (b *bench) putMonth(series model.Series, start model.Time) {
	b.Helper()
	kind, _ := b.kinds.Kind(series.Kind)
	fold := rollup.NewFold(kind.Spec())
	fold.AddEvent(&model.Event{Series: series, Order: model.Order{At: start}})
	key := rollup.Key{Series: series, Tier: tier.Month.String(), Start: start}
	row, err := item.FromRow(&rollup.Row{Key: key, Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: start})
	if err != nil {
		b.Fatal(err)
	}
	b.put(row)
}

// An export of events that are stored and not processed is no export of a subject that never was.
func TestExport_OfWhatIsNotProcessedIsNotKnown(t *testing.T) {
	b := newBench(t)
	b.append("sensor_01", wallClock().Add(-time.Minute).String()+" 21")
	b.expect(3, strings.Fields("export rollups devices/sensor_01"), "none is processed yet")
	b.expect(2, strings.Fields("export rollups devices/never"), "no events of these kinds")
}

// An event that cannot be decoded is not nothing.
func TestReads_SayThatEventsCannotBeDecoded(t *testing.T) {
	b := newBench(t)
	changes := b.append("sensor_01", wallClock().Add(-time.Minute).String()+" 21")
	stored := changes[0].Key
	newer := item.FromEvent(&model.Event{Series: stored.Series, Order: stored.Order})
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(newer)
	b.process(changes)
	for command, want := range map[string]string{
		"rollups devices/sensor_01 --tier hour": "1 unreadable",
		"rollups devices/sensor_01 --total":     "1 events, or rows of smaller buckets, cannot be",
		"history devices/sensor_01 --count":     "1 more cannot be decoded",
	} {
		got := b.expect(0, strings.Fields(command), want)
		if strings.Contains(got, "has nothing") || strings.Contains(got, "no events") {
			t.Errorf("%s: %s; want nothing that says that there are none", command, got)
		}
	}
}
