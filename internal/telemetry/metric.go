package telemetry

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Metric names something that is counted or measured. The constants are all there
// are; the zero value is none of them.
type Metric uint8

// Unit is a CloudWatch unit.
type Unit string

// The units in use.
const (
	Count   Unit = "Count"
	Seconds Unit = "Seconds"
)

// Statistic is how CloudWatch sums up a period for an alarm.
type Statistic string

// The statistics in use.
const (
	Sum     Statistic = "Sum"
	Maximum Statistic = "Maximum"
)

// Definition is a metric's row in the catalogue.
type Definition struct {
	Metric   Metric
	Name     string // as CloudWatch shows it
	Unit     Unit
	ByKind   bool   // published once more by kind, beside the whole function
	Sentence string // what it counts, for dashboards and docs
	Alarm    *Alarm // nil where nobody is called
}

// Alarm says when a metric calls somebody. It goes off when the statistic over each
// of Periods periods in a row is above Threshold; no data is no alarm.
type Alarm struct {
	Statistic Statistic
	Threshold float64
	Period    time.Duration
	Periods   int
	Meaning   string // what has happened and what to do first
}

// Dimensions of the metrics: the deployed function's name and, where a metric is
// ByKind, the kind.
const (
	DimensionFunction = "Function"
	DimensionKind     = "Kind"
)

// Definition is m's row; ok is false where m is not in the catalogue.
func (m Metric) Definition() (d Definition, ok bool) {
	if m == 0 || int(m) > len(catalogue) {
		return Definition{}, false
	}
	return catalogue[m-1], true
}

// String is the name CloudWatch shows.
func (m Metric) String() string {
	if d, ok := m.Definition(); ok {
		return d.Name
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// Catalogue is every metric, in a fixed order.
func Catalogue() []Definition {
	all := make([]Definition, len(catalogue))
	copy(all, catalogue)
	return all
}

var byVerdict = map[model.Verdict]Metric{
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

// OfVerdict is the metric that counts observations of a verdict; ok is false for a
// verdict that does not exist.
func OfVerdict(v model.Verdict) (m Metric, ok bool) {
	m, ok = byVerdict[v]
	return m, ok
}

var byWhat = map[model.What]Metric{
	model.Inserted:  ChangesInserted,
	model.Corrected: ChangesCorrected,
	model.Deleted:   ChangesDeleted,
	model.Expired:   ChangesExpired,
}

// OfChange is the metric that counts changes of a sort; ok is false for a sort that
// does not exist.
func OfChange(w model.What) (m Metric, ok bool) {
	m, ok = byWhat[w]
	return m, ok
}
