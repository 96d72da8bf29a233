package telemetry

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Metric identifies a metric of the catalogue. The zero value is not a metric.
type Metric uint8

// Unit is a CloudWatch unit.
type Unit string

// The units in use.
const (
	Count   Unit = "Count"
	Seconds Unit = "Seconds"
)

// Statistic is how CloudWatch aggregates the values of a period.
type Statistic string

// The statistics in use.
const (
	Sum     Statistic = "Sum"
	Maximum Statistic = "Maximum"
)

// Definition is a metric's row in the catalogue.
type Definition struct {
	Metric   Metric
	Name     string // the name in CloudWatch
	Unit     Unit
	ByKind   bool   // also published by kind
	Sentence string // what it counts, for the dashboard and docs/ALARMS.md
	Alarm    *Alarm // nil for a metric without an alarm
}

// Alarm is the alarm of a metric. It goes off when the statistic is above Threshold in
// Periods of the last Within periods. A Within that is larger than Periods finds failures
// under sparse traffic, which has periods without data between them.
type Alarm struct {
	Statistic Statistic
	Threshold float64
	Period    time.Duration
	Periods   int
	Within    int
	Silence   bool   // missing data triggers the alarm
	Meaning   string // what has happened and what to do first
}

// Dimensions of the metrics: the deployed function's name and, where a metric is
// ByKind, the kind.
const (
	DimensionFunction = "Function"
	DimensionKind     = "Kind"
)

// Definition returns m's row of the catalogue; ok is false if m has none.
func (m Metric) Definition() (d Definition, ok bool) {
	if m == 0 || int(m) > len(catalogue) {
		return Definition{}, false
	}
	return catalogue[m-1], true
}

// String returns the name in CloudWatch.
func (m Metric) String() string {
	if d, ok := m.Definition(); ok {
		return d.Name
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// Catalogue returns a copy of all rows, in a fixed order.
func Catalogue() []Definition {
	all := make([]Definition, len(catalogue))
	copy(all, catalogue)
	return all
}

var byOutcome = map[model.Outcome]Metric{
	model.Applied:   ObservationsApplied,
	model.Late:      ObservationsLate,
	model.Stale:     ObservationsStale,
	model.Duplicate: ObservationsDuplicate,
	model.Collision: ObservationsCollision,
	model.Conflict:  ObservationsConflict,
	model.Gone:      ObservationsGone,
	model.Rejected:  ObservationsRejected,
	model.Unknown:   ObservationsUnknown,
}

// ForOutcome returns the metric that counts observations with an outcome; ok is false for
// an unknown outcome.
func ForOutcome(v model.Outcome) (m Metric, ok bool) {
	m, ok = byOutcome[v]
	return m, ok
}

var byChangeType = map[storage.ChangeType]Metric{
	storage.Inserted:  ChangesInserted,
	storage.Corrected: ChangesCorrected,
	storage.Deleted:   ChangesDeleted,
	storage.Expired:   ChangesExpired,
}

// ForChange returns the metric that counts changes of a type; ok is false for an unknown
// type.
func ForChange(w storage.ChangeType) (m Metric, ok bool) {
	m, ok = byChangeType[w]
	return m, ok
}
