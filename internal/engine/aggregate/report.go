package aggregate

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Report is the outcome of a batch.
type Report struct {
	Counts
	// Lag is now minus the arrival of the newest event folded; zero where none was.
	Lag time.Duration
	// Failures are the buckets and changes that could not be processed, in order of the changes. Do
	// not acknowledge the first failed change or any after it.
	Failures []Failure
	// Notes are about rows that were processed and need an operator's attention.
	Notes []Note
}

// Failure is a bucket that could not be recomputed, or a change that could not be quarantined.
type Failure struct {
	Change int // index in the batch of the earliest change that is not processed
	Err    error
}

// Note is a sentence about one row.
type Note struct {
	Key  rollup.Key
	Text string
}

func (r *recomputation) addNote(format string, args ...any) {
	r.notes = append(r.notes, Note{Key: r.bucket.key, Text: fmt.Sprintf(format, args...)})
}

// results collects the results of concurrent recomputations.
type results struct {
	mu     sync.Mutex // guards all below
	report Report
	newest model.Time
}

func (all *results) add(r *recomputation, err error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.report.Counts.Add(&r.counts)
	all.report.Notes = append(all.report.Notes, r.notes...)
	all.newest = max(all.newest, r.newest)
	if err != nil {
		all.failBucket(r.bucket, err)
	}
}

func (all *results) addFailure(change int, err error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.fail(change, err)
}

// failBucket records why a bucket is not processed. The report of a sweep has failures of
// invalidations, not of buckets. The caller holds the lock.
func (all *results) failBucket(b *dirtyBucket, err error) {
	if b.err = err; !b.swept {
		all.fail(b.firstChange, err)
	}
}

// fail adds a failure. The caller holds the lock, or no recomputation is running.
func (all *results) fail(change int, err error) {
	all.report.Failures = append(all.report.Failures, Failure{Change: change, Err: err})
}

func (all *results) count(c Counts) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.report.Counts.Add(&c)
}

func (all *results) failed() bool { return len(all.report.Failures) > 0 }

func (all *results) finish(now model.Time) Report {
	slices.SortStableFunc(all.report.Failures, func(x, y Failure) int { return cmp.Compare(x.Change, y.Change) })
	if all.newest != 0 {
		all.report.Lag = max(0, now.Sub(all.newest))
	}
	return all.report
}

// reportDifference counts and reports a row that differs from its children.
func (r *recomputation) reportDifference(text string) {
	r.counts.Changed++
	if report := r.bucket.options.OnDifference; report != nil {
		report(Note{Key: r.bucket.key, Text: text})
	}
}

// reportFold reports that the children of old add up to another fold.
func (r *recomputation) reportFold(old *rollup.Row, fold *rollup.Fold) {
	text := ""
	if r.bucket.options.OnDifference != nil {
		text = difference(old, fold)
	}
	r.reportDifference(text)
}

// difference describes how fold differs from the row.
func difference(old *rollup.Row, fold *rollup.Fold) string {
	switch {
	case fold.Children == 0:
		return fmt.Sprintf("the row has %s, but no children", formatEvents(old))
	case !exists(old):
		return fmt.Sprintf("no row, but children with %d events", fold.Summary.Events())
	default:
		return fmt.Sprintf("the row has %s, its children have %d", formatEvents(old), fold.Summary.Events())
	}
}

func formatEvents(row *rollup.Row) string {
	if row == nil || row.Summary == nil {
		return "no readable summary"
	}
	return fmt.Sprintf("%d events", row.Summary.Events())
}
