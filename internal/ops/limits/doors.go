package limits

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
)

// Door is a way into a deployment, with the worst request that it accepts. The figures are bounds: a test
// sends the request and fails above one of them.
type Door struct {
	Name   string // its routes
	Caller Caller
	Worst  string // the request
	Test   string // package and name of its test

	Seconds     float64 // of CPU, on one
	Megabytes   float64 // allocated, all allocations together
	Read, Write float64 // units
	Sent        float64 // kilobytes of the response

	// function returns the settings of the function that serves it; nil: it is no request.
	function func(*config.Config, *config.Stage) (f config.Function, reserved int)
}

// Caller is whom a door is open to.
type Caller string

// The callers.
const (
	Anyone   Caller = "anyone"        // on the internet, or with what a web page has
	Key      Caller = "a key"         // of a sender or of a dashboard
	Token    Caller = "a token"       // or a signature
	Operator Caller = "who starts it" // a command
)

// Doors are all doors.
var Doors = []Door{
	{
		Name: "POST /v1/{kinds}, JSON", Caller: Token, Test: "functions/ingest.TestDoors",
		Worst:   "1,000 observations of 1,000 subjects, 900 KB",
		Seconds: 1.5, Megabytes: 150, Read: 1_000, Write: 7_000, Sent: 1_500, function: ofIngest,
	},
	{
		Name: "POST /v1/{kinds}, NDJSON", Caller: Token, Test: "functions/ingest.TestDoors",
		Worst:   "the same in lines",
		Seconds: 1.5, Megabytes: 150, Read: 1_000, Write: 7_000, Sent: 1_500, function: ofIngest,
	},
	{
		Name: "line protocol", Caller: Key, Test: "functions/ingest.TestDoors",
		Worst:   "1,000 lines of 1,000 subjects, 900 KB",
		Seconds: .8, Megabytes: 80, Read: 2_000, Write: 5_000, Sent: 100, function: ofIngest,
	},
	{
		Name: "OTLP", Caller: Key, Test: "functions/ingest.TestDoors",
		Worst:   "1,000 data points of 1,000 resources",
		Seconds: .8, Megabytes: 80, Read: 2_000, Write: 5_000, Sent: 100, function: ofIngest,
	},
	{
		Name: "remote write", Caller: Key, Test: "functions/ingest.TestDoors",
		Worst:   "1,000 samples of 1,000 instances",
		Seconds: .8, Megabytes: 80, Read: 2_000, Write: 5_000, Sent: 100, function: ofIngest,
	},
	{
		Name: "POST /v1/collect/{key}, POST /api/event", Caller: Anyone, Test: "functions/ingest.TestDoors",
		Worst:   "an event of 60 KB with 30 properties",
		Seconds: .1, Megabytes: 5, Read: 5, Write: 12, Sent: 1, function: ofIngest,
	},
	{
		Name: "GET /v1/{read+}, events", Caller: Token, Test: "functions/query.TestDoors",
		Worst:   "a condition that no event of the 1 MB which is read meets",
		Seconds: .5, Megabytes: 50, Read: 300, Sent: 10, function: ofQuery,
	},
	{
		Name: "GET /v1/{read+}, rollups", Caller: Token, Test: "functions/query.TestDoors",
		Worst:   "1,000 hours of 101 subjects merged (with)",
		Seconds: 6, Megabytes: 400, Read: 4_000, Sent: 600, function: ofQuery,
	},
	{
		Name: "exports: GET /v1/{read+} as CSV", Caller: Token, Test: "functions/query.TestDoors",
		Worst:   "1,000 events of 4 KB",
		Seconds: .5, Megabytes: 60, Read: 300, Sent: 1_500, function: ofQuery,
	},
	{
		Name: "GET /shared/{proxy+}", Caller: Anyone, Test: "functions/query.TestDoors",
		Worst:   "1,000 events of 4 KB, by a link with events",
		Seconds: .5, Megabytes: 60, Read: 300, Sent: 1_500, function: ofQuery,
	},
	{
		Name: "POST /api/v2/query", Caller: Token, Test: "functions/query.TestDoors",
		Worst:   "40,000 views of 20 days counted again, by 1,000 pages",
		Seconds: 4, Megabytes: 400, Read: 2_000, Sent: 200, function: ofQuery,
	},
	{
		Name: "GET /api/v1/stats/{proxy+}", Caller: Key, Test: "functions/query.TestDoors",
		Worst:   "the same as a breakdown",
		Seconds: 4, Megabytes: 400, Read: 2_000, Sent: 200, function: ofQuery,
	},
	{
		Name: "/prometheus", Caller: Token, Test: "internal/ops/limits.TestDoors",
		Worst:   "15 terms over 400 series in 10,900 steps, ended by the deadline",
		Seconds: config.PrometheusFunction.Timeout.Seconds(), Megabytes: 10_000, Read: 20_000, Sent: 6_000,
		function: ofPrometheus,
	},
	{
		Name: "GET /ui/{file}", Caller: Anyone, Test: "internal/ops/limits.TestDoors",
		Worst:   "the script of the pages, compressed",
		Seconds: .01, Megabytes: 1, Sent: 80, function: ofPages,
	},
	{
		Name: "import of a zip archive", Caller: Operator, Test: "internal/ops/limits.TestDoors",
		Worst:   "an archive of 1 MB with a row of 1 GB, refused at 16 MB",
		Seconds: 5, Megabytes: 250,
	},
}

func ofIngest(c *config.Config, s *config.Stage) (f config.Function, reserved int) {
	return c.Functions.Ingest, s.Reserved.Ingest
}

func ofQuery(c *config.Config, s *config.Stage) (f config.Function, reserved int) {
	return c.Functions.Query, s.Reserved.Query
}

func ofPrometheus(_ *config.Config, s *config.Stage) (f config.Function, reserved int) {
	return config.PrometheusFunction, s.Reserved.Prometheus
}

func ofPages(_ *config.Config, s *config.Stage) (f config.Function, reserved int) {
	return config.Pages, s.Reserved.Pages
}

// Prices in us-east-1, November 2026; package cost has the others.
const (
	perSentGB  = .09
	secondsDay = 86_400
)

// Flood is what the worst requests of a door cost if a caller sends them all the time.
type Flood struct {
	Rate    float64 // requests a second that the stage accepts
	Dollars float64 // a day
}

// Flood returns the flood of a door at the throttles of a stage. A function that is slow takes as many
// requests as its concurrency lets it; its CPU is the share that its memory has. The table takes no more
// units than its ceiling or the account's quota. A door that is no request has none.
func (d *Door) Flood(c *config.Config, s *config.Stage) (f Flood, ok bool) {
	if d.function == nil {
		return f, false
	}
	function, reserved := d.function(c, s)
	memory := float64(function.Memory)
	duration := min(d.Seconds/min(1, memory/cpuMemory), function.Timeout.Seconds())
	throttle := s.Throttle
	if d.Caller == Anyone {
		throttle = s.PublicThrottle
	}
	f.Rate = min(float64(throttle.Rate), float64(cmp.Or(reserved, concurrency))/duration)
	each := cost.APIRequest.Dollars + duration*memory/1024*cost.GBSecond.Dollars + d.Sent/(1<<20)*perSentGB
	reads := min(f.Rate*d.Read, float64(cmp.Or(s.Ceiling.ReadUnits, tableUnits)))
	writes := min(f.Rate*d.Write, float64(cmp.Or(s.Ceiling.WriteUnits, tableUnits)))
	f.Dollars = secondsDay * (f.Rate*each + reads*cost.ReadUnit.Dollars + writes*cost.WriteUnit.Dollars)
	return f, true
}

// PrintFloods prints what a flood through each door costs a stage, the dearest first.
func PrintFloods(w io.Writer, c *config.Config, s *config.Stage) error {
	type row struct {
		Door
		Flood
	}
	var rows []row
	for i := range Doors {
		if f, ok := Doors[i].Flood(c, s); ok {
			rows = append(rows, row{Doors[i], f})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Dollars, a.Dollars) })
	fmt.Fprintf(w, "\nA caller who sends the worst request of a door all the time costs at most, at the "+
		"throttles of\nstage %s, its concurrency and its ceiling of units:\n\n", s.Name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "$ a day\trequests/s\tcaller\t  door")
	for _, r := range rows {
		dollars := grouped(int(math.Ceil(r.Dollars)))
		fmt.Fprintf(t, "%s\t%s\t%s\t  %s\n", dollars, oneDigit(r.Rate), r.Caller, r.Name)
	}
	return t.Flush()
}

// oneDigit writes a rate: small ones with a digit after the point.
func oneDigit(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return grouped(int(rate))
}
