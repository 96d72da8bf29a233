package patterns

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// pattern is one request that programs make of the table.
type pattern struct {
	about string // the request in a few words, the title of its section
	// call makes the request through the public packages; the page shows its code. nil if
	// no public package can.
	call requestFunc
	// measured makes the request as the HTTP API does; nil if that is call.
	measured requestFunc

	action  httpapi.Action // of the route
	of      string         // name of the kind, or of the subject type
	words   []string       // parameters of the path, in order: the id, the tier, …
	params  string         // the query string
	command string         // the command line; "" if no command makes the request
}

type requestFunc func(ctx context.Context, w *world) (any, error)

// run makes the request that the page measures.
func (p pattern) run(ctx context.Context, w *world) (any, error) {
	if p.measured != nil {
		return p.measured(ctx, w)
	}
	return p.call(ctx, w)
}

// group is a section of the page.
type group struct {
	name     string
	patterns []pattern
}

// all has every pattern. To add one, add a row to its group.
var all = []group{
	{"Readings of devices", readingPatterns},
	{"Rollups", rollupPatterns},
	{"Profiles and purges", profilePatterns},
	{name: "Groups of devices", patterns: groupPatterns},
	{"Alerts", alertPatterns},
	{"Websites", websitePatterns},
}

// Reading is a measurement of a device.
type Reading struct {
	Device      string         `tide:"subject"`
	Stream      string         `tide:"stream"`
	At          time.Time      `tide:"time"`
	Temperature *model.Decimal `tide:"measure"`
}

// PageView is a view of a page of a website.
type PageView struct {
	Site string    `tide:"subject"`
	At   time.Time `tide:"time"`
	ID   string    `tide:"id"`
	Path string    `tide:"dimension"`
}

// world has what the patterns call.
type world struct {
	kinds    *catalog.Catalog
	readings *timeseries.Events[Reading]
	sites    *timeseries.Events[Reading] // groups of readings
	views    *timeseries.Events[PageView]
	subjects *lifecycle.Service
	purger   *lifecycle.Purger
	ingest   *ingest.Service
	buckets  *verify.BucketVerifier
	query    *query.Service
	alerts   *alert.Service
}

func (w *world) series(kind, id string) query.Series {
	k, _ := w.kinds.Kind(kind)
	return query.Series{Kind: k, Subject: id}
}

// The subjects, series and times of the patterns.
var (
	device = model.Subject{Type: "DEVICE", ID: "sensor_01"}
	site   = model.Subject{Type: "SITE", ID: "my-site"}
	sensor = timeseries.Key{Subject: device.ID}
	mySite = timeseries.Key{Subject: site.ID}

	year     = day(2025, time.April, 20)
	march    = day(2026, time.March, 1)
	april    = day(2026, time.April, 1)
	today    = day(2026, time.April, 20)
	tomorrow = day(2026, time.April, 21)
	now      = today.Add(14*time.Hour + 30*time.Minute)

	warm = model.MustDecimal("22.4")
)

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func at(t time.Time) model.Time { return model.NewTime(t) }
