package storage

import (
	"encoding/json"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// KindConfig is the configuration of a kind that the table was written under. Its
// stored form has 0 in place of tier.Forever.
type KindConfig struct {
	Kind      string     `json:"-"`
	Rev       [16]byte   `json:"-"` // the optimistic lock: a new random value at each write; zero: not stored
	AppliedAt model.Time `json:"-"` // when it last changed

	SubjectType string `json:"subject"`
	Shards      int    `json:"shards"`
	OrderBy     string `json:"orderBy,omitempty"` // field; "" if events are ordered by time
	OrderType   string `json:"orderType,omitempty"`
	// Sessions is the declaration of sessions as JSON; nil if events of the kind are stored.
	Sessions   json.RawMessage `json:"sessions,omitempty"`
	Raw        time.Duration   `json:"raw"`      // retention of events, in nanoseconds
	LeastRaw   time.Duration   `json:"leastRaw"` // the shortest that it ever was
	Jitter     time.Duration   `json:"jitter,omitempty"`
	LateEvery  time.Duration   `json:"lateEvery,omitempty"`
	Tiers      []TierConfig    `json:"tiers"` // finest first, removed ones included
	Measures   []FieldConfig   `json:"measures,omitempty"`
	Dimensions []FieldConfig   `json:"dimensions,omitempty"`
	Distinct   []FieldConfig   `json:"distinct,omitempty"`
}

// TierConfig is a tier as the table knows it.
type TierConfig struct {
	Unit      string        `json:"unit"`
	Retention time.Duration `json:"retention"`
	Least     time.Duration `json:"least"` // the shortest that Retention ever was
	// From is the start of the first bucket with rows; 0: the tier always existed.
	From model.Time `json:"from,omitempty"`
	// RemovedAt is when the tier was removed; 0: it is declared.
	RemovedAt model.Time `json:"removedAt,omitempty"`
	// Deferred says that readers fold open buckets. Aggregation leaves these buckets from
	// DeferredFrom on, and until ImmediateAt; 0: since the first configuration, and for ever.
	Deferred     bool          `json:"deferred,omitempty"`
	DeferredFrom model.Time    `json:"deferredFrom,omitempty"`
	ImmediateAt  model.Time    `json:"immediateAt,omitempty"`
	Grace        time.Duration `json:"grace,omitempty"`
}

// FieldConfig is a measure, a dimension or a distinct count as the table knows it.
type FieldConfig struct {
	Name string `json:"name"`
	// Since is when it was declared; 0: the first configuration had it.
	Since       model.Time `json:"since,omitempty"`
	Scale       int        `json:"scale,omitempty"`       // of a measure
	Percentiles bool       `json:"percentiles,omitempty"` // of a measure
	// PercentilesSince is when percentiles were declared; 0: with the measure.
	PercentilesSince model.Time `json:"percentilesSince,omitempty"`
	Counter          bool       `json:"counter,omitempty"`  // of a measure
	Wrap             int        `json:"wrap,omitempty"`     // bits of a counter
	TimeMean         bool       `json:"timeMean,omitempty"` // of a measure
	Unit             string     `json:"unit,omitempty"`     // of a measure, for readers
	// StepsSince is when the steps between its values were declared as they are; 0: with the measure.
	StepsSince model.Time `json:"stepsSince,omitempty"`
	// RemovedAt is when it was removed; 0: it is declared.
	RemovedAt model.Time `json:"removedAt,omitempty"`
	// WholeFrom is the first event time whose figures are whole, if rows from before the
	// field was declared were recomputed; 0: Since, PercentilesSince or StepsSince.
	WholeFrom            model.Time `json:"wholeFrom,omitempty"`
	PercentilesWholeFrom model.Time `json:"percentilesWholeFrom,omitempty"`
	StepsWholeFrom       model.Time `json:"stepsWholeFrom,omitempty"`
	Top                  int        `json:"top,omitempty"`    // of a dimension
	Detail               int        `json:"detail,omitempty"` // of a dimension
	// Of are the two fields of a dimension of pairs; nil for any other.
	Of []string `json:"of,omitempty"`
	// Goal is the declaration of the goal of sessions that a measure is one of, as JSON.
	Goal json.RawMessage `json:"goal,omitempty"`
}
