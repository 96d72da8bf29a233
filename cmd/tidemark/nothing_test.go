package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// What a command does not find was never there, or is not known, and the command says which.
func TestReads_SayWhetherThereIsNothingOrNotKnown(t *testing.T) {
	b := newBench(t)
	b.process(b.append("sensor_01", wallClock().Add(-time.Minute).String()+" 21"))
	const notKnown = "not known: events before "
	series := b.kinds.Kinds[0].Series("old", "", model.Order{})
	b.put(item.FromListedSeries(storage.ListedSeries{Series: series, First: 0, Last: wallClock()}))
	for _, c := range []struct{ command, want, not string }{
		{"history devices/sensor_01", "21", notKnown},
		{"history devices/old", "has nothing in this range", notKnown},
		{"history devices/sensor_01 --from 2020-01-01", "21", notKnown},
		{"history devices/old --from 2020-01-01", notKnown, ""},
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
