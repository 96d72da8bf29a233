package export

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// event is an event of a kind.
type event struct {
	of query.Series
	model.Event
}

var _ entry = event{}

// readEvents reads the events of a range. If there are none, it moves the start of the series
// to its next event, so that the time without events is not read day by day. An event that cannot be decoded
// is emitted too: see Archive.write.
func (s Source) readEvents(ctx context.Context, of *listed, from, to model.Time,
	emit func(entry) error) error {
	found := false
	for e, err := range s.Query.EachEvent(ctx, query.History{Series: of.Series, From: from, To: to}) {
		if err != nil {
			return err
		}
		found = true
		if err := emit(event{of.Series, e}); err != nil {
			return err
		}
	}
	if found || to > model.MaxTime {
		return nil
	}
	return s.skip(ctx, of, to)
}

// skip sets the start of a series to its first event at or after a time.
func (s Source) skip(ctx context.Context, of *listed, from model.Time) error {
	of.first = model.MaxTime
	for e, err := range s.Query.EachEvent(ctx,
		query.History{Series: of.Series, From: from, To: model.MaxTime + 1, Limit: 1}) {
		if err != nil {
			return err
		}
		of.first = e.At
	}
	return nil
}

// json returns the observation that stores the event again.
func (e event) json() ([]byte, error) {
	at, id := ordervalue.Shown(e.Order)
	head := struct {
		Stream string      `json:"stream,omitempty"`
		At     *model.Time `json:"timestamp,omitempty"`
		ID     string      `json:"id,omitempty"`
	}{e.of.Stream, at, id}
	if e.of.Kind.IDs == catalog.MintedID {
		head.ID = "" // an observation cannot have one
	}
	return joinObjects(map[string]string{e.of.Kind.Subject.Field: e.of.Subject}, head, views.Fields(e.Attrs))
}

// joinObjects returns one JSON object with the members of all.
func joinObjects(all ...any) ([]byte, error) {
	joined := []byte{'{'}
	for _, one := range all {
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		members := text[1 : len(text)-1]
		if len(members) > 0 && len(joined) > 1 {
			joined = append(joined, ',')
		}
		joined = append(joined, members...)
	}
	return append(joined, '}'), nil
}

func (e event) cells() ([]string, error) {
	at, id := ordervalue.Shown(e.Order)
	when := ""
	if at != nil {
		when = at.String()
	}
	row := []string{e.of.Subject, e.of.Stream, when, id}
	for _, m := range e.of.Kind.Measures {
		v, _ := e.Attrs.Get(m.Name)
		cell, _ := v.Plain()
		row = append(row, cell)
	}
	fields, err := json.Marshal(views.Fields(e.Attrs))
	return append(row, string(fields)), err
}

func (e event) values() ([]any, error) {
	at, id := ordervalue.Shown(e.Order)
	row := []any{e.of.Subject, e.of.Stream, nil, id}
	if at != nil {
		row[2] = int64(*at)
	}
	for _, m := range e.of.Kind.Measures {
		var cell any
		if v, _ := e.Attrs.Get(m.Name); v.Kind == model.Number {
			cell = float(&v.Number)
		}
		row = append(row, cell)
	}
	fields, err := json.Marshal(views.Fields(e.Attrs))
	return append(row, string(fields)), err
}
