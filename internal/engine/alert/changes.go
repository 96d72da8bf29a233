package alert

import (
	"cmp"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// change is the new content of an alert.
type change struct {
	alert  storage.Alert // with the revision with which it was read; zero if it is new
	change storage.AlertChange
	order  model.Order // the event that causes the change
}

// changes returns the differences, up to end, between the stored alerts and the violations
// of the run. withdrawal returns why the alert of an event is withdrawn.
func (r *ruleRun) changes(
	series model.Series, end model.Order, stored storedAlerts,
	withdrawal func(*ruleRun, model.Order) string,
) (all []change) {
	found := map[string]bool{}
	for _, v := range r.violationsUntil(end) {
		found[v.alert] = true
		if c, differs := r.compare(series, v, end, stored[v.alert]); differs {
			all = append(all, c)
		}
	}
	if !r.retest {
		return all
	}
	for id, a := range stored {
		if a.Rule == r.rule.ID() && !found[id] && a.Withdrawn == "" && r.covers(a.Raised) && !end.Before(a.Raised) {
			c := change{alert: *a, change: storage.AlertChangeWithdrawn, order: a.Raised}
			c.alert.Withdrawn = withdrawal(r, a.Raised)
			all = append(all, c)
		}
	}
	return all
}

// withdrawal returns why the alert of a reading is withdrawn.
func (e *evaluation) withdrawal(r *ruleRun, raised model.Order) string {
	isGroup := e.groupKind(e.series.Kind) != nil
	switch seen := e.seen[raised]; {
	case !seen && isGroup:
		return "its bucket has no events any more"
	case !seen:
		return "its event was deleted"
	case r.rule.Test == storage.TestSilence:
		return "an event was stored that ends the silence before its duration"
	case isGroup:
		return "events changed, and the violation no longer starts here"
	}
	return "an event was deleted or corrected, and the violation no longer starts here"
}

// compare compares a violation with its stored alert; old is nil if there is none.
func (r *ruleRun) compare(series model.Series, v violation, end model.Order,
	old *storage.Alert) (c change, differs bool) {
	c.order = v.raised
	if v.recovered != nil {
		c.order = v.recovered.Order()
	}
	if old == nil {
		// The alert of a carried violation is missing if it was resolved by a user and has expired since.
		c.order, c.change = v.raised, storage.AlertChangeRaised
		c.alert = storage.Alert{
			ID: v.alert, Series: series, Rule: r.rule.ID(), Severity: r.rule.Severity,
			Measure: r.rule.Measure, Unit: r.unit, Limit: r.rule.Limit(),
			Violation: storage.Violation{Raised: v.raised, Value: v.value, Recovered: v.recovered},
		}
		if v.recovered != nil {
			c.change = storage.AlertChangePassed
		}
		return c, !v.carried
	}
	c.alert = *old
	now := storage.Violation{Raised: old.Raised, Value: v.value, Recovered: v.recovered}
	if v.carried {
		now.Value = old.Value
	}
	if now.Recovered == nil && old.Recovered != nil && end.Before(old.Recovered.Order()) {
		now.Recovered = old.Recovered // by an event that this pass does not test
	}
	c.alert.Violation = now
	switch {
	case old.Withdrawn != "":
		c.change = storage.AlertChangeReinstated
	case equalViolations(old.Violation, now):
		return c, false
	case old.Recovered == nil && now.Recovered != nil:
		c.change = storage.AlertChangeRecovered
	case old.Recovered != nil && now.Recovered == nil:
		c.change = storage.AlertChangeReopened
	default:
		c.change = storage.AlertChangeCorrected
	}
	return c, true
}

func equalViolations(a, b storage.Violation) bool {
	if (a.Recovered == nil) != (b.Recovered == nil) || a.Value.Cmp(b.Value) != 0 {
		return false
	}
	return a.Recovered == nil ||
		a.Recovered.Order() == b.Recovered.Order() && a.Recovered.Value.Cmp(b.Recovered.Value) == 0
}

// cutAt returns the event of the last change that fits in one transaction, if there are
// more than limit changes.
func cutAt(all []change, limit int) (end model.Order, tooMany bool) {
	if len(all) <= limit {
		return model.Order{}, false
	}
	slices.SortFunc(all, func(a, b change) int {
		return cmp.Or(a.order.Compare(b.order), cmp.Compare(a.alert.ID, b.alert.ID))
	})
	return all[limit-1].order, true
}
