package simulation

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// places are the offsets of events in an hour: its first and last millisecond, and some
// between.
var places = []time.Duration{0, 30 * time.Second, time.Minute, 29 * time.Minute, time.Hour - time.Millisecond}

func (w *world) orderIn(d simstream.Dice, hour model.Time) (string, model.Order) {
	o := model.Order{At: hour.Add(places[d.Pick("place", len(places))]),
		ID: []string{"", "b"}[d.Pick("id", 5)/4]}
	return w.subject[d.Pick("subject", 5)/4], o
}

// next returns a later time than each call before, like a sensor's readings: a fold can
// resume before it.
func (w *world) next(d simstream.Dice, hour model.Time) (string, model.Order) {
	w.inOrder++
	return w.subject[d.Pick("subject", 5)/4],
		model.Order{At: hour.Add(half + time.Duration(w.inOrder)*inOrderStep)}
}

// Events in order are in the second half of an hour. inOrderStep is small enough for all.
const (
	half        = 30 * time.Minute
	inOrderStep = half / (bursts * inOneBurst * 6)
)

// existingEvent draws the key of a stored event, or of any.
func (w *world) existingEvent(d simstream.Dice, hour model.Time) model.EventKey {
	bucket := tier.Hour.BucketAt(hour)
	events := slices.DeleteFunc(w.oracle.sorted(), func(k model.EventKey) bool { return !bucket.Contains(k.At) })
	if len(events) > 0 && d.Chance("a stored one", .5) {
		return events[d.Pick("which", len(events))]
	}
	return w.eventIn(d, hour)
}

// keyIn returns the key of an event that orderIn draws, whether it is stored or not.
func (w *world) keyIn(d simstream.Dice, hour model.Time) model.EventKey {
	subject, o := w.orderIn(d, hour)
	return model.EventKey{Series: w.kind().Series(subject, "", o), Order: o}
}

// observation draws an observation with one of few values, at one of few times or the next in
// order.
func (w *world) observation(d simstream.Dice, hour model.Time) ingest.TypedObservation {
	if d.Chance("in order", .3) {
		return w.observationAt(w.next, d, hour)
	}
	return w.observationAt(w.orderIn, d, hour)
}

func (w *world) observationAt(place func(simstream.Dice, model.Time) (string, model.Order), d simstream.Dice,
	hour model.Time) ingest.TypedObservation {
	subject, o := place(d, hour)
	return ingest.TypedObservation{Subject: subject, At: o.At, ID: o.ID, Attrs: drawAttrs(d)}
}

// sites are the groups of events.
var sites = []string{"a", "b", "c"}

func drawAttrs(d simstream.Dice) model.Attrs {
	attrs := model.Attrs{{Name: "value",
		Value: model.NumberValue(model.MustDecimal([]string{"1", "2.5", "-0.125"}[d.Pick("value", 3)]))}}
	if d.Chance("no number", .1) {
		attrs[0].Value = model.Value{} // a declared measure that is null counts as invalid
	}
	if d.Chance("fields", .3) {
		attrs = append(attrs,
			model.Attr{Name: "state", Value: model.TextValue([]string{"on", "off"}[d.Pick("state", 2)])},
			model.Attr{Name: "who", Value: model.TextValue([]string{"ann", "bo"}[d.Pick("who", 2)])})
	}
	if d.Chance("further numbers", .2) {
		for _, name := range []string{"alpha", "zeta"}[:1+d.Pick("how many", 2)] {
			attrs = append(attrs, model.Attr{Name: name, Value: model.NumberValue(model.MustDecimal("7"))})
		}
	}
	if d.Chance("site", .8) {
		attrs = append(attrs, model.Attr{Name: "site", Value: model.TextValue(sites[d.Pick("which site",
			len(sites))])})
	}
	attrs.Sort()
	return attrs
}
