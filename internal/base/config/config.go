// Package config has the configuration of a table and its stages: its values, their defaults, what is wrong
// with values, and what a change of them means for stored data. Package configfile reads it from a file.
package config

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Config is the configuration. It is not changed after it is read, and is safe for concurrent use.
type Config struct {
	// Kinds are the built-in kinds, with what the file overrides, then the kinds that only the
	// file declares. Catalog applies their defaults.
	Kinds      []catalog.Kind
	Subjects   []catalog.SubjectType // those without kinds, which have profiles only
	Retention  tier.Policy           // of each kind that declares none
	Limits     Limits
	Queue      Queue
	Mapping    Mapping
	Functions  Functions
	Quarantine Quarantine
	Collector  Collector
	// Sources say what the points of senders with another data model become.
	Sources []SourceRow
	// Prometheus serves Prometheus's HTTP API, in a function of its own.
	Prometheus bool
	Stages     []Stage // in order of declaration
}

// Collector are the settings of the routes for events from browsers.
type Collector struct {
	// HonourOptOut stores nothing for browsers that send "Sec-GPC: 1" or "DNT: 1".
	HonourOptOut bool
	// Trust says whose headers name a visitor's address and country.
	Trust Trust
	// Regions stores and counts the regions of visitors, if the trusted proxy names them.
	Regions bool
	// Domains are the ids of websites that may send to POST /api/event, without a site key.
	Domains []string
	// Exclude says which events are not stored, and counted as excluded.
	Exclude Exclude
}

// Exclude are events of pages that are not stored.
type Exclude struct {
	Addresses []string // of visitors: IP addresses, and networks such as 203.0.113.0/24
	Countries []string // of visitors, as ISO 3166-1 codes
	Paths     []string // of pages, as patterns of goals
	Referrers []string // hosts, with their subdomains
	Spam      bool     // of the known hosts of referrer spam
}

// mappedBits are the bits before an address of IPv4 that is written as one of IPv6, ::ffff:203.0.113.7.
const mappedBits = 96

// ParseAddresses reads an IP address or a network, one of IPv4 in either form.
func ParseAddresses(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return network, fmt.Errorf("%s is no IP address, and no network such as 203.0.113.0/24", Clip(text))
	}
	if within := network.Addr(); within.Is4In6() && network.Bits() >= mappedBits {
		network = netip.PrefixFrom(within.Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), nil
}

// Trust is a proxy in front of the HTTP API.
type Trust string

// The proxies that can be trusted.
const (
	TrustNone       Trust = "none"       // the connection's address is used; no country is stored
	TrustCloudFront Trust = "cloudfront" // a distribution that sends the stage's origin secret
	TrustProxy      Trust = "proxy"      // a website's own proxy that sends the secret, and X-Forwarded-For
)

// Limits are the limits of a request. Sizes are in bytes as sent, before JSON escaping.
type Limits struct {
	Body         int `unit:"bytes"` // a request's body as it arrives
	Decompressed int `unit:"bytes"` // the same after gzip
	Observations int // a request
	Fields       int // an observation
	Measures     int // an observation: its numbers, and its declared measures that are not numbers
	Name         int `unit:"bytes"` // bytes of a field's name
	Text         int `unit:"bytes"` // bytes of a text field
	ID           int `unit:"bytes"` // bytes of an event's id
	Stream       int `unit:"bytes"` // bytes of a stream's name
	Subject      int `unit:"bytes"` // bytes of a subject's id
	// MaxAhead is how far an event time may be after the time of arrival. It prevents that a
	// wrong clock makes all later events late.
	MaxAhead time.Duration
	// UnsetClock is how long after 1970-01-01 an event time is taken for a mistake: a clock that was never
	// set, or seconds that were read as nanoseconds. So are the day before, the first day of the year 1 and
	// the least time of 32 bits of seconds, unless this is 0.
	UnsetClock time.Duration
}

// StartingPosition is where the mapping begins to read the table stream. It is not configurable: with LATEST,
// events that are written while the mapping is created would be missed.
const StartingPosition = "TRIM_HORIZON"

// InboxRetention is how long the queue of observations keeps a message that ingest has not processed.
const InboxRetention = 4 * tier.Day24

// Mapping is the event source mapping that invokes aggregate with the table stream, deployed
// and in "tidemark dev".
type Mapping struct {
	BatchSize int // maximum records of an invocation
	// how long records are collected into a batch, in whole seconds; 0 does not wait
	Window          time.Duration
	Parallelization int           // concurrent batches of one stream shard; any number is safe
	MaxRetries      int           // of a batch, before it goes to the on-failure queue
	MaxAge          time.Duration // of a record, before its batch goes to the on-failure queue; whole seconds
	Bisect          bool          // split a failing batch in two, so that records without an error are processed
	// FailureRetention is how long the on-failure queue keeps the message of a failed batch.
	FailureRetention time.Duration
}

// Queue is the queue of buckets that sweeps recompute when they have closed.
type Queue struct {
	// Shards is the number of its partitions, each of which takes 1,000 writes a second. It can be raised and
	// lowered on a table in use.
	Shards int
}

// MaxQueueShards is the largest number of queue shards: each is read every minute, and has a low watermark
// that readers read.
const MaxQueueShards = 1024

// Functions are the settings of the deployed functions.
type Functions struct {
	Ingest, Aggregate, Query, Purge Function
}

// Function is one function's settings.
type Function struct {
	Memory  int           // MB; the CPU is proportional
	Timeout time.Duration // of one invocation, in whole seconds
}

// Authorize are the settings of the function that checks site keys. It computes one hash.
var Authorize = Function{Memory: 256, Timeout: 5 * time.Second}

// Pages are the settings of the function that serves the pages.
var Pages = Function{Memory: 256, Timeout: 10 * time.Second}

// PrometheusFunction are the settings of the function that serves Prometheus's HTTP API. The
// HTTP API of AWS waits for at most 30 seconds.
var PrometheusFunction = Function{Memory: 1024, Timeout: 25 * time.Second}

// Manage are the settings of the function that serves the API's write routes. The HTTP API
// ends a request after 30 seconds.
var Manage = Function{Memory: 512, Timeout: 29 * time.Second}

// A scheduled sweep that has worked for HandOverAfter and has more to do hands queue shards over to further
// invocations: with itself, they are at most MaxSweepers until the next schedule.
const (
	HandOverAfter = 10 * time.Second
	MaxSweepers   = 16
)

// Quarantine is how long rejected input is kept.
type Quarantine struct {
	Retention time.Duration
}

// withRegions makes a kind count the regions of visitors, if it finds events by visitor and counts their
// countries. The largest row of page views still fits an item.
func withRegions(k *catalog.Kind) {
	counts := func(name string) bool {
		return slices.ContainsFunc(k.Dimensions, func(d rollup.DimensionSpec) bool { return d.Name == name })
	}
	if k.IndexBy == webfield.Visitor && counts(webfield.Country) && !counts(webfield.Region) {
		k.Dimensions = append(slices.Clip(k.Dimensions), rollup.DimensionSpec{Name: webfield.Region, Top: 150})
	}
}

// Catalog returns the kinds with all defaults applied, including the retention policy. The
// error joins one *catalog.Mistake for each mistake.
func (c *Config) Catalog() (*catalog.Catalog, error) {
	kinds := make([]catalog.Kind, len(c.Kinds))
	for i, k := range c.Kinds {
		if k.Retention.Raw == 0 && len(k.Retention.Tiers) == 0 {
			k.Retention = c.Retention
			if k.OrderBy != "" {
				k.Retention = tier.Policy{Raw: c.Retention.Raw}
			}
		}
		if c.Collector.Regions {
			withRegions(&k)
		}
		kinds[i] = k
	}
	return catalog.NewWith(c.Subjects, kinds...)
}
