package alert

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// testEvents tests the events up to the order to. It returns where it ended, which is earlier if the alerts
// change more often than one transaction can write, and how many events it tested.
func (e *evaluation) testEvents(ctx context.Context, runs []*ruleRun,
	to model.Order) (end model.Order, events int, _ error) {
	e.seen = map[model.Order]bool{}
	if len(runs) == 0 {
		return to, 0, nil
	}
	from := runs[0].from
	for _, r := range runs {
		if r.from.Before(from) {
			from = r.from
		}
	}
	changes, q := 0, storage.Range{Series: e.series, From: from.At, To: to.At + 1, Consistent: true}
	readings := e.readings(e.series)
	for {
		page, err := readings.Events(ctx, q)
		if err != nil {
			return end, 0, err
		}
		for i := range page.Events {
			event := &page.Events[i]
			if event.Unreadable || to.Before(event.Order) {
				continue
			}
			if !from.Before(event.Order) && !slices.ContainsFunc(runs, func(r *ruleRun) bool {
				return r.covers(event.Order)
			}) {
				continue
			}
			events++
			e.seen[event.Order] = true
			for _, r := range runs {
				if r.testEvent(event) {
					changes++
				}
			}
			if changes > 2*maxChanges {
				return event.Order, events, nil
			}
		}
		if q.After = page.Next; q.After == "" {
			return to, events, nil
		}
	}
}
