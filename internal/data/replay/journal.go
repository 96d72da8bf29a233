package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// window is how many observations may be sent or waiting beyond the first one without an
// outcome. It bounds the memory of a journal, and what is sent again after a crash.
const window = 20_000

// saveEvery is the least time between two writes of a journal.
const saveEvery = 200 * time.Millisecond

// Journal records how much of an input has outcomes, so that a process that was killed is
// continued by another one. What it counts are always the first observations of the input:
// an outcome is counted when all before it have one. It may be used concurrently.
type Journal struct {
	path     string
	rejected *os.File // CSV of location, reason and text

	mu      sync.Mutex // guards what follows
	state   progress
	settled map[int64]settled // beyond state.Done
	room    chan struct{}     // closed when state.Done grows; replaced then
	saved   time.Time
	failed  error // of a write
	resumed int64 // state.Done when it was opened
}

// progress is the content of the file.
type progress struct {
	Input    string                `json:"input"` // identifies the files and what is done with them
	Total    int                   `json:"total"` // observations
	Done     int64                 `json:"done"`  // observations that have an outcome, without a gap
	Counts   map[model.Outcome]int `json:"counts"`
	Rejected int64                 `json:"rejected"` // bytes of the file of rejected observations
}

type settled struct {
	outcome model.Outcome
	line    []byte // for the file of rejected observations
}

// OpenJournal opens or creates the journal of an input, and the file of its rejected
// observations. It is a usage error if the journal is of another input.
func OpenJournal(path, rejected, input string) (*Journal, error) {
	j := &Journal{path: path, state: progress{Input: input, Counts: map[model.Outcome]int{}},
		settled: map[int64]settled{}, room: make(chan struct{})}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the journal: %w", err)
	default:
		if err := json.Unmarshal(text, &j.state); err != nil {
			return nil, usererr.Errorf("%s is no journal of an import: %w: name another with --journal", path, err)
		}
		if j.state.Input != input {
			return nil, usererr.Errorf(
				"%s is the journal of another import, or a file has changed since: finish that import, "+
					"or delete the journal to begin again", path)
		}
	}
	j.resumed = j.state.Done
	j.rejected, err = os.OpenFile(rejected, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the file of rejected rows: %w", err)
	}
	if err := j.rejected.Truncate(j.state.Rejected); err != nil {
		return nil, fmt.Errorf("continue the file of rejected rows: %w", err)
	}
	_, err = j.rejected.Seek(j.state.Rejected, 0)
	return j, err
}

// Resumed returns how many observations had an outcome when the journal was opened.
func (j *Journal) Resumed() int64 { return j.resumed }

// Total returns the number of observations in the input; 0 if it was not set.
func (j *Journal) Total() int { return j.state.Total }

// SetTotal is called before the first observation.
func (j *Journal) SetTotal(n int) { j.state.Total = n }

// Await returns when an observation may be sent: when the first one without an outcome is
// less than a window before it.
func (j *Journal) Await(ctx context.Context, seq int64) error {
	for {
		j.mu.Lock()
		free := seq < j.state.Done+window
		room := j.room
		failed := j.failed
		j.mu.Unlock()
		if free || failed != nil {
			return failed
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// maybeSent reports whether an observation may have been sent before the journal was opened.
func (j *Journal) maybeSent(seq int64) bool { return j.resumed > 0 && seq < j.resumed+window }

// Settle records the outcome of an observation. Each observation is settled once.
func (j *Journal) Settle(o formats.Observation, outcome model.Outcome, reason string) {
	s := settled{outcome: outcome}
	if outcome == model.Rejected {
		s.line = formats.CSVLine(o.Location, reason, string(o.Body))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settled[o.Seq] = s
	before := j.state.Done
	for next, ok := j.settled[j.state.Done]; ok && j.failed == nil; next, ok = j.settled[j.state.Done] {
		delete(j.settled, j.state.Done)
		n, err := j.rejected.Write(next.line)
		j.state.Done++
		j.state.Rejected += int64(n)
		j.failed = err
		j.state.Counts[next.outcome]++
	}
	if j.state.Done > before || j.failed != nil {
		close(j.room)
		j.room = make(chan struct{})
	}
	if time.Since(j.saved) > saveEvery && j.failed == nil {
		j.failed, j.saved = j.save(), time.Now()
	}
}

// fail ends every Await with the error of a lane.
func (j *Journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = err
		close(j.room)
		j.room = make(chan struct{})
	}
}

// save replaces the file, after the rejected observations that it counts are stored.
func (j *Journal) save() error {
	text, err := json.Marshal(j.state)
	if err != nil {
		return err
	}
	if err := j.rejected.Sync(); err != nil {
		return fmt.Errorf("store the rejected rows: %w", err)
	}
	next := j.path + ".next"
	if err := os.MkdirAll(filepath.Dir(j.path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return fmt.Errorf("write the journal: %w: make room, or choose another place with --journal", err)
	}
	return os.Rename(next, j.path)
}

// Counts returns how often each outcome was counted, by this process and those before it.
func (j *Journal) Counts() map[model.Outcome]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.Counts
}

// Close stores the journal, or removes it if the import is finished. An empty file of rejected
// observations is removed too.
func (j *Journal) Close(finished bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	saved := j.save()
	err := errors.Join(cmp.Or(j.failed, saved), j.rejected.Close()) // a full disk fails both, with one text
	if err != nil || !finished {
		return err
	}
	if j.state.Rejected == 0 {
		err = os.Remove(j.rejected.Name())
	}
	return errors.Join(err, os.Remove(j.path))
}
