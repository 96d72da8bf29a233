package telemetry

import (
	_ "embed"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/embedded"
)

// The metrics that the code names. There is also one for each outcome of an observation (ForOutcome) and for each
// type of change (ForChange), so that one line of EMF can carry them all.
const (
	ObservationsApplied   Metric = "ObservationsApplied"
	ObservationsLate      Metric = "ObservationsLate"
	ObservationsStale     Metric = "ObservationsStale"
	ObservationsDuplicate Metric = "ObservationsDuplicate"
	ObservationsCollision Metric = "ObservationsCollision"
	ObservationsRejected  Metric = "ObservationsRejected"
	Quarantined           Metric = "Quarantined"

	BatchFailures Metric = "BatchFailures"

	Recomputations    Metric = "Recomputations"
	RowsWritten       Metric = "RowsWritten"
	RowsUnchanged     Metric = "RowsUnchanged"
	LostLocks         Metric = "LostLocks"
	SealedRowChanges  Metric = "SealedRowChanges"
	RowsInexact       Metric = "RowsInexact"
	UnreadableEvents  Metric = "UnreadableEvents"
	OversizeRows      Metric = "OversizeRows"
	CrowdedBuckets    Metric = "CrowdedBuckets"
	StreamGaps        Metric = "StreamGaps"
	ProgressAge       Metric = "ProgressAge"
	SweepAge          Metric = "SweepAge"
	Invalidations     Metric = "Invalidations"
	BucketsSwept      Metric = "BucketsSwept"
	InvalidationsLeft Metric = "InvalidationsLeft"
	SweepDuration     Metric = "SweepDuration"
	LiveFolded        Metric = "LiveFolded"
	Lag               Metric = "Lag"

	AlertEvaluations        Metric = "AlertEvaluations"
	AlertsRaised            Metric = "AlertsRaised"
	AlertsRecovered         Metric = "AlertsRecovered"
	AlertsWithdrawn         Metric = "AlertsWithdrawn"
	AlertsDelivered         Metric = "AlertsDelivered"
	AlertsUndelivered       Metric = "AlertsUndelivered"
	AlertsWaiting           Metric = "AlertsWaiting"
	OldestAlertWaiting      Metric = "OldestAlertWaiting"
	AlertEvaluationFailures Metric = "AlertEvaluationFailures"

	GenerationsEnded Metric = "GenerationsEnded"
	PurgesDone       Metric = "PurgesDone"
	ItemsErased      Metric = "ItemsErased"
	OldestDue        Metric = "OldestDue"
	StepFailures     Metric = "StepFailures"

	Retries    Metric = "Retries"
	Throttles  Metric = "Throttles"
	ReadUnits  Metric = "ReadUnits"
	WriteUnits Metric = "WriteUnits"
)

// catalogueText has one row for each metric, in the order of the dashboard. The period of an alarm
// is in seconds.
//
//go:embed catalogue.json
var catalogueText []byte

// catalogue returns the rows. They are a part of the program: a row that cannot be read is a
// mistake in it, which the tests find.
var catalogue = sync.OnceValue(func() (all []Definition) {
	all = embedded.JSON[[]Definition](catalogueText)
	for i := range all {
		all[i].Metric = Metric(all[i].Name)
		if alarm := all[i].Alarm; alarm != nil {
			alarm.Period *= time.Second
		}
	}
	return all
})

// Catalogue returns a copy of all rows, in a fixed order.
func Catalogue() []Definition { return slices.Clone(catalogue()) }

// Definition returns m's row of the catalogue; ok is false if m has none.
func (m Metric) Definition() (d Definition, ok bool) {
	i := slices.IndexFunc(catalogue(), func(d Definition) bool { return d.Metric == m })
	if i < 0 {
		return Definition{}, false
	}
	return catalogue()[i], true
}
