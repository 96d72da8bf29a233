package catalog

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// SubjectType declares a type of subject.
type SubjectType struct {
	Name  string // in keys: DEVICE
	Path  string // plural in routes; "" is the name in lower case and s: devices
	Field string // name of the id in observations; "" is the name and Id: deviceId
	// Profile declares the profiles of the type; nil is the zero Profile. If several kinds
	// have the type, one of them declares it for all.
	Profile *Profile
}

// LatePolicy is what happens to an event that is older than the latest item.
type LatePolicy string

// The late policies.
const (
	KeepLate LatePolicy = "keep" // the event is stored, and the latest item not changed: outcome late
	DropLate LatePolicy = "drop" // nothing is stored: outcome stale
)

// CollisionPolicy is what is done with an event whose identity is stored with other fields.
type CollisionPolicy string

// The collision policies.
const (
	// ReportCollision writes nothing: the outcome is collision. What came from an
	// asynchronous source goes to quarantine.
	ReportCollision CollisionPolicy = "report"
	// MergeCollision adds the event's fields to the stored event. If a field has another
	// value there, nothing is written, as with ReportCollision.
	MergeCollision CollisionPolicy = "merge"
)

// UndeclaredPolicy is what is done with a field of an observation that its kind does not declare.
type UndeclaredPolicy string

// The policies for undeclared fields.
const (
	KeepUndeclared   UndeclaredPolicy = "keep"   // it is stored, and a number is summarised
	DropUndeclared   UndeclaredPolicy = "drop"   // the rest is stored, and the result names the field
	RejectUndeclared UndeclaredPolicy = "reject" // the observation is rejected
)

// IDPolicy is where the id of an event comes from.
type IDPolicy string

// The id policies.
const (
	OptionalID IDPolicy = "optional" // "" if the observation has none
	RequiredID IDPolicy = "required" // an observation without an id is rejected
	// MintedID ids are created by the source; an observation with an id is rejected. An observation that is
	// sent again over HTTP or from Go is another event, because these sources do not identify a delivery.
	MintedID IDPolicy = "minted"
)

// OrderType is what orders the events of a kind, or the profiles in an index.
type OrderType string

// The order types. "" is the event time.
const (
	NumberOrder OrderType = "number" // a number: negative, fractional, up to 38 digits
	TextOrder   OrderType = "text"   // a text, by its bytes
	TimeOrder   OrderType = "time"   // a text in RFC 3339, by the instant; only of profiles
)

// LatestPolicy is how the latest item of a series is kept.
type LatestPolicy string

// The policies for latest items.
const (
	// TransactionLatest writes the event and the latest item in one transaction: four write
	// units. The order of events is checked, and conditions, rules and indexes can use it.
	TransactionLatest LatestPolicy = "transaction"
	// DerivedLatest writes the event alone: one write unit. The latest item is folded from events when the
	// rollups of the finest tier are, and a read compares it with the newest event.
	DerivedLatest LatestPolicy = "derived"
	// NoLatest writes the event alone, and stores no latest items.
	NoLatest LatestPolicy = "none"
)

// HasLatest reports whether the kind has latest items.
func (k *Kind) HasLatest() bool { return k.Latest != NoLatest }

// LatestInTransaction reports whether each append writes the latest item, so that events of a
// series have an order when they are appended.
func (k *Kind) LatestInTransaction() bool { return k.Latest == TransactionLatest || k.Latest == "" }

// Kind declares a type of event of a subject type. The zero value of each field is its documented default.
type Kind struct {
	Name    string // in keys: READING
	Path    string // plural in routes; "" is the name in lower case and s: readings
	Subject SubjectType
	// Measures are the declared numbers. Only declared measures may be null, NaN or
	// unparsable; they count as invalid. Undeclared numbers are summarised too, with scale 9.
	Measures   []rollup.MeasureSpec
	Dimensions []rollup.DimensionSpec
	Distinct   []string
	Enrichment []string // fields that ingest can never write
	// Undeclared is what happens to fields with names that are declared nowhere in the catalog. OtherFields
	// declares names that have no other role.
	Undeclared  UndeclaredPolicy
	OtherFields []string
	// Properties are text fields that hold the properties of events, one in each with the name of the event.
	// Senders and readers have a property under its own name: props.plan. Names without a place are dropped.
	Properties []string
	// OrderBy names a field whose value orders the events, in place of an event time, which
	// they do not have. Such a kind has no tiers: by default it keeps events for the raw
	// retention of Standard. "" is none. It can never change.
	OrderBy   string
	OrderType OrderType // of OrderBy; "" if OrderBy is ""
	// IndexBy names a text field. Events are found by its value over all subjects, in the
	// second index. It costs one write unit for each event that has the field. "" is none.
	IndexBy string
	// LatestBy are indexes that find latest items by fields of appended events; at most one in
	// each of the table's two indexes.
	LatestBy  []LatestIndex
	Late      LatePolicy
	IDs       IDPolicy
	FinerTime model.FinerTimePolicy
	// OnCollision is MergeCollision for senders that split the measures of one time into
	// several messages without ids. It costs a transaction for each further message.
	OnCollision CollisionPolicy
	Latest      LatestPolicy
	Shards      int // partitions for the events of a subject; 0 and 1 mean one; it can never change
	MaxMeasures int // measures in a row; zero means rollup.DefaultMaxMeasures
	Retention   tier.Policy
	// Sessions is nil unless the events of the kind are sessions of another kind's events.
	Sessions *Sessions
	// Groups are levels of groups: all events with the same values of some fields, over all subjects, are one
	// group. A level names the fields, from the outermost: site, or site/line. Each adds a kind to the
	// catalog, which has the rollups of its groups: READING_BY_SITE, whose subjects have the type BY_SITE.
	// Fields of the subjects' profiles begin with profile: profile.accountId.
	Groups []string
	// GroupsOf is "" unless the subjects of the kind are groups: then the kind of the members, and GroupBy
	// has the fields of the level. GroupByProfile says that these are fields of profiles. New sets all three.
	GroupsOf       string
	GroupBy        []string
	GroupByProfile bool
	// Goals are what sessions may have met. The fields of each are measures of the sessions.
	Goals []goal.Goal

	groups []*Kind          // of its events; set by New
	kinds  map[string]*Kind // of the catalog, by name; set by New
	known  map[string]bool  // names of declared fields; set by New
	spec   *rollup.Spec     // of what is declared; set by New
	foldBy *rollup.Spec     // nil: spec
}

// AllowsRules reports whether alert rules can test the kind's events, or the rows of its groups. Rules need
// the events of one series in order, which an append that writes the latest item checks, and unsharded
// series, and event times.
func (k *Kind) AllowsRules() bool {
	return k.GroupsOf != "" || k.LatestInTransaction() && k.Shards < 2 && k.OrderBy == ""
}

// AllowsRules reports whether the subject type has a kind that alert rules can test.
func (c *Catalog) AllowsRules(s SubjectType) bool {
	return slices.ContainsFunc(c.SubjectKinds(s), (*Kind).AllowsRules)
}

// ShardSeries returns the stored series that contain the events of s: s itself if the kind is not
// sharded, else its shards 1 to n. s.Shard is ignored. Rows have no shard.
func (k *Kind) ShardSeries(s model.Series) []model.Series {
	if k.Shards <= 1 {
		s.Shard = 0
		return []model.Series{s}
	}
	all := make([]model.Series, k.Shards)
	for i := range all {
		all[i] = s
		all[i].Shard = i + 1
	}
	return all
}

// shardIndex returns the shard of an event, 1 to n: an FNV-1a hash of its identity. It is part of
// stored keys, so this function must never change. Each part is preceded by its length, so
// that different identities have different bytes.
func shardIndex(s model.Series, o model.Order, n int) int {
	h := fnv.New64a()
	var length [8]byte
	for _, part := range []string{s.Subject.Type, s.Subject.ID, s.Kind, s.Stream, o.At.String(), o.ID} {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return int(h.Sum64()%uint64(n)) + 1
}

// Spec returns which fields of the kind's events are summarised: the declared ones, or FoldBy's.
// The result is shared: do not modify it.
func (k *Kind) Spec() *rollup.Spec {
	if k.foldBy != nil {
		return k.foldBy
	}
	return k.declared()
}

// FoldBy sets what Spec returns, for a table that was written under other fields than the
// declared ones. Do not call it while k is in use.
func (k *Kind) FoldBy(spec *rollup.Spec) { k.foldBy = spec }

func (k *Kind) declared() *rollup.Spec {
	if k.spec == nil {
		return k.makeSpec()
	}
	return k.spec
}

// Declared reports whether name is a declared measure, which may be null, NaN or unparsable
// and counts as invalid then.
func (k *Kind) Declared(name string) bool {
	_, found := slices.BinarySearchFunc(k.declared().Measures, name,
		func(m rollup.MeasureSpec, name string) int { return strings.Compare(m.Name, name) })
	return found
}

// Named returns the fields of an event as readers have them: with each property under its own name.
func (k *Kind) Named(attrs model.Attrs) model.Attrs {
	if len(k.Properties) == 0 {
		return attrs
	}
	return webfield.NamedProperties(attrs, k.Properties)
}

// AllNames returns the fields of an event under the names that readers have for them, and under those in the
// table.
func (k *Kind) AllNames(attrs model.Attrs) model.Attrs {
	if len(k.Properties) == 0 {
		return attrs
	}
	return webfield.AllNames(attrs, k.Properties)
}

// IsEnrichment reports whether name is an enrichment field, which appends never write.
func (k *Kind) IsEnrichment(name string) bool { return slices.Contains(k.Enrichment, name) }

func (k *Kind) makeSpec() *rollup.Spec {
	return &rollup.Spec{
		Measures: slices.SortedFunc(slices.Values(k.Measures),
			func(a, b rollup.MeasureSpec) int { return cmp.Compare(a.Name, b.Name) }),
		Dimensions: slices.SortedFunc(slices.Values(k.Dimensions),
			func(a, b rollup.DimensionSpec) int { return cmp.Compare(a.Name, b.Name) }),
		Distinct:    slices.Sorted(slices.Values(k.Distinct)),
		MaxMeasures: k.MaxMeasures,
	}
}
