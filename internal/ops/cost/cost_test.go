package cost_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func shipped(t *testing.T) []catalog.Kind {
	t.Helper()
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return kinds.Kinds
}

func readings(t *testing.T) catalog.Kind {
	t.Helper()
	for _, k := range shipped(t) {
		if k.Name == "READING" {
			return k
		}
	}
	t.Fatal("no kind READING")
	return catalog.Kind{}
}

// The bounds are those that docs/run/COST.md promises, with four measures instead of two.
func TestMeasure_AnEventAMinute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		latest      catalog.LatestPolicy
		load        cost.Load
		write, read float64
	}{
		{catalog.TransactionLatest, cost.Load{Every: time.Minute, Batch: 1}, 4.15, .35},
		{catalog.DerivedLatest, cost.Load{Every: time.Minute, Batch: 1}, 1.15, .45},
		{catalog.TransactionLatest, cost.Load{Every: time.Minute, Batch: 60}, 2.15, .2},
		{catalog.NoLatest, cost.Load{Every: time.Second, Batch: 1}, 1.05, .3},
	} {
		kind := readings(t)
		kind.Latest = c.latest
		u, err := cost.Measure(kind, c.load)
		if err != nil || u.Write < 1 || u.Write > c.write || u.Read <= 0 || u.Read > c.read {
			t.Errorf("latest %s, %+v: %+v, %v; want 1 to %v write and at most %v read units", c.latest, c.load, u, err,
				c.write, c.read)
		}
	}
}

func TestMeasure_EveryShippedKind(t *testing.T) {
	t.Parallel()
	for _, k := range shipped(t) {
		if !k.HasEvents() {
			continue
		}
		if u, err := cost.Measure(k, cost.Load{Every: time.Minute, Batch: 1}); err != nil || u.Bytes < 100 {
			t.Errorf("%s: %+v, %v", k.Name, u, err)
		}
	}
}

// A level of groups costs a share for each bucket of a member, which is written once and read twice: before
// it is written, and by the group. docs/run/COST.md states the figures.
func TestMeasure_ALevelOfGroups(t *testing.T) {
	t.Parallel()
	kind := readings(t)
	kind.Latest = catalog.DerivedLatest
	load := cost.Load{Every: time.Minute, Batch: 1, Series: 20}
	without, err := cost.Measure(kind, load)
	if err != nil {
		t.Fatal(err)
	}
	kind.Groups = []string{"site"}
	with, err := cost.Measure(kind, load)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v without, %+v with", without, with)
	kind.Groups = []string{"profile.accountId"}
	ofProfile, err := cost.Measure(kind, load)
	if err != nil {
		t.Fatal(err)
	}
	if more := ofProfile.Read - with.Read; ofProfile.Write > with.Write || more < .03 || more > .05 {
		t.Errorf("of a field of profiles %+v, want 0.03 to 0.05 read units more: the log, twice an hour", ofProfile)
	}
	write, read := with.Write-without.Write, with.Read-without.Read
	page, err := os.ReadFile("../../../docs/run/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(page), "of 20 members takes ")
	var wrote, reads float64
	n, err := fmt.Sscanf(line, "%f write and %f read units more an event", &wrote, &reads)
	if err != nil || math.Abs(write/wrote-1) > .1 || math.Abs(read/reads-1) > .1 {
		t.Errorf("%.4f write and %.4f read units more; docs/run/COST.md states %d figures: %v and %v, %v",
			write, read, n, wrote, reads, err)
	}
}

// The figures are counted from the stream of a table that is swept each minute. An hourly logger writes
// its event, the hour's row and the latest item, puts the hour in the queue and takes it off, and updates
// the list of series. Immediate hours need no queue, and update the list once a day. The rest is days and
// months.
func TestMeasure_RareEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		every     time.Duration
		immediate int
		write     float64
	}{{time.Hour, 0, 6.1}, {time.Hour, 1, 3.17}, {15 * time.Minute, 0, 2.28}, {24 * time.Hour, 0, 7.07}} {
		kind := readings(t)
		kind.Latest = catalog.DerivedLatest
		plans, err := cost.Plans(kind, cost.Load{Every: c.every, Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := plans[c.immediate]; math.Abs(got.Write/c.write-1) > .01 {
			t.Errorf("an event each %s, %d immediate tiers: %.3f write units, want %.2f",
				c.every, c.immediate, got.Write, c.write)
		}
	}
}

// Below about three events in a bucket, deferring its tier saves nothing.
func TestPlans_ALoggerOfOneReadingAnHourKeepsItsHoursImmediate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		every     time.Duration
		immediate int
	}{{time.Minute, 0}, {time.Hour, 1}} {
		plans, err := cost.Plans(readings(t), cost.Load{Every: c.every, Batch: 1})
		if err != nil || len(plans) != 4 {
			t.Fatalf("%d plans, %v", len(plans), err)
		}
		if best := cost.Best(plans); best.Immediate != c.immediate {
			t.Errorf("one reading in %s: %d immediate tiers of %+v, want %d", c.every, best.Immediate, plans,
				c.immediate)
		}
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1/h": time.Hour, "4/h": 15 * time.Minute,
		"1/m": time.Minute, "10/s": 100 * time.Millisecond, "2/d": 12 * time.Hour, "1/week": 168 * time.Hour,
		"1/month": 730 * time.Hour} {
		if got, err := cost.ParseRate(text); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "0/h", "-1/h", "1/fortnight", "x/h", "1/h/2", "1e9/s"} {
		if got, err := cost.ParseRate(text); err == nil {
			t.Errorf("%q: %s, want an error", text, got)
		}
	}
}
