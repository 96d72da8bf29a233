package main

import (
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// The problem types of reads.
var (
	problemUnknownSubjectType = httpapi.ProblemType{
		URI:   "/problems/unknown-subject-type",
		Title: "There is no such subject type", Status: http.StatusNotFound}
	problemUnknownKind = httpapi.ProblemType{
		URI: "/problems/unknown-kind", Title: "There is no such kind of event", Status: http.StatusNotFound}
	problemUnknownTier = httpapi.ProblemType{
		URI: "/problems/unknown-tier", Title: "The kind has no such tier", Status: http.StatusNotFound}
	problemNoLatest = httpapi.ProblemType{
		URI: "/problems/no-latest", Title: "The kind has no latest items", Status: http.StatusNotFound}
	problemNothingYet = httpapi.ProblemType{
		URI: "/problems/nothing-yet", Title: "The series has no events yet", Status: http.StatusNotFound}
	problemBadTime = httpapi.ProblemType{
		URI: "/problems/bad-time", Title: "A bound of the range is invalid", Status: http.StatusBadRequest}
	problemBadZone = httpapi.ProblemType{
		URI: "/problems/bad-zone", Title: "The time zone cannot be used", Status: http.StatusBadRequest}
	problemBadLimit = httpapi.ProblemType{
		URI: "/problems/bad-limit", Title: "The number is out of range", Status: http.StatusBadRequest}
	problemBadSpan = httpapi.ProblemType{
		URI: "/problems/bad-span", Title: "The duration cannot be read", Status: http.StatusBadRequest}
	problemUnknownDimension = httpapi.ProblemType{
		URI:   "/problems/unknown-dimension",
		Title: "The field is not a dimension", Status: http.StatusNotFound}
	problemNoMembers = httpapi.ProblemType{
		URI: "/problems/no-members", Title: "Only groups have members", Status: http.StatusNotFound}
	problemNoCounter = httpapi.ProblemType{
		URI: "/problems/no-counter", Title: "The measure is no counter", Status: http.StatusNotFound}
	problemNoRanking = httpapi.ProblemType{
		URI: "/problems/no-ranking", Title: "There is no such list of members", Status: http.StatusBadRequest}
	problemOneBucket = httpapi.ProblemType{
		URI:   "/problems/one-bucket",
		Title: "Only a bucket of the finest tier has the list", Status: http.StatusBadRequest}
	problemNotIndexed = httpapi.ProblemType{
		URI: "/problems/not-indexed", Title: "The field is not indexed", Status: http.StatusNotFound}
	problemUnknownSeverity = httpapi.ProblemType{
		URI: "/problems/unknown-severity", Title: "There is no such severity", Status: http.StatusBadRequest}
	problemNoSuchList = httpapi.ProblemType{
		URI:   "/problems/no-such-list",
		Title: "The list of subjects does not exist", Status: http.StatusBadRequest}
	problemNoProfile = httpapi.ProblemType{
		URI: "/problems/no-profile", Title: "The subject has no profile", Status: http.StatusNotFound}
	problemTooManyBuckets = httpapi.ProblemType{
		URI:   "/problems/too-many-buckets",
		Title: "The range has too many buckets", Status: http.StatusUnprocessableEntity}
	problemManyEvents = httpapi.ProblemType{
		URI:   "/problems/many-events",
		Title: "The bucket has too many events for one request", Status: http.StatusUnprocessableEntity}
	problemBadOrder = httpapi.ProblemType{
		URI:   "/problems/bad-order",
		Title: "The order is neither newest nor oldest", Status: http.StatusBadRequest}
	problemInvertedRange = httpapi.ProblemType{
		URI: "/problems/inverted-range", Title: "The range is empty", Status: http.StatusBadRequest}
	problemBadSeries = httpapi.ProblemType{
		URI:   "/problems/bad-series",
		Title: "The name of the series is invalid", Status: http.StatusBadRequest}
	problemForgedCursor = httpapi.ProblemType{
		URI:   "/problems/forged-cursor",
		Title: "The cursor is not from this service", Status: http.StatusBadRequest}
	problemForeignCursor = httpapi.ProblemType{
		URI:   "/problems/foreign-cursor",
		Title: "The cursor belongs to another request", Status: http.StatusBadRequest}
	problemRangeTooLong = httpapi.ProblemType{
		URI:   "/problems/range-too-long",
		Title: "The range has too many points", Status: http.StatusBadRequest}
	problemTooManySeries = httpapi.ProblemType{
		URI:   "/problems/too-many-series",
		Title: "Too many series are read together", Status: http.StatusBadRequest}
	problemBadCondition = httpapi.ProblemType{
		URI: "/problems/bad-condition", Title: "The condition is invalid", Status: http.StatusBadRequest}
	problemBadQuery = httpapi.ProblemType{
		URI: "/problems/bad-query", Title: "The query cannot be served", Status: http.StatusBadRequest}
	problemResponseTooLarge = httpapi.ProblemType{
		URI:   "/problems/response-too-large",
		Title: "The response is too large", Status: http.StatusUnprocessableEntity}
	problemUnreadableItem = httpapi.ProblemType{
		URI:   "/problems/unreadable-item",
		Title: "A stored item cannot be read", Status: http.StatusInternalServerError}
)

// Problems that several actions have.
var (
	readProblems = []httpapi.ProblemType{
		httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter,
		httpapi.ProblemForeign, httpapi.ProblemNotAcceptable, problemResponseTooLarge,
		httpapi.ProblemUnavailable,
	}
	seriesProblems = []httpapi.ProblemType{
		problemBadSeries, httpapi.ProblemBoolean,
	}
	bodyProblems = []httpapi.ProblemType{
		httpapi.ProblemBody, httpapi.ProblemTooLarge, httpapi.ProblemMediaType,
	}
	eventProblems = []httpapi.ProblemType{
		problemBadSeries, httpapi.ProblemNoEvent, problemUnknownKind,
	}
	purgeProblems = []httpapi.ProblemType{
		httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter,
		httpapi.ProblemBoolean, httpapi.ProblemForeign, httpapi.ProblemUnavailable,
	}
	changeProblems = []httpapi.ProblemType{
		httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter,
		httpapi.ProblemBoolean, httpapi.ProblemForeign, httpapi.ProblemGone, httpapi.ProblemUnavailable,
	}
	editProblems = []httpapi.ProblemType{
		httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter,
		httpapi.ProblemBoolean, httpapi.ProblemForeign, httpapi.ProblemNotFound, httpapi.ProblemNoEvent,
		httpapi.ProblemEventChanged, httpapi.ProblemUnavailable,
	}
	totalProblems = []httpapi.ProblemType{
		problemBadSeries, httpapi.ProblemBoolean, problemBadSpan, problemBadTime, problemInvertedRange,
		problemUnreadableItem, problemTooManyBuckets, problemTooManySeries,
	}
	pageProblems = []httpapi.ProblemType{
		problemBadTime, problemBadSpan, problemInvertedRange, problemBadLimit, problemBadOrder,
		problemForgedCursor, problemForeignCursor, problemBadSeries, httpapi.ProblemBoolean,
	}
	bucketProblems = []httpapi.ProblemType{
		problemUnknownTier, problemUnreadableItem, problemBadTime, problemBadSpan, problemInvertedRange,
		problemBadLimit, problemBadOrder, problemForgedCursor, problemForeignCursor, problemBadSeries,
		httpapi.ProblemBoolean,
	}
	chartProblems = []httpapi.ProblemType{
		problemBadSeries, httpapi.ProblemBoolean, problemUnknownTier, problemBadSpan, problemUnreadableItem,
		problemBadTime, problemInvertedRange, problemBadLimit, problemBadOrder, problemRangeTooLong,
		problemTooManySeries,
	}
)
