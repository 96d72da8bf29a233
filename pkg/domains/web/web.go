// Package web is the catalog of websites: what is observed and the kinds of event it
// sends, as values, and pure functions that say what a browser's request means. The
// engine reads the rows and knows nothing else of the domain; tidemark.yaml may
// override any of them by name.
//
// What a server logs is told apart by kind: page views, which people ask about,
// requests for anything else, and malformed requests. A site's traffic is the three
// together, merged on reading, so that no event is stored twice and visitors of all of
// it are counted once.
package web

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Fields of the events.
const (
	FieldPath     = "path"
	FieldReferrer = "referrer" // host of another site that led here
	FieldVisitor  = "visitor"
	FieldStatus   = "status" // of HTTP, as text: 200
	FieldMethod   = "method"
	FieldDevice   = "device"  // class of the user agent
	FieldCountry  = "country" // two capitals
	FieldBytes    = "bytes"
	FieldDuration = "duration" // milliseconds
)

// Site is the subject type: a website by an id of its own, as its host name.
var Site = catalog.SubjectType{Name: "SITE", Path: "sites", Field: "siteId"}

// Ladder keeps minutes beside the shipped tiers: they are the real-time view, and
// bound what a look at a busy hour reads again.
func Retention() tier.Policy {
	const day = tier.Day24
	return tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{
		{Unit: tier.Minute, Retention: 34 * day},
		{Unit: tier.Hour, Retention: 90 * day},
		{Unit: tier.Day, Retention: 730 * day},
		{Unit: tier.Month, Retention: tier.Forever},
	}}
}

// PageViews are pages that somebody looked at. A site is one subject however busy it
// is, so its views are spread over four partitions. Each has an id, because views of
// one millisecond are no repeats of each other: the collector mints it, whoever else
// sends views gives one that a repeat would give again.
var PageViews = catalog.Kind{
	Name:          "PAGEVIEW",
	Path:          "pageviews",
	Subject:       Site,
	Measures:      measures(),
	Dimensions:    dimensions(),
	Distinct:      []string{FieldVisitor},
	IndexBy:       FieldVisitor,
	Late:          catalog.KeepLate,
	IDs:           catalog.RequiredID,
	WithoutLatest: true,
	Shards:        4,
	Retention:     Retention(),
}

// Requests are what a server answered besides pages: scripts, images, feeds, probes.
var Requests = catalog.Kind{
	Name:          "REQUEST",
	Path:          "requests",
	Subject:       Site,
	Measures:      measures(),
	Dimensions:    dimensions(),
	Distinct:      []string{FieldVisitor},
	Late:          catalog.KeepLate,
	IDs:           catalog.RequiredID,
	WithoutLatest: true,
	Shards:        4,
	Retention:     Retention(),
}

// Malformed are requests that no server could read: what came in their place is no
// path and no method, so only their answers are counted by value.
var Malformed = catalog.Kind{
	Name:          "MALFORMED",
	Path:          "malformed",
	Subject:       Site,
	Measures:      measures(),
	Dimensions:    []rollup.DimensionSpec{{Name: FieldStatus, Top: 64}},
	Distinct:      []string{FieldVisitor},
	Late:          catalog.KeepLate,
	IDs:           catalog.RequiredID,
	WithoutLatest: true,
	Shards:        1,
	Retention:     Retention(),
}

// measures are whole numbers: bytes sent, and how long the answer or the view took.
func measures() []rollup.MeasureSpec {
	return []rollup.MeasureSpec{
		{Name: FieldBytes, Scale: 0, Percentiles: true},
		{Name: FieldDuration, Scale: 0, Percentiles: true},
	}
}

// dimensions are what a page and a request are counted by. The tops keep a row small:
// 200 paths and 100 hosts at their longest, and every country there is.
func dimensions() []rollup.DimensionSpec {
	return []rollup.DimensionSpec{
		{Name: FieldPath, Top: 200},
		{Name: FieldReferrer, Top: 100},
		{Name: FieldCountry, Top: 250},
		{Name: FieldDevice, Top: 16},
		{Name: FieldStatus, Top: 64},
		{Name: FieldMethod, Top: 16},
	}
}

// MaxDuration is the longest view that a browser is believed: a day, in milliseconds.
const MaxDuration = int64(24 * time.Hour / time.Millisecond)

// Kinds are the domain's rows, in the order they are listed to people.
func Kinds() []catalog.Kind { return []catalog.Kind{PageViews, Requests, Malformed} }

// Catalog is the domain alone, with every default filled in.
func Catalog() (*catalog.Catalog, error) { return catalog.New(Kinds()...) }
