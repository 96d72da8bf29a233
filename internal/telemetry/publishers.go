package telemetry

import "slices"

// The functions that publish metrics, by their names under functions/.
const (
	ByIngest    = "ingest"
	ByAggregate = "aggregate"
	ByPurge     = "purge"
)

// publishers says which function counts what, so that dashboards and alarms look
// where something is published. Every metric of the catalogue has one at least.
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
		Looks, RowsWritten, RowsUnchanged, LostLocks, SealedMarks, RowsInexact, UnreadableEvents, OversizeRows,
		CrowdedBuckets, StreamGaps, Lag, AlertLooks, AlertsRaised, AlertsRecovered, AlertsWithdrawn, AlertsTold, AlertsRefused,
		AlertsWaiting, OldestAlertWaiting, AlertFaults, Retries, Throttles, ReadUnits, WriteUnits,
	}},
	{ByPurge, []Metric{LivesEnded, PurgesDone, ItemsErased, OldestDue, StepFailures, ReadUnits, WriteUnits}},
}

// Publishers are the functions that publish m, in a fixed order.
func (m Metric) Publishers() []string {
	var names []string
	for _, p := range publishers {
		if slices.Contains(p.metrics, m) {
			names = append(names, p.function)
		}
	}
	return names
}
