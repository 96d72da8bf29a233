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

// Counts are what looks did, summed.
type Counts struct {
	Looks     int // buckets looked at
	Written   int // rows written with a whole fold, empty ones included
	Unchanged int // looks, of inserts only, that found the row right
	Sealed    int // looks that met a sealed row
	Marked    int // of these, rows that said exact until then
	NotMade   int // rows not made because one like it may have lived and expired
	// Changed are the looks that found a row not holding what its children say, sealed
	// rows that were marked included. The row was written, but for a dry run.
	Changed int

	Resumed   int // times that events were read from a resume point on
	Lost      int // writes whose condition failed: somebody else wrote the row
	Uncertain int // writes without a clear answer
	Throttled int // writes that were throttled or met a transaction

	Inexact    int   // rows written with exact: false that were exact or absent before
	Unreadable int64 // events that could not be decoded, in rows of the finest tiers written
	Oversize   int   // rows too large to keep whole
	Crowded    int   // buckets with more children than are read

	Reads  int // read requests
	Writes int // write requests

	Expired     int // changes dropped: removals by TTL
	Quarantined int // changes set aside: their kind is not in the catalog
}

// Add sums o into c.
func (c *Counts) Add(o *Counts) {
	c.Looks += o.Looks
	c.Written += o.Written
	c.Unchanged += o.Unchanged
	c.Sealed += o.Sealed
	c.Marked += o.Marked
	c.NotMade += o.NotMade
	c.Changed += o.Changed
	c.Resumed += o.Resumed
	c.Lost += o.Lost
	c.Uncertain += o.Uncertain
	c.Throttled += o.Throttled
	c.Inexact += o.Inexact
	c.Unreadable += o.Unreadable
	c.Oversize += o.Oversize
	c.Crowded += o.Crowded
	c.Reads += o.Reads
	c.Writes += o.Writes
	c.Expired += o.Expired
	c.Quarantined += o.Quarantined
}

func (c *Counts) countAnswer(answer model.Answer) {
	switch answer {
	case model.Refused:
		c.Lost++
	case model.Uncertain:
		c.Uncertain++
	case model.Throttled, model.Conflicting:
		c.Throttled++
	}
}

// countWritten counts what a successful write kept.
func (l *look) countWritten(old *rollup.Row, f *rollup.Fold, oversize bool) {
	l.Written++
	if !f.Exact && (!stands(old) || old.Exact) {
		l.Inexact++
	}
	if f.Children > l.limits.Children {
		l.Crowded++
	}
	if oversize {
		l.Oversize++
		l.note("row over %d bytes: kept without its summary, exact: false; declare fewer measures with percentiles, or a lower top", rollup.MaxRowBytes)
	} else if l.rung == 0 {
		l.Unreadable += f.Unreadable
	}
}

// Report is what became of a batch.
type Report struct {
	Counts
	// Lag is now minus the arrival of the newest event folded; zero where none was.
	Lag time.Duration
	// Failures are the buckets and changes that could not be settled, those of the
	// earliest change first. Nothing at or after that change may be acknowledged.
	Failures []Failure
	// Notes name what was settled, but needs somebody's attention.
	Notes []Note
}

// Failure is a bucket that could not be looked at to the end, or a change that could
// not be set aside.
type Failure struct {
	Change int // place in the batch of the earliest change that is not settled
	Err    error
}

// Note is a sentence about one row.
type Note struct {
	Key  rollup.Key
	Text string
}

func (l *look) note(format string, args ...any) {
	l.notes = append(l.notes, Note{Key: l.key, Text: fmt.Sprintf(format, args...)})
}

// tally gathers what concurrent looks report.
type tally struct {
	mu sync.Mutex // guards all below
	Report
	newest model.Time
}

func (t *tally) add(l *look, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Counts.Add(&l.Counts)
	t.Notes = append(t.Notes, l.notes...)
	t.newest = max(t.newest, l.newest)
	if err != nil {
		t.Failures = append(t.Failures, Failure{Change: l.first, Err: err})
	}
}

func (t *tally) count(c Counts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Counts.Add(&c)
}

func (t *tally) failed() bool { return len(t.Failures) > 0 }

func (t *tally) report(now model.Time) Report {
	slices.SortStableFunc(t.Failures, func(x, y Failure) int { return cmp.Compare(x.Change, y.Change) })
	if t.newest != 0 {
		t.Lag = max(0, now.Sub(t.newest))
	}
	return t.Report
}
