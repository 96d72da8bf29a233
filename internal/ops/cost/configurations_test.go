package cost

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

func near(got, want float64) bool { return math.Abs(got-want) <= .005*math.Abs(want) }

// A million events a day are 30.4 million a month.
func TestPrices_OfAMillionEventsADay(t *testing.T) {
	t.Parallel()
	u := Units{Write: 4, Read: .2, Bytes: 300}
	one, sixty := amounts(u, 1, 1e6, 30, 1), amounts(u, 60, 1e6, 30, 1)
	cases := map[string][2]float64{
		"on demand": {76.8, 76.8},
		"provisioned with autoscaling, 70 % used":    {31.7, 31.7}, // 46.3 write and 2.3 read units a second, of 66 and 3.3
		"events stored, with point-in-time recovery": {5.4, 5.4},
		"HTTP API":     {63.4, 1.056},
		"AWS IoT Core": {72.5, 3.19}, // 18 KB are four messages
		"AWS IoT Core, Basic Ingest, batched: ten messages a request":  {11.3, .440},
		"SQS, 100 messages an invocation":                              {12.8, .213},
		"Kinesis on demand, 100 records an invocation":                 {30.6, 30.3},
		"rule of AWS IoT to Timestream for InfluxDB, db.influx.medium": {127.6, 90.7},
		"table stream, read by Lambda":                                 {0, 0},
		"aggregate: an invocation in 5 s, 1 ms an event at 1 GB":       {.915, .915},
		"PostgreSQL with TimescaleDB on a t4g.medium":                  {25.5, 25.5},
		"AWS IoT Core, Basic Ingest":                                   {42.07, 1.157},
		"AWS IoT Core, batched: ten messages a request":                {41.76, 2.468},
		"ClickHouse on a t4g.large":                                    {50.02, 50.02},
	}
	for name, want := range cases {
		found := false
		for _, p := range prices {
			if p.name == name {
				found = true
				if got := [2]float64{p.of(one), p.of(sixty)}; !near(got[0], want[0]) || !near(got[1], want[1]) {
					t.Errorf("%s: $%.3f, want $%v for one and for sixty a request", name, got, want)
				}
			}
		}
		if !found {
			t.Errorf("no price of %s", name)
		}
	}
	for _, p := range prices {
		if _, tested := cases[p.name]; !tested || p.asOf == "" || p.list == "" {
			t.Errorf("%s is not in this test, or has no date or source", p.name)
		}
	}
	// The table, 5.4 + .915 for what is always there, 63.4 for the API.
	for mode, want := range map[string]float64{onDemand: 76.8 + 69.7, provisioned: 31.7 + 69.7} {
		if got := sum(prices, one, mode, "HTTP API"); !near(got, want) {
			t.Errorf("%s: $%.2f in total, want $%.2f", mode, got, want)
		}
	}
}

// An instance costs the same at each load: from where it is cheaper on, both cost the same.
func TestWinsFrom_IsTheLoadAtWhichBothCostTheSame(t *testing.T) {
	t.Parallel()
	u, all := Units{Write: 4, Read: .2, Bytes: 300}, prices
	for _, p := range all {
		if p.group != insteadPart {
			continue
		}
		a := amounts(u, 1, winsFrom(p, all, u, 1, 30), 30, 1)
		if ours, theirs := sum(all, a, onDemand, p.against), p.of(a); !near(ours, theirs) {
			t.Errorf("%s: $%.2f, Tidemark $%.2f", p.name, theirs, ours)
		}
	}
	dear := price{against: httpAPI, dollars: map[unit]float64{months: 1e9, events: 1e9}}
	if n := winsFrom(dear, all, u, 1, 30); !math.IsInf(n, 1) {
		t.Errorf("an alternative that is dearer at each load wins from %v", n)
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
