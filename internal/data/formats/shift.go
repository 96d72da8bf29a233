package formats

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Survey is what a first pass over the files finds.
type Survey struct {
	Total  int        // observations
	Newest model.Time // event time, if Timed
	Timed  bool       // at least one event time could be read
}

// Survey reads the files once without sending them. Standard input cannot be read twice,
// so it must not be among them.
func (in Input) Survey(files []string) (s Survey, err error) {
	err = in.Each(files, func(o Observation) error {
		s.Total++
		if o.Timed && (!s.Timed || o.At > s.Newest) {
			s.Newest, s.Timed = o.At, true
		}
		return nil
	})
	return s, err
}

// Rebase reads the files once before they are sent, and returns the number of observations
// (0 if unknown) and the shift by which the newest time becomes the given one: "now", a time,
// or "" for no shift. Standard input cannot be read twice.
func (in Input) Rebase(text string, now model.Time,
	names []string) (total int, shift time.Duration, err error) {
	newest, err := rebaseTime(text, now)
	if err != nil {
		return 0, 0, err
	}
	if slices.Contains(names, StdinName) {
		if text != "" {
			return 0, 0, usererr.Errorf(
				"--rebase: standard input cannot be read twice, and the newest time must be known first: pass a file")
		}
		return 0, 0, nil
	}
	found, err := in.Survey(names)
	if text != "" && found.Timed {
		shift = time.Duration(newest-found.Newest) * time.Millisecond
	}
	return found.Total, shift, err
}

func rebaseTime(text string, now model.Time) (model.Time, error) {
	if text == "" || text == "now" {
		return now, nil
	}
	at, err := times.Parse(text)
	if err != nil {
		return 0, usererr.Errorf("--rebase: %w", err)
	}
	return at, nil
}

// Shift returns the observation with its event time moved. One whose time could not be
// read is returned unchanged.
func (o Observation) Shift(by time.Duration) (Observation, error) {
	if by == 0 || !o.Timed {
		return o, nil
	}
	o.At = o.At.Add(by)
	var members map[string]json.RawMessage
	if err := json.Unmarshal(o.Body, &members); err != nil {
		return Observation{}, fmt.Errorf("shift the time of %s: %w", o.Location, err)
	}
	members[catalog.TimeField] = json.RawMessage(`"` + o.At.String() + `"`)
	body, err := json.Marshal(members)
	if err != nil {
		return Observation{}, fmt.Errorf("shift the time of %s: %w", o.Location, err)
	}
	o.Body = body
	return o, nil
}
