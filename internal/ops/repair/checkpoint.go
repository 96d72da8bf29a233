package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrOtherJob means that a checkpoint file belongs to another rebuild.
var ErrOtherJob = errors.New("the file belongs to another rebuild")

// Checkpoint is a small file that says how far a rebuild is, so that a rebuild of hours
// can be stopped and resumed.
type Checkpoint struct {
	Job    string       `json:"what"`   // the rebuild it belongs to
	Series model.Series `json:"series"` // the series that was reached
	Next   model.Time   `json:"next"`   // where to resume within it
	Done   bool         `json:"done"`   // the series is finished

	now   func() model.Time
	path  string     // "" saves nothing
	begun bool       // Series is set
	saved model.Time // when the file was last written
}

// saveInterval bounds how much is recomputed again after a stop.
const saveInterval = time.Second

// OpenCheckpoint reads the checkpoint file of a job; a missing file means that it has
// not begun. An empty path saves nothing. job names everything that decides what the
// rebuild does. The file of another job is ErrOtherJob.
func OpenCheckpoint(path, job string, now func() model.Time) (*Checkpoint, error) {
	c := &Checkpoint{Job: job, path: path, now: now}
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s is not a file of a rebuild: %w", path, err)
	}
	if c.Job != job {
		return nil, fmt.Errorf("%s: %w (%s)", path, ErrOtherJob, c.Job)
	}
	c.begun = true
	return c, nil
}

// remaining returns the series that are not finished.
func (c *Checkpoint) remaining(all []model.Series) []model.Series {
	if !c.begun {
		return all
	}
	for i, s := range all {
		if order := tablescan.CompareSeries(s, c.Series); order > 0 || order == 0 && !c.Done {
			return all[i:]
		}
	}
	return nil
}

// within returns where to resume in a series, and whether it was begun.
func (c *Checkpoint) within(s model.Series) (model.Time, bool) {
	return c.Next, c.begun && !c.Done && s == c.Series
}

// save records how far the rebuild is. It writes the file at most once a saveInterval,
// and at the end of every series.
func (c *Checkpoint) save(s model.Series, next model.Time, done bool) error {
	c.Series = s
	c.Next = next
	c.Done = done
	c.begun = true
	now := c.now()
	if c.path == "" || !done && c.saved != 0 && now.Sub(c.saved) < saveInterval {
		return nil
	}
	c.saved = now
	if err := files.Replace(c.path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(c)
	}); err != nil {
		return fmt.Errorf("save the checkpoint: %w", err)
	}
	return nil
}

// remove deletes the file of a finished rebuild.
func (c *Checkpoint) remove() error {
	if c.path == "" {
		return nil
	}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the checkpoint: %w", err)
	}
	return nil
}
