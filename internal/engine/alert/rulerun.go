package alert

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ruleRun tests the events of a series by one rule. It is a state machine with two states: violated or not.
// The result at an event depends on this event and earlier ones alone. A run keeps all violations and
// memories, so that the result can be cut at any event afterwards.
type ruleRun struct {
	rule  *storage.Rule
	unit  string                      // of the values that the rule tests
	end   func(model.Time) model.Time // of a reading: silence begins there
	state storage.RuleState           // as read; zero if there was none
	isNew bool                        // there was no state
	// from is where the run starts. The event at from is tested, unless afterFrom.
	from model.Order
	// afterFrom says that the event at from has been tested before.
	afterFrom bool
	// retest says that events from from on were tested before, so the stored alerts from
	// there on must be compared with the result.
	retest bool
	// forced says that a deletion or a correction causes the retest. The state does not contain this.
	forced bool
	// lookBack says that the run starts at the event before from: a run of silence.
	lookBack bool
	// comparesOpen says that the run tests events again only because of its open violation.
	comparesOpen bool
	violations   []violation
	memory       storage.RuleMemory // after the last tested event
	memories     []memoryAt         // where the memory changed
}

// memoryAt is the memory of a rule before an event.
type memoryAt struct {
	event  model.Order
	before storage.RuleMemory
}

// violation is a sequence of events that violate a rule, from the event that raised the
// alert to the event that ended it.
type violation struct {
	alert     string
	carried   bool // it began before the run started
	raised    model.Order
	value     model.Decimal
	recovered *storage.Moment // nil while it is open
}

// covers reports whether the run tests an event at o.
func (r *ruleRun) covers(o model.Order) bool {
	c := r.from.Compare(o)
	return c < 0 || c == 0 && !r.afterFrom
}

// open returns the open violation, or nil.
func (r *ruleRun) open() *violation {
	if n := len(r.violations); n > 0 && r.violations[n-1].recovered == nil {
		return &r.violations[n-1]
	}
	return nil
}

// carry starts the run within an open violation.
func (r *ruleRun) carry(alert string, raised model.Order) {
	r.violations = append(r.violations, violation{alert: alert, carried: true, raised: raised})
}

// testEvent tests one event, and reports whether the event began or ended a violation. An
// event without a number in the measure is ignored.
func (r *ruleRun) testEvent(e *model.Event) (changed bool) {
	switch {
	case r.rule.Test == storage.TestSilence:
		return r.testSilence(e)
	case e.Late:
		return false
	}
	reading, ok := r.rule.Reading(e)
	if !ok || !r.covers(e.Order) || e.At < r.rule.From {
		return false
	}
	return r.test(e.Series, reading)
}

// test tests one reading.
func (r *ruleRun) test(series model.Series, now storage.Moment) (changed bool) {
	at, memory := now.Order(), storage.RuleMemory{Since: r.memory.Since}
	value, ok := ruleTests[r.rule.Test](r.memory.Last, now)
	if r.rule.Test == storage.TestRate {
		memory.Last = &now
	}
	switch open := r.open(); {
	case !ok:
	case open != nil:
		if changed = !r.rule.LastsAt(value); changed {
			open.recovered = &storage.Moment{At: now.At, Event: now.Event, Value: value}
		}
	case !r.rule.ViolatedBy(value):
		memory.Since = nil
	default:
		if memory.Since == nil {
			memory.Since = new(at)
		}
		if changed = at.At.Sub(memory.Since.At) >= time.Duration(r.rule.For); changed {
			memory.Since = nil
			raised := violation{alert: alertID(series, at, r.rule.ID()), raised: at, value: value}
			r.violations = append(r.violations, raised)
		}
	}
	if !memory.Equal(r.memory) {
		r.memories = append(r.memories, memoryAt{at, r.memory})
	}
	r.memory = memory
	return changed
}

// memoryUntil returns the memory as it is after the event at end.
func (r *ruleRun) memoryUntil(end model.Order) storage.RuleMemory {
	at := slices.IndexFunc(r.memories, func(m memoryAt) bool { return end.Before(m.event) })
	if at < 0 {
		return r.memory
	}
	return r.memories[at].before
}

// violationsUntil returns the violations as they are after the event at end.
func (r *ruleRun) violationsUntil(end model.Order) (all []violation) {
	for _, v := range r.violations {
		if end.Before(v.raised) {
			break
		}
		if v.recovered != nil && end.Before(v.recovered.Order()) {
			v.recovered = nil
		}
		all = append(all, v)
	}
	return all
}

// stateAt returns the state of the rule after the events up to end.
func (r *ruleRun) stateAt(end model.Order) storage.RuleState {
	s := storage.RuleState{Rule: r.rule.ID(), Tested: end, MaxTested: end, RuleMemory: r.memoryUntil(end)}
	if !r.isNew && end.Before(r.state.MaxTested) {
		s.MaxTested = r.state.MaxTested
	}
	all := r.violationsUntil(end)
	if n := len(all); n > 0 && all[n-1].recovered == nil {
		s.Open = &storage.OpenViolation{Alert: all[n-1].alert, Raised: all[n-1].raised}
	}
	return s
}
