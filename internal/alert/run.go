package alert

import (
	"github.com/tidemark-db/tidemark/pkg/model"
)

// run is one rule on its way through the events of a series: a machine of two states,
// open and not. What it passes is kept as spans, so that it can be cut at any event
// after the fact.
type run struct {
	rule  *model.Rule
	state model.RuleState // as it stood; zero but for Rule where there was none
	isNew bool
	// from is the first place that is tested, itself included where it is an event's.
	from model.Order
	// after says that from itself was tested before.
	after bool
	// again says that from lies where it was tested before: what alerts stand from there
	// on is compared with what should.
	again bool
	// forced says that it is so by a deletion or a correction, which the state does not know.
	forced bool
	spans  []span
}

// span is a violation: the events from the one that raised it to the one that ended it.
type span struct {
	alert     string
	carried   bool // it began before the run did
	raised    model.Order
	value     model.Decimal
	recovered *model.Moment
}

// tests reports whether an event at o is one that the run tests.
func (r *run) tests(o model.Order) bool {
	c := r.from.Compare(o)
	return c < 0 || c == 0 && !r.after
}

// last is the span that lasts; nil where none does.
func (r *run) last() *span {
	if n := len(r.spans); n > 0 && r.spans[n-1].recovered == nil {
		return &r.spans[n-1]
	}
	return nil
}

// carry begins the run within a violation.
func (r *run) carry(alert string, raised model.Order) {
	r.spans = append(r.spans, span{alert: alert, carried: true, raised: raised})
}

// take tests one event, and reports whether it began or ended a violation. An event
// without the measure, or with one that is no number, says nothing.
func (r *run) take(e *model.Event) (turned bool) {
	v, ok := e.Attrs.Get(r.rule.Measure)
	if !ok || v.Kind != model.Number || !r.tests(e.Order) || e.At < r.rule.From {
		return false
	}
	switch open := r.last(); {
	case r.rule.Violated(v.Number) == (open != nil):
		return false
	case open != nil:
		open.recovered = &model.Moment{At: e.At, Event: e.ID, Value: v.Number}
	default:
		r.spans = append(r.spans, span{alert: idOf(e.Series, e.Order, r.rule.ID()), raised: e.Order, value: v.Number})
	}
	return true
}

// until are the spans as they stand after the event at end.
func (r *run) until(end model.Order) (cut []span) {
	for _, s := range r.spans {
		if end.Before(s.raised) {
			break
		}
		if s.recovered != nil && end.Before(s.recovered.Order()) {
			s.recovered = nil
		}
		cut = append(cut, s)
	}
	return cut
}

// stateAt is the state of the rule once everything up to end is written.
func (r *run) stateAt(end model.Order) model.RuleState {
	s := model.RuleState{Rule: r.rule.ID(), Tested: end, Reach: end}
	if !r.isNew && end.Before(r.state.Reach) {
		s.Reach = r.state.Reach
	}
	cut := r.until(end)
	if n := len(cut); n > 0 && cut[n-1].recovered == nil {
		s.Open = &model.OpenViolation{Alert: cut[n-1].alert, Raised: cut[n-1].raised}
	}
	return s
}
