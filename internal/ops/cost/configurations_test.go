package cost

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func near(got, want float64) bool { return math.Abs(got-want) <= .005*math.Abs(want) }

// A million events a day of 300 bytes are 30.42 million a month, from 694 devices that send one a minute.
var million = use{Units: Units{Write: 4, Read: .2, Bytes: 300}, batch: 1, perDay: 1e6, storedDays: 30,
	series: 694.4}

// The prices by hand, in dollars: counts in millions times dollars a million.
func TestPrices_OfAMillionEventsADay(t *testing.T) {
	t.Parallel()
	sixty := million
	sixty.batch = 60 // 0.507 million requests of 18,000 bytes
	const (
		invoked   = .2 + .1333 + .73 // an invocation of 20 ms at 512 MB, and 1,460 bytes of log
		connected = 2.433            // 694 devices, 43,800 minutes, $0.08 a million
	)
	cases := map[string][2]float64{
		OnDemand:    {76.8, 76.8},
		Provisioned: {31.7, 31.7}, // 46.3 write and 2.3 read units a second, of 66 and 3.3
		"events stored, with point-in-time recovery":             {5.4, 5.4},
		"table stream, read by Lambda":                           {0, 0},
		"aggregate: an invocation in 5 s, 1 ms an event at 1 GB": {.914, .914},
		"metrics of functions in use":                            {3.9, 3.9}, // 13
		"traces: one a second, and 5 % of the others":            {0, 0},
		HTTP:         {30.42 * (1 + invoked + .175), .507 * (1 + invoked + .175)},
		Collector:    {30.42*(1+invoked+.175+.5667) + .3, .507*(1+invoked+.175+.5667) + .3},
		IoT:          {30.42*(1.3+invoked) + connected, .507*(4*1.3+invoked) + connected}, // 18 KB are four parts
		Basic:        {30.42*(.3+invoked) + connected, .507*(4*.3+invoked) + connected},
		IoTBatched:   {30.42*1.165 + 3.042*(1+invoked+.175) + connected, .507*4*1.165 + .0507*(1+invoked+.175) + connected},
		BasicBatched: {30.42*.165 + 3.042*(1+invoked+.175) + connected, .507*4*.165 + .0507*(1+invoked+.175) + connected},
		Queue:        {30.42*.48 + .263 + .3042*invoked, .507*.48 + .263 + .00507*invoked},
		// a record is 1 KB, or 18
		Stream:     {29.2 + 2.492 + .365 + .3042*invoked, 29.2 + .747 + .365 + .00507*invoked},
		influx:     {86.87 + 30.42*1.3 + connected + 1.2, 86.87 + .507*4*1.3 + connected + 1.2},
		timescale:  {25.49, 25.49},
		clickhouse: {50.02, 50.02},
	}
	for _, p := range prices {
		want, tested := cases[p.name]
		if got := [2]float64{p.of(million), p.of(sixty)}; !tested || !near(got[0], want[0]) ||
			!near(got[1], want[1]) {
			t.Errorf("%s: $%.3f, want $%.3f for one and for sixty a request (tested: %t)", p.name, got, want, tested)
		}
	}
	if len(prices) != len(cases) {
		t.Errorf("%d prices, %d by hand", len(prices), len(cases))
	}
}

// What a stage sets changes the price of what it is for, and of nothing else.
func TestPrices_FollowTheStage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*use)
		want map[string]float64 // more, a month
	}{
		"lean": {func(u *use) { u.lean = true }, map[string]float64{"metrics of functions in use": -3.9,
			Collector: -.3 - 30.42*.7}}, // 700 bytes of log of each of its two functions
		"traces": {func(u *use) { u.traced = true },
			map[string]float64{"traces: one a second, and 5 % of the others": 13.14 + 6.948}},
		"CloudFront": {func(u *use) { u.fronted = true }, map[string]float64{Collector: 30.42}},
		"a web ACL":  {func(u *use) { u.checked = true }, map[string]float64{Collector: 18.25}},
	} {
		changed := million
		c.set(&changed)
		for _, p := range prices {
			more := p.of(changed) - p.of(million)
			if want, stated := c.want[p.name]; stated && !near(more, want) || !stated && name != "lean" && more != 0 {
				t.Errorf("%s: %s: $%.2f more, want $%.2f", name, p.name, more, want)
			}
		}
	}
}

// The total is the configuration that the file has: the mode of its table, and the source of the kind.
func TestBill_IsTheConfigurationOfTheStage(t *testing.T) {
	t.Parallel()
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	load := Load{Every: time.Minute, Batch: 1}
	for _, c := range []struct {
		kind, table, source string
		set                 func(*config.Stage)
	}{
		{"READING", OnDemand, IoT, func(*config.Stage) {}},
		{"READING", OnDemand, IoTBatched, func(s *config.Stage) { s.Sources.Batched = true }},
		{"READING", OnDemand, HTTP, func(s *config.Stage) { s.Sources.Things = nil }},
		{"READING", Provisioned, IoT, func(s *config.Stage) { s.Billing = config.Billing{ReadUnits: 1, WriteUnits: 1} }},
		{"PAGEVIEW", OnDemand, Collector, func(*config.Stage) {}},
		{"PAGEVIEW", OnDemand, HTTP, func(s *config.Stage) { s.Sources.Pages = false }},
	} {
		stage := config.NewStage("prod")
		c.set(&stage)
		kind, _ := kinds.Kind(c.kind)
		var modes, sources []string
		for _, part := range Bill(million.Units, load, *kind, &stage, 1e6, "") {
			for _, p := range prices {
				if p.name == part.Name && p.group == tablePart {
					modes = append(modes, p.name)
				} else if p.name == part.Name && p.group == sourcePart {
					sources = append(sources, p.name)
				}
			}
		}
		if !reflect.DeepEqual(modes, []string{c.table}) || !reflect.DeepEqual(sources, []string{c.source}) {
			t.Errorf("%s: %v by %v, want %s by %s", c.kind, modes, sources, c.table, c.source)
		}
	}
}

// An instance costs the same at each load: from where it is cheaper on, both cost the same.
func TestWinsFrom_IsTheLoadAtWhichBothCostTheSame(t *testing.T) {
	t.Parallel()
	for _, p := range prices {
		if p.group != insteadPart {
			continue
		}
		u := million
		u.perDay = winsFrom(p, million, OnDemand)
		u.series = million.series * u.perDay / million.perDay
		if ours, theirs := Total(bill(u, OnDemand, p.against)), p.of(u); !near(ours, theirs) {
			t.Errorf("%s: $%.2f, Tidemark $%.2f", p.name, theirs, ours)
		}
	}
	dear := price{against: HTTP, of: func(use) float64 { return 1e12 }}
	if n := winsFrom(dear, million, OnDemand); !math.IsInf(n, 1) {
		t.Errorf("an alternative that is dearer at each load wins from %v", n)
	}
}

// A series and hour is put once, however many processes share the events: the others read it.
func TestMeasure_ProcessesReadWhatIsInTheQueue(t *testing.T) {
	t.Parallel()
	kinds, err := config.Default(domains.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := kinds.Kind("READING")
	derived := *kind
	derived.Latest = catalog.DerivedLatest
	var before Units
	for _, n := range []int{1, 8, 34} {
		u, err := Measure(derived, Load{Every: time.Minute, Batch: 1, Processes: n})
		if err != nil || u.Write > 1.15 || u.Read > .35+.06*float64(n) || u.Read <= before.Read {
			t.Errorf("%d processes: %.3f write and %.3f read units, %v", n, u.Write, u.Read, err)
		}
		before = u
	}
}

func TestFlood_IsBoundedByWhatAStageSets(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Stages = []config.Stage{
		{Name: "none", Throttle: config.Throttle{Rate: 1}},
		{Name: "low", Ceiling: config.Ceiling{ReadUnits: 10, WriteUnits: 10}, Reserved: config.Reserved{Ingest: 500, Query: 500}, Throttle: config.Throttle{Rate: 10}},
		{Name: "even", Billing: config.Billing{ReadUnits: 10, WriteUnits: 10}, Throttle: config.Throttle{Rate: 1}},
		{Name: "scaled", Billing: config.Billing{ReadUnits: 10, WriteUnits: 10, Autoscale: config.Autoscale{ReadUnits: 20, WriteUnits: 40, Utilization: 70}}, Throttle: config.Throttle{Rate: 1}},
	}
	var out bytes.Buffer
	if err := printFlood(&out, settings); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[2:] {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	// 40,000 units of the table and both indexes; 1,000 invocations at 1 GB, or at 512 MB
	want := []string{"none 236520 35040 3", "low 59 17520 26", "even 17 35040 3", "scaled 63 35040 3"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}
