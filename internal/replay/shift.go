package replay

import (
	"encoding/json"
	"fmt"
	"time"

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
