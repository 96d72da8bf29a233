package alert

import (
	"context"
	"iter"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// recall restores the memory of a run that tests events again, from the readings before its start: a stored
// memory is of the events up to the tested position. It reads back to the first reading that settles the
// memory, and not beyond the start of the rule.
func (e *evaluation) recall(ctx context.Context, r *ruleRun) error {
	if !r.forced || !hasMemory(r.rule) || r.from.At <= r.rule.From {
		return nil
	}
	var before []storage.Moment // newest first
	for event, err := range e.eventsBefore(ctx, r.rule.From, r.from) {
		if err != nil {
			return err
		}
		reading, ok := r.rule.Reading(&event)
		if !ok || event.Late {
			continue
		}
		if before = append(before, reading); r.isSettledBy(before) {
			break
		}
	}
	replay := ruleRun{rule: r.rule}
	for _, reading := range slices.Backward(before) {
		replay.test(e.series, reading)
	}
	r.memory = replay.memory
	if r.open() != nil {
		r.memory.Since = nil
	}
	return nil
}

// eventsBefore returns an iterator over the events of a time and later before a position, newest first, late
// ones too. It reads few at once: mostly the first decides.
func (e *evaluation) eventsBefore(
	ctx context.Context, from model.Time, end model.Order,
) iter.Seq2[model.Event, error] {
	span := storage.Range{
		Series: e.series, From: from, To: end.At + 1, Newest: true, Limit: stateInterval, Consistent: true,
	}
	readings := e.readings(e.series)
	read := func(after string) ([]model.Event, string, error) {
		span.After = after
		page, err := readings.Events(ctx, span)
		return lists.Filter(page.Events, func(o model.Event) bool { return o.Order.Before(end) }), page.Next, err
	}
	return paging.Items(read)
}

// isSettledBy reports whether the memory of a run does not depend on readings that are older than these. The
// newest is the first of them.
func (r *ruleRun) isSettledBy(before []storage.Moment) bool {
	if r.rule.For == 0 || r.open() != nil {
		return len(before) > 0
	}
	if len(before) < 2 {
		return false
	}
	oldest := before[len(before)-2:]
	value, ok := ruleTests[r.rule.Test](&oldest[1], oldest[0])
	return ok && !r.rule.ViolatedBy(value)
}
