package telemetry

import "time"

// The metrics of appended observations.
const (
	ObservationsApplied   Metric = "ObservationsApplied"
	ObservationsLate      Metric = "ObservationsLate"
	ObservationsStale     Metric = "ObservationsStale"
	ObservationsDuplicate Metric = "ObservationsDuplicate"
	ObservationsCollision Metric = "ObservationsCollision"
	ObservationsConflict  Metric = "ObservationsConflict"
	ObservationsGone      Metric = "ObservationsGone"
	ObservationsRejected  Metric = "ObservationsRejected"
	ObservationsUnknown   Metric = "ObservationsUnknown"
	PartsNotStored        Metric = "PartsNotStored"
	EventsUnqueued        Metric = "EventsUnqueued"
	Quarantined           Metric = "Quarantined"
	HitsExcluded          Metric = "HitsExcluded"
)

var ingestMetrics = []Definition{
	{
		Metric: ObservationsApplied, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations newer than the latest item: the event and the latest item were written.",
	},
	{
		Metric: ObservationsLate, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations older than the latest item whose event was written.",
	},
	{
		Metric: ObservationsStale, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations older than the latest item that the kind's policy dropped.",
	},
	{
		Metric: ObservationsDuplicate, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations whose event was already stored.",
	},
	{
		Metric: ObservationsCollision, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations with the identity of a stored event but a different payload: nothing was " +
			"written.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "A sender uses one time and id for different payloads, and the later ones are not stored: " +
				"give its events distinct ids.",
		},
	},
	{
		Metric: ObservationsConflict, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations whose condition on the latest item failed.",
	},
	{
		Metric: ObservationsGone, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations of a subject that is being purged.",
	},
	{
		Metric: ObservationsRejected, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations that failed validation.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 100, Period: 5 * time.Minute, Periods: 3, Within: 3,
			Meaning: "A sender's format has changed or its clock is wrong: read the errors in quarantine or in " +
				"the sender's responses.",
		},
	},
	{
		Metric: ObservationsUnknown, Unit: Count, Publishers: []string{ingest},
		Sentence: "Observations whose outcome is unknown after a transient failure: the sender was asked to " +
			"send them again.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: time.Minute, Periods: 5, Within: 60,
			Meaning: "The table did not respond for a while: see Throttles and the table's own metrics.",
		},
	},
	{
		Metric: PartsNotStored, Unit: Count, Publishers: []string{ingest},
		Sentence: "Fields and other parts of stored observations that were dropped, renamed or kept as text: " +
			"responses name them.",
	},
	{
		Metric: EventsUnqueued, Unit: Count, Publishers: []string{ingest, manage},
		Sentence: "Events that were written, corrected or deleted although the queue did not confirm that it has " +
			"their buckets: their rollups follow with the table stream.",
	},
	{
		Metric: Quarantined, Unit: Count, Publishers: []string{ingest, aggregate},
		Sentence: "Inputs that could not be accepted and were stored in quarantine with the reason.",
		Alarm: &Alarm{
			Statistic: Sum, Threshold: 0, Period: 5 * time.Minute, Periods: 1, Within: 1,
			Meaning: "Input was rejected that has no caller to return the error to: read it in quarantine " +
				"before its retention ends.",
		},
	},
	{
		Metric: HitsExcluded, Unit: Count, Publishers: []string{ingest},
		Sentence: "Events of pages that collector.exclude, a visitor's own browser or its opt-out " +
			"excludes: nothing was written. The log says why.",
	},
}
