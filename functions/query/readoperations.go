package main

import "github.com/tidemark-db/tidemark/internal/api/httpapi"

// readOperations append events and read series.
var readOperations = map[httpapi.Action]operation{
	httpapi.ReadAllChart: {
		Like:    httpapi.ReadChart,
		Summary: "Rollups of all kinds of a subject, merged, in the tier that suits the range",
	},
	httpapi.ReadAllRollups: {
		Summary: "Rollups of all kinds of a subject, merged, oldest first",
		Description: "Each bucket merges the rollups of the kinds: averages and percentiles are over all " +
			"events, and a distinct value counts once.",
		Parameters: []string{
			"from", "to", "last", "order", "limit", "cursor",
			"stream", "consistent", "with", "zone",
		},
		Result:        "Rollups",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{bucketProblems},
		Problems:      []httpapi.ProblemType{problemTooManySeries, problemBadZone, problemTooManyBuckets},
	},
	httpapi.ReadAllTop: {
		Like:    httpapi.ReadTop,
		Summary: "The most frequent values of a dimension, over all kinds of a subject",
	},
	httpapi.ReadAllTotal: {
		Like:    httpapi.ReadTotal,
		Summary: "The summary of any range over all kinds of a subject",
	},
	httpapi.Append: {
		Summary: "Append one observation, or many",
		Description: "The response to one observation is its outcome, and a problem if nothing of it is " +
			"stored. The response to several (an array, or NDJSON) is a list of outcomes in the same " +
			"order, with status 200; the header Tidemark-Not-Stored counts the observations and values " +
			"that are not stored as they were sent, and Tidemark-Undeclared the values of fields that the " +
			"kind does not declare. A list of more than 5 MB has no latest items, then no more than one " +
			"message of each observation, and at last only outcomes. The body may be compressed with " +
			"gzip (Content-Encoding). If some outcomes are unknown, the status is 503 " +
			"and the body is the same list.",
		RepeatNote:    "Repeating the request is always safe.",
		Parameters:    []string{"strict"},
		Body:          "Observations",
		Result:        "AppendResults",
		ProblemGroups: [][]httpapi.ProblemType{bodyProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemRejected, httpapi.ProblemCollision, httpapi.ProblemStale, httpapi.ProblemCondition,
			httpapi.ProblemGone, httpapi.ProblemInternal, httpapi.ProblemForeign,
		},
	},
	httpapi.ReadByIndex: {
		Summary:       "Events of any subject that have a value of the indexed field, newest first",
		Description:   "Read from an index, which is eventually consistent.",
		Parameters:    []string{"from", "to", "last", "order", "limit", "cursor"},
		Result:        "IndexedEvents",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{pageProblems},
		Problems:      []httpapi.ProblemType{problemNotIndexed},
	},
	httpapi.ReadChart: {
		Summary: "Rollups of a range in the tier that suits it",
		Description: "Uses the finest tier that still has the complete range and gives at most the " +
			"requested number of points, and returns the reason. The range is widened to complete " +
			"buckets; the default is the last 30 days. The response is not paged.",
		Parameters: []string{
			"from", "to", "last", "points", "tier", "stitched", "gaps",
			"order", "stream", "with", "consistent", "zone",
		},
		Result:        "Chart",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{chartProblems},
		Problems:      []httpapi.ProblemType{problemBadZone},
	},
	httpapi.ReadCount: {
		Summary: "The number of events in a range of a series",
		Description: "Reads every event in the range, at that cost. Rollups have the same count at a lower " +
			"cost.",
		Parameters:    []string{"from", "to", "last", "where", "stream", "consistent"},
		Result:        "Count",
		ProblemGroups: [][]httpapi.ProblemType{seriesProblems},
		Problems: []httpapi.ProblemType{
			problemBadTime, problemBadSpan, problemInvertedRange, problemBadCondition,
		},
	},
	httpapi.ReadEvent: {
		Summary: "One event, by its time",
		Description: "Its entity tag begins with the hash of its fields. Send it as If-Match with a " +
			"correction or deletion, and the event is changed only if it still has these fields.",
		Parameters:    []string{"stream"},
		Result:        "Event",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{eventProblems},
	},
	httpapi.ReadEventByID: {
		Like:    httpapi.ReadEvent,
		Summary: "One event, by its time and id",
	},
	httpapi.ReadHistory: {
		Summary: "Events of a series in a range, newest first",
		Description: "Sessions are cut from the events of one key: where must name it, as where=visitor=X, " +
			"and the read is not strongly consistent. The id of a session is its key.",
		Parameters: []string{
			"from", "to", "last", "order", "limit", "cursor",
			"stream", "consistent", "where", "fields",
		},
		Result:        "History",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{pageProblems},
		Problems:      []httpapi.ProblemType{problemBadCondition},
	},
	httpapi.ReadLatest: {
		Summary: "The latest state of a series",
		Description: "The fields of its newest event, and the fields that other writers added. The latest " +
			"item never expires.",
		Parameters:    []string{"stream", "consistent"},
		Result:        "Event",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{seriesProblems},
		Problems:      []httpapi.ProblemType{problemNothingYet},
	},
	httpapi.ReadLatestBy: {
		Summary: "Latest items of any subject that have given values of the indexed fields",
		Description: "In the order of the index's sort fields. Read from an index, which is eventually " +
			"consistent.",
		Parameters: []string{"by", "index", "limit", "cursor"},
		Result:     "IndexedEvents",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemBadLimit, problemNotIndexed, problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.ReadMembers: {
		Summary: "The members of a group with the highest or lowest values of a measure",
		Description: "The first ten by single values in any tier and range, in which each member has its highest " +
			"value (statistic=max) or its lowest (statistic=min with lowest=true). By sum, mean and count they are " +
			"known of one bucket of the finest tier. members is null, and places is 0, where the list is not known: " +
			"rows of earlier releases and rows without space do not have it.",
		Parameters: []string{
			"statistic", "lowest", "tier", "from", "to", "last", "limit", "stream", "consistent",
		},
		Result:        "Members",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{bucketProblems},
		Problems: []httpapi.ProblemType{
			problemNoMembers, problemNoRanking, problemOneBucket, problemTooManyBuckets,
		},
	},
	httpapi.VerifyBucket: {
		Summary: "One bucket, recounted from its events and compared with its row",
		Description: "The bucket of the tier that contains the time at. It reads the events of the bucket, " +
			"at most 5,000, and changes nothing. It also lists events that arrived after the bucket had closed.",
		Parameters: []string{"at", "stream"},
		Result:     "Verification",
		Problems:   []httpapi.ProblemType{problemBadTime, problemUnknownTier, problemManyEvents},
	},
	httpapi.ReadRollups: {
		Summary:     "Rollups of a tier, oldest first",
		Description: "Buckets that start in the range. A bucket without events has no rollup.",
		Parameters: []string{
			"from", "to", "last", "order", "limit", "cursor",
			"stream", "consistent", "with", "zone",
		},
		Result:        "Rollups",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{bucketProblems},
		Problems:      []httpapi.ProblemType{problemTooManySeries, problemBadZone, problemTooManyBuckets},
	},
	httpapi.ReadTop: {
		Summary:       "The most frequent values of a dimension over a range",
		Parameters:    []string{"tier", "from", "to", "last", "limit", "stream", "with", "consistent", "zone"},
		Result:        "Top",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{bucketProblems},
		Problems: []httpapi.ProblemType{
			problemBadZone, problemUnknownDimension, problemTooManyBuckets, problemTooManySeries,
		},
	},
	httpapi.ReadTotal: {
		Summary: "The summary of any range of a series",
		Description: "Counts, sums, averages, percentiles, distinct and most frequent values of exactly " +
			"the events in the range; without a range, of all. Complete buckets of the coarsest " +
			"tiers are read, and at the ends finer tiers and raw events. Where those have " +
			"expired, a part is missing: whole is false, and missing names it.",
		Parameters:    []string{"from", "to", "last", "stream", "with", "consistent", "zone"},
		Result:        "Total",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{totalProblems},
		Problems:      []httpapi.ProblemType{problemBadZone},
	},
}
