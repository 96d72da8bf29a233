package timeseries

import (
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Types that methods of Events return.
type (
	// Rollup is the summary of one bucket: its measures, whether the bucket is still open,
	// whether the numbers are exact, and which fields were added later and so are partial.
	Rollup = query.Rollup
	// Curve is the result of a chart: its rollups, their tiers, and why these were chosen.
	Curve = query.Curve
	// Segment is a part of a Curve that was read from one tier.
	Segment = query.Segment
	// Total is the merged summary of all rollups of a Curve.
	Total = query.Total
	// RangeTotal is the merged summary of any range, and what each part of it was read from.
	RangeTotal = query.RangeTotal
	// KindEvents is the number of events of a kind in a Rollup or Total.
	KindEvents = query.KindEvents
	// EventCount is the result of Count.
	EventCount = query.EventCount
)

// Types that a program passes between Events and a table when it sends a transaction of its
// own; see Events.TransactItems.
type (
	// Transaction holds the writes of one append and their conditions.
	Transaction = ingest.AppendTransaction
	// StoreResult is what a table returns for a Transaction.
	StoreResult = ingest.StoreResult
)

// Errors of an append. Both are values of package model too, so that other packages return the same.
var (
	// ErrRejected reports that the value is invalid. errors.As with model.FieldErrors finds its fields.
	ErrRejected = model.ErrRejected
	// ErrUndecided reports that the table did not decide. It comes with its cause.
	ErrUndecided = model.ErrUndecided
)

// Errors of a read. Retrying does not help.
var (
	ErrSeries     = query.ErrSeries     // the subject or stream cannot be part of a key
	ErrRange      = query.ErrRange      // the range is empty
	ErrOrder      = query.ErrOrder      // In for a kind without event times, or Between for one with them
	ErrLimit      = query.ErrLimit      // the limit is negative
	ErrNoLatest   = query.ErrNoLatest   // the kind stores no latest item; also of an append with If
	ErrNotIndexed = query.ErrNotIndexed // the kind does not declare the index
	ErrNoTier     = query.ErrNoTier     // the kind does not have the tier
	ErrTooLong    = query.ErrTooLong    // no tier has few enough points
	ErrTooWide    = query.ErrTooWide    // too many series to merge
)

// Errors of the cursor that After passes.
var (
	ErrCursor         = query.ErrCursor         // the cursor is invalid or its key is no longer accepted
	ErrCursorMismatch = query.ErrCursorMismatch // the cursor belongs to another request
)
