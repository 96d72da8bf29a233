// Package config is tidemark.yaml as typed values. One file says what is declared
// (kinds, ladder, stages) and how much is allowed (limits, mapping, functions); the
// functions, the command line, the laptop's stack and the infrastructure all read it
// here, so that none of them can disagree.
//
// What the file does not say stays as Default says. Reading reports every mistake at
// once, each with file, line and column, what is wrong, why, and what to do.
package config

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Config is the whole configuration. It is data: nothing changes it once it is read,
// and it is safe for concurrent use.
type Config struct {
	// Kinds are the rows of the domains, with what the file overrides, then the kinds
	// that only the file declares. Catalog fills in their defaults.
	Kinds      []catalog.Kind
	Retention  tier.Policy // of each kind that declares none
	Limits     Limits
	Mapping    Mapping
	Functions  Functions
	Quarantine Quarantine
	Collector  Collector
	Stages     []Stage // in order of declaration
}

// Collector is the door that browsers send page views to.
type Collector struct {
	// HonourOptOut has nothing stored of a browser that asks not to be followed
	// (Sec-GPC: 1 or DNT: 1).
	HonourOptOut bool
}

// Limits bound what a door takes in. Sizes are bytes as sent, before escaping.
type Limits struct {
	Body         int // a request's body as it arrives
	Decompressed int // the same after gzip
	Observations int // a request
	Fields       int // an observation
	Measures     int // an observation: its numbers, and declared measures that are not numbers
	Name         int // bytes of a field's name
	Text         int // bytes of a text field
	ID           int // bytes of an event's id
	Stream       int // bytes of a stream's name
	Subject      int // bytes of a subject's id
	// MaxAhead is how far an event time may lie ahead of the door's clock, so that one
	// bad clock cannot poison current.
	MaxAhead time.Duration
}

// StartingPosition is where the mapping begins to read the table stream. It is not
// configurable: beginning at LATEST misses the events written while it is made.
const StartingPosition = "TRIM_HORIZON"

// Mapping is how the table stream invokes aggregate, deployed and on a laptop alike.
type Mapping struct {
	BatchSize       int           // records an invocation, at most
	Window          time.Duration // how long a batch may gather, in whole seconds; 0 means not at all
	Parallelization int           // batches of one stream shard under way at once; any number is safe
	MaxRetries      int           // of a batch, before it goes to the on-failure queue
	MaxAge          time.Duration // of a record, before its batch goes to the on-failure queue; whole seconds
	Bisect          bool          // a failing batch is halved, so that its good half goes on
	// FailureRetention is how long the on-failure queue keeps the range of a batch
	// that was given up.
	FailureRetention time.Duration
}

// Functions are the settings of the deployed functions.
type Functions struct {
	Ingest, Aggregate, Query, Purge Function
}

// Function is one function's settings.
type Function struct {
	Memory  int           // MB; processor time grows with it
	Timeout time.Duration // of one invocation, in whole seconds
}

// Authorize are the settings of the function that checks site keys: one hash is all it
// computes.
var Authorize = Function{Memory: 256, Timeout: 5 * time.Second}

// Manage are the settings of the function that serves the API's write side. One request of
// the API takes at most 30 seconds.
var Manage = Function{Memory: 512, Timeout: 29 * time.Second}

// PurgeEvery is how often purge looks for purges to begin or to go on with: a request
// for one is answered before that, and a query of one partition is what a look costs.
const PurgeEvery = time.Minute

// AlertsEvery is how often aggregate looks for alerts that nobody could be told of: eight
// queries of an index are what a look costs, four read units.
const AlertsEvery = time.Minute

// Quarantine is how what could not be taken in is kept.
type Quarantine struct {
	Retention time.Duration
}

// Catalog is the kinds with every default filled in, the ladder's included. The
// error joins one *catalog.Mistake for each thing that is wrong.
func (c *Config) Catalog() (*catalog.Catalog, error) {
	kinds := make([]catalog.Kind, len(c.Kinds))
	for i, k := range c.Kinds {
		if k.Retention.Raw == 0 && len(k.Retention.Tiers) == 0 {
			k.Retention = c.Retention
		}
		kinds[i] = k
	}
	return catalog.New(kinds...)
}
