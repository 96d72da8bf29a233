package timeseries

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Types that methods of Events return.
type (
	// Rollup is the summary of one bucket: its measures, whether the bucket is still open,
	// whether the numbers are exact, and which fields were added later and so are partial.
	Rollup = query.Rollup
	// RollupList is the result of Rollups: the rollups, what of the range is not known, and its Progress.
	RollupList = query.RollupPage
	// Progress says which changes of the table a result has.
	Progress = query.Progress
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
	// MemberRanks are the first members of a group, from Rollup.Members.
	MemberRanks = query.MemberRanks
	// GroupMember is a member of a group with the value that its place is by.
	GroupMember = query.Member
	// GroupIncrease is what a counter of members has counted in one group.
	GroupIncrease = query.GroupIncrease
)

// Types that a program passes between Events and a table when it sends a transaction of its
// own; see Events.TransactItems.
type (
	// Transaction holds the writes of one append and their conditions.
	Transaction = storage.AppendTransaction
	// StoreResult is what a table returns for a Transaction.
	StoreResult = storage.StoreResult
)

// The three classes of errors of changes. An error is of one class at most: change the value, repeat it, or
// repair the configuration. A read that the table did not serve has one of the latter two. They are values of
// package model too, so that other packages return the same.
var (
	// ErrRejected reports that the value is invalid. errors.As with model.FieldErrors finds its fields.
	ErrRejected = model.ErrRejected
	// ErrUndecided reports that the table did not decide. It comes with its cause.
	ErrUndecided = model.ErrUndecided
	// ErrPermanent reports that repeating does not help: the table, a permission or the credentials are
	// missing, or the kind does not fit the table (then the error is ErrTableConfig too).
	ErrPermanent = model.ErrPermanent
)

// Errors of an append that the table decided against: nothing was stored by it, and Result.Outcome has the
// outcome. A duplicate is no error, because the event is stored, nor is a stale one, which the kind drops.
var (
	// ErrCollision reports that another event with the same identity is stored. Give the event an id, or
	// another time; times are stored in milliseconds.
	ErrCollision = errors.New(
		"nothing was stored: an event with the same series, time and id and with other fields is stored: " +
			"give each event an id of its own")
	// ErrConflict reports that a condition of If does not hold. Read the latest item and decide again.
	ErrConflict = errors.New(
		"nothing was stored: a condition of the append does not hold: read the latest item and decide again")
	// ErrGone reports that the subject is being purged.
	ErrGone = errors.New("nothing was stored: the subject is being purged")
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
