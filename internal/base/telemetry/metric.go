package telemetry

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Metric is the name of a metric of the catalogue, as in CloudWatch. The zero value is not a metric.
type Metric string

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
	Metric     Metric
	Unit       Unit
	Publishers []string // the functions that publish it, by their folders under functions/
	Sentence   string   // what it counts, for the dashboard and docs/run/ALARMS.md
	Alarm      *Alarm   // nil for a metric without an alarm
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

// DimensionFunction is the only dimension of a metric: the deployed function's name. CloudWatch bills each
// combination of dimensions as a metric of its own.
const DimensionFunction = "Function"

// observations begins the names of the metrics of outcomes.
const observations = "Observations"

// ForOutcome returns the metric that counts observations with an outcome; ok is false for an unknown outcome.
func ForOutcome(v model.Outcome) (m Metric, ok bool) { return ofGroup(observations, string(v)) }

// Decided returns the metrics of all outcomes but ObservationsUnknown, in the order of the catalogue.
func Decided() (all []Metric) {
	for _, d := range catalogue {
		if strings.HasPrefix(string(d.Metric), observations) && d.Metric != ObservationsUnknown {
			all = append(all, d.Metric)
		}
	}
	return all
}

// ForChange returns the metric that counts changes of a type; ok is false for an unknown type.
func ForChange(c fmt.Stringer) (m Metric, ok bool) { return ofGroup("Changes", c.String()) }

// ofGroup returns the metric whose name is a group's name and a word.
func ofGroup(group, word string) (m Metric, ok bool) {
	first := min(1, len(word))
	m = Metric(group + strings.ToUpper(word[:first]) + word[first:])
	_, ok = m.Definition()
	return m, ok
}

// Publishers returns the functions that publish m, in a fixed order: the dashboard and the alarms
// read a metric from each of them.
func (m Metric) Publishers() []string {
	d, _ := m.Definition()
	return d.Publishers
}

// AtRest returns the metrics that functions publish every minute although nothing happens, so that CloudWatch
// bills them all month: one of aggregate, and a second one if kinds have deferred tiers.
func AtRest(deferred bool) []Metric {
	if deferred {
		return []Metric{ProgressAge, SweepAge}
	}
	return []Metric{ProgressAge}
}

// InUse returns the metrics that functions publish in each hour in which events arrive, in addition to
// AtRest, each once for each publisher: what ingest and aggregate count although nothing fails.
func InUse() []Metric {
	return []Metric{
		ObservationsApplied, ObservationsLate, ReadUnits, ReadUnits, WriteUnits, WriteUnits,
		ChangesInserted, ChangesExpired, Invalidations, BucketsSwept, InvalidationsLeft, SweepDuration, Lag,
	}
}
