package aggregate

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Counts are what recomputations did, summed.
type Counts struct {
	Recomputed        int // buckets recomputed
	Written           int // rows written with a fold, empty ones included
	Unchanged         int // recomputations that found the row correct and did not write it
	Sealed            int // recomputations of sealed rows
	MarkedInexact     int // sealed rows that were exact until then
	Shares            int // writes of shares of groups
	Deferred          int // open buckets left to a sweep
	Invalidations     int // invalidations written
	InvalidationReads int // reads of invalidations that this process did not remember
	Walks             int // late changes of sources of sessions, whose chains were read
	Listed            int // writes of entries of the list of series
	NotCreated        int // absent rows that were not created, because they may have existed and expired
	// Changed counts rows that differed from their children, and sealed rows that were
	// marked inexact. They were written, except in a dry run.
	Changed int

	LostLocks      int // writes whose condition failed: another writer had written the row
	UnknownResults int // writes without a clear result
	Throttled      int // writes that were throttled or conflicted with a transaction

	Inexact         int   // rows written inexact that were exact or absent before
	Unreadable      int64 // events that could not be decoded, in written rows of the finest tiers
	Oversize        int   // rows too large to store with their summary
	TooManyChildren int   // buckets with more children than are read

	Reads  int // read requests
	Writes int // write requests

	Expired     int // changes dropped: removals by TTL
	Quarantined int // changes quarantined: their kind is not in the catalog
	// LatestSkipped counts events that could not be decoded and were left out of a latest item.
	LatestSkipped int
	// LatestBounded counts folds of latest items that ended before the oldest event of a field was found.
	LatestBounded int
}

// Add adds o to c.
func (c *Counts) Add(o *Counts) {
	c.Recomputed += o.Recomputed
	c.Written += o.Written
	c.Unchanged += o.Unchanged
	c.Sealed += o.Sealed
	c.MarkedInexact += o.MarkedInexact
	c.Shares += o.Shares
	c.Deferred += o.Deferred
	c.Invalidations += o.Invalidations
	c.InvalidationReads += o.InvalidationReads
	c.Walks += o.Walks
	c.Listed += o.Listed
	c.NotCreated += o.NotCreated
	c.Changed += o.Changed
	c.LostLocks += o.LostLocks
	c.UnknownResults += o.UnknownResults
	c.Throttled += o.Throttled
	c.Inexact += o.Inexact
	c.Unreadable += o.Unreadable
	c.Oversize += o.Oversize
	c.TooManyChildren += o.TooManyChildren
	c.Reads += o.Reads
	c.Writes += o.Writes
	c.Expired += o.Expired
	c.Quarantined += o.Quarantined
	c.LatestSkipped += o.LatestSkipped
	c.LatestBounded += o.LatestBounded
}

func (c *Counts) countResult(result storage.WriteResult) {
	switch result {
	case storage.ConditionFailed:
		c.LostLocks++
	case storage.Unknown:
		c.UnknownResults++
	case storage.Throttled, storage.Conflicted:
		c.Throttled++
	}
}

// countRow counts a row that was written with fold f.
func (r *recomputation) countRow(old *rollup.Row, f *rollup.Fold, oversize bool) {
	r.counts.Written++
	if !f.Exact && (!exists(old) || old.Exact) {
		r.counts.Inexact++
	}
	if f.Children > r.limits.MaxChildren {
		r.counts.TooManyChildren++
	}
	if oversize {
		r.counts.Oversize++
		r.addNote("row over %d bytes: stored without percentiles, rare values or undeclared measures; "+
			"declare fewer measures with percentiles, or a lower top", rollup.MaxRowBytes)
	} else if r.bucket.level == 0 {
		r.counts.Unreadable += f.Unreadable
	}
}
