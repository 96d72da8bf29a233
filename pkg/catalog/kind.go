package catalog

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// SubjectType declares what is observed.
type SubjectType struct {
	Name  string // as in keys: DEVICE
	Path  string // its plural in routes; "" is the name in small letters and s: devices
	Field string // the name of its id in observations; "" is the name and Id: deviceId
	// Profile is what its profiles promise; nil is the zero Profile. Where several kinds
	// name the type, one of them declares it for all.
	Profile *Profile
}

// LatePolicy says what becomes of an event older than current.
type LatePolicy string

// The late policies.
const (
	KeepLate LatePolicy = "keep" // written, current untouched: outcome late
	DropLate LatePolicy = "drop" // nothing written: outcome stale
)

// IDPolicy says where the id of an event comes from.
type IDPolicy string

// The id policies.
const (
	OptionalID IDPolicy = "optional" // "" when the observation has none
	RequiredID IDPolicy = "required" // an observation without one is rejected
	// MintedID is made at the door; an observation that brings one is rejected. Sent again
	// without a delivery that names itself, as over HTTP or from Go, it is another event.
	MintedID IDPolicy = "minted"
)

// Kind declares a type of event of a subject type. The zero value of each field is
// its documented default.
type Kind struct {
	Name    string // as in keys: READING
	Path    string // its plural in routes; "" is the name in small letters and s: readings
	Subject SubjectType
	// Measures are the declared numbers: they alone may be null, NaN or unparsable
	// (counted invalid). Undeclared numbers are measures of scale 9 all the same.
	Measures   []rollup.MeasureSpec
	Dimensions []rollup.DimensionSpec
	Distinct   []string
	Enrichment []string // fields that ingest can never write
	// IndexBy names a text field by whose value events are found over all subjects, in
	// the second index; "" means none. It costs a write unit an event that has it.
	IndexBy string
	// CurrentBy are the indexes that find currents of the kind by fields that appends
	// bring; at most one in each of the table's two.
	LatestBy  []LatestIndex
	Late      LatePolicy
	IDs       IDPolicy
	FinerTime model.FinerTimePolicy
	// WithoutCurrent kinds keep events only: one write unit an event, no order check.
	WithoutLatest bool
	Shards        int // partitions a subject is spread over; 0 and 1 mean one; fixed for the kind's life
	MaxMeasures   int // names a row holds; zero means rollup.DefaultMaxMeasures
	Retention     tier.Policy

	spec *rollup.Spec // made once by New
}
