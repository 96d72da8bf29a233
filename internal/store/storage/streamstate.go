package storage

import (
	"cmp"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Gap is a time range whose changes may never have reached the aggregate function: it may not have read a
// shard of the table stream for longer than the stream keeps its records. By the table's clock.
type Gap struct{ From, To model.Time }

// Blocked is a batch of the table stream that could not be processed. Later changes of its stream shard wait
// until it is, or until Lambda gives it up; the batch is then repaired by redriving its range.
type Blocked struct {
	Seq string // sequence number of its first record that failed
	Gap        // from its first record that failed to its last record
}

// Verification is what a watch of the table found: tidemark verify --watch.
type Verification struct {
	At     model.Time // when it was stored; a watch that runs stores it each minute
	Differ int        // rows that differed from their events when they were last recounted
}

// StreamState is what is stored about the table stream, and about rows that miss changes of it.
type StreamState struct {
	// Progress is the newest change that was processed, of any stream shard; 0 before the first. Another
	// shard may be behind it by the mapping's maximum age.
	Progress model.Time
	// Begun is set while no change was processed: Progress is the time of the first heartbeat, from which its
	// age counts.
	Begun    bool
	Gaps     []Gap
	Blocked  []Blocked
	Verified Verification // zero if no watch ever ran
}

// Through returns the time through which changes are processed, gaps aside: the progress, or the first change
// that is blocked; MinTime before the first change.
func (s StreamState) Through() model.Time {
	if s.Progress == 0 || s.Begun {
		return model.MinTime
	}
	through := s.Progress
	for _, b := range s.Blocked {
		through = min(through, b.From)
	}
	return through
}

// Missing returns the ranges of time, oldest first, in which changes may be in no rollup although later
// changes are: the gaps and the blocked batches.
func (s StreamState) Missing() []Gap {
	all := slices.Clone(s.Gaps)
	for _, b := range s.Blocked {
		all = append(all, b.Gap)
	}
	slices.SortFunc(all, func(a, b Gap) int { return cmp.Compare(a.From, b.From) })
	return all
}
