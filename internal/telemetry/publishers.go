package telemetry

import "slices"

// The functions that publish metrics, by their folders under functions/.
const (
	ByIngest    = "ingest"
	ByAggregate = "aggregate"
	ByManage    = "manage"
	ByPurge     = "purge"
)

// publishers lists the metrics of each function: the dashboard and the alarms read a metric
// from every function that publishes it. Each metric has at least one publisher.
var publishers = []struct {
	function string
	metrics  []Metric
}{
	{ByIngest, []Metric{
		ObservationsApplied, ObservationsLate, ObservationsStale, ObservationsDuplicate, ObservationsCollision,
		ObservationsConflict, ObservationsGone, ObservationsRejected, ObservationsUnknown, Quarantined,
		Retries, Throttles, ReadUnits, WriteUnits,
	}},
	{ByAggregate, []Metric{
		Quarantined, ChangesInserted, ChangesCorrected, ChangesDeleted, ChangesExpired, BatchFailures,
		Recomputations, RowsWritten, RowsUnchanged, LostLocks, SealedRowChanges, RowsInexact, UnreadableEvents, OversizeRows,
		CrowdedBuckets, StreamGaps, ProgressAge, SweepAge,
		Invalidations, BucketsSwept, InvalidationsLeft, SweepDuration, Lag, AlertEvaluations, AlertsRaised, AlertsRecovered, AlertsWithdrawn, AlertsDelivered, AlertsUndelivered,
		AlertsWaiting, OldestAlertWaiting, AlertEvaluationFailures, Retries, Throttles, ReadUnits, WriteUnits,
	}},
	{ByManage, []Metric{ReadUnits, WriteUnits}},
	{ByPurge, []Metric{GenerationsEnded, PurgesDone, ItemsErased, OldestDue, StepFailures, ReadUnits, WriteUnits}},
}

// Publishers returns the functions that publish m, in a fixed order.
func (m Metric) Publishers() []string {
	var names []string
	for _, p := range publishers {
		if slices.Contains(p.metrics, m) {
			names = append(names, p.function)
		}
	}
	return names
}

// AtRest returns the metrics that functions publish every minute although nothing happens, so
// that CloudWatch bills them all month: one of aggregate, and a second one if kinds have
// deferred tiers.
func AtRest(deferred bool) []Metric {
	if deferred {
		return []Metric{ProgressAge, SweepAge}
	}
	return []Metric{ProgressAge}
}
