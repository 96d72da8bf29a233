package ingest

import (
	"io"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Checker validates observations of a kind without storing them.
type Checker struct {
	Kind   *catalog.Kind
	Limits config.Limits
	Now    model.Time
	Rand   io.Reader // for ids that are made here
}

// Observation returns the event that would be stored, or why the observation would be rejected. It
// returns an error if Rand fails.
func (c Checker) Observation(o Observation) (model.Event, []model.FieldError, error) {
	event, wrong, _, err := c.Parts(o)
	return event, wrong, err
}

// Parts is Observation, and returns the parts of a valid observation that would not be stored as they are.
func (c Checker) Parts(o Observation) (event model.Event, wrong, parts []model.FieldError, err error) {
	v := validation{kind: c.Kind, limits: c.Limits, now: c.Now, random: c.Rand}
	event, wrong, err = v.observation(o)
	return event, wrong, v.notAsSent(), err
}
