// Package web declares websites: the subject type SITE, four kinds of event, and the sessions of
// page views. tidemark.yaml may override any of them by name.
//
// A request that a server logs is a page view, a request for anything else, or malformed; a custom event is
// what a page reports besides its views. The traffic of a site is the kinds merged when it is read: no event
// is stored twice, and a visitor of several kinds is counted once.
package web

import (
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// BotStream is the stream of events that bots caused.
const BotStream = "bots"

// Site is the subject type: a website, with an id such as its host name.
var Site = catalog.SubjectType{Name: "SITE", Path: "sites", Field: "siteId"}

// retention is tier.Standard and minutes, for a view of the last hour. Minutes also make it
// cheaper to recompute the hour of a busy site.
func retention() tier.Policy {
	const day = tier.Day24
	return tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{
		{Unit: tier.Minute, Retention: 34 * day},
		{Unit: tier.Hour, Retention: 90 * day},
		{Unit: tier.Day, Retention: 730 * day},
		{Unit: tier.Month, Retention: tier.Forever},
	}}.Defer()
}

// PageViews are views of pages. The views of a site are spread over four partitions, because
// a site may be busy. Ids are required, because two views in one millisecond are two events.
// The collector creates the id; other senders choose one that is the same when they retry.
var PageViews = ofSites(catalog.Kind{
	Name:       "PAGEVIEW",
	Path:       "pageviews",
	Measures:   measures(),
	Dimensions: slices.Concat(ofPages(dimensions()), visitDimensions(), viewDimensions),
	Properties: webfield.Props(),
	IndexBy:    webfield.Visitor,
	Shards:     4,
})

// viewDimensions are of a view, and not of its visit.
var viewDimensions = []rollup.DimensionSpec{
	{Name: webfield.Hostname, Top: 10, Detail: 2 << 10},
	{Name: webfield.CountryPath, Of: [2]string{webfield.Country, webfield.Path}, Top: 30, Detail: 4 << 10},
}

// ofPages returns dimensions with details of the most frequent pages. Details of what a visit has are of
// sessions.
func ofPages(all []rollup.DimensionSpec) []rollup.DimensionSpec {
	for i := range all {
		if all[i].Name == webfield.Path {
			all[i].Detail = 16 << 10
		}
	}
	return all
}

// Requests are requests for anything but pages: scripts, images, feeds, probes.
var Requests = ofSites(catalog.Kind{
	Name:       "REQUEST",
	Path:       "requests",
	Measures:   measures(),
	Dimensions: dimensions(),
	Shards:     4,
})

// Malformed are requests that the server could not parse. They have no valid path or method,
// so only their status is counted by value.
var Malformed = ofSites(catalog.Kind{
	Name:       "MALFORMED",
	Path:       "malformed",
	Measures:   measures(),
	Dimensions: []rollup.DimensionSpec{{Name: webfield.Status, Top: 64}},
	Shards:     1,
})

// ofSites returns a kind of the events of sites: late events are kept, each event has an id,
// visitors are counted, and there are no latest items.
func ofSites(k catalog.Kind) catalog.Kind {
	k.Subject = Site
	k.Distinct = []string{webfield.Visitor}
	k.Retention = retention()
	k.Late = catalog.KeepLate
	k.IDs = catalog.RequiredID
	k.Latest = catalog.NoLatest
	return k
}

// milliseconds is the unit of durations.
const milliseconds = "ms"

// measures are integers: the bytes sent, and the duration of the response or the view.
func measures() []rollup.MeasureSpec {
	return []rollup.MeasureSpec{
		{Name: webfield.Bytes, Scale: 0, Percentiles: true, Unit: "B"},
		{Name: webfield.Duration, Scale: 0, Percentiles: true, Unit: milliseconds},
	}
}

// dimensions are counted by value. Top bounds the size of a row: 200 paths and 72 hosts of
// maximum length, and all countries.
func dimensions() []rollup.DimensionSpec {
	return []rollup.DimensionSpec{
		{Name: webfield.Path, Top: 200},
		{Name: webfield.Referrer, Top: 72},
		{Name: webfield.Country, Top: 250},
		{Name: webfield.Device, Top: 16},
		{Name: webfield.Status, Top: 64},
		{Name: webfield.Method, Top: 16},
	}
}

// visitDimensions say from where and with what visitors come.
func visitDimensions() []rollup.DimensionSpec {
	all := []rollup.DimensionSpec{
		{Name: webfield.Source, Top: 50},
		{Name: webfield.Channel, Top: 16},
		{Name: webfield.Browser, Top: 20},
		{Name: webfield.OS, Top: 12},
		{Name: webfield.Screen, Top: 4},
		{Name: webfield.Language, Top: 40},
	}
	for _, field := range webfield.Campaign() {
		all = append(all, rollup.DimensionSpec{Name: field, Top: 30})
	}
	return all
}

// Kinds returns the kinds of the package, in the order in which they are listed.
func Kinds() []catalog.Kind {
	return []catalog.Kind{PageViews, Requests, Malformed, CustomEvents, Sessions}
}

// CustomEvents are events that a page reports besides its views: a sign-up, a purchase, a
// click. An event without a name reports the time spent on a page and how far it was scrolled,
// since the last such event of the view.
var CustomEvents = ofSites(catalog.Kind{
	Name: "CUSTOMEVENT",
	Path: "customevents",
	Measures: []rollup.MeasureSpec{
		{Name: webfield.Duration, Scale: 0, Percentiles: true, Unit: milliseconds},
		{Name: webfield.Depth, Scale: 0, Unit: "%"},
		{Name: webfield.Reached, Scale: 0, Unit: "%"},
	},
	Dimensions: customDimensions(),
	Properties: webfield.Props(),
	Shards:     4,
	// The two measures and each currency of ISO 4217.
	MaxMeasures: 160,
})

func customDimensions() []rollup.DimensionSpec {
	all := []rollup.DimensionSpec{{Name: webfield.Name, Top: 100}, {Name: webfield.Path, Top: 100}}
	for _, field := range webfield.Props() {
		all = append(all, rollup.DimensionSpec{Name: field, Top: 40})
	}
	return all
}

// CountStatusClass returns the number of events whose status is of a class (4 means 400 to 499),
// from the status dimension of a rollup. exact is false if the dimension is not exact.
func CountStatusClass(status rollup.Dimension, class int) (n int64, exact bool) {
	for _, v := range status.Values {
		if code, err := strconv.Atoi(v.Value); err == nil && code/100 == class {
			n += v.Count
		}
	}
	return n, status.Exact
}
