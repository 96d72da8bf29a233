package ingest

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// positions validate what orders an event in its series, by the order type of the kind.
var positions = map[catalog.OrderType]func(*validation, TypedObservation){
	"":                  func(v *validation, o TypedObservation) { v.time(o.At) },
	catalog.NumberOrder: func(v *validation, o TypedObservation) { v.orderValue(o.Attrs, model.Number, "a number") },
	catalog.TextOrder:   func(v *validation, o TypedObservation) { v.orderValue(o.Attrs, model.Text, "a string") },
}

func (v *validation) time(at model.Time) {
	switch limit := v.now.Add(v.limits.MaxAhead); {
	case at < model.MinTime || at > model.MaxTime:
		v.add(catalog.TimeField, CodeTimeRange, "the year must be 0001 to 9999")
	case at > limit:
		v.add(catalog.TimeField, CodeTimeAhead, "%s is more than %s ahead of the server's clock (%s), and would make all events until then late: set the sender's clock", at, v.limits.MaxAhead, v.now)
	}
}

// orderValue validates the value that orders an event without a time.
func (v *validation) orderValue(attrs model.Attrs, want model.ValueKind, wanted string) {
	field := v.kind.OrderBy
	for _, a := range attrs {
		switch {
		case a.Name != field:
			continue
		case a.Value.Kind != want:
			v.add(field, CodeWrongType, "events of %s are ordered by it: send %s", v.kind.Name, wanted)
		case want == model.Text && a.Value.Text != "":
			v.name(field, a.Value.Text, v.limits.ID)
		case want == model.Text:
			v.add(field, CodeMissing, "is empty, and events of %s are ordered by it: send %s", v.kind.Name, wanted)
		}
		return
	}
	v.add(field, CodeMissing, "missing: events of %s are ordered by it; send %s", v.kind.Name, wanted)
}
