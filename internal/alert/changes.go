package alert

import (
	"cmp"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// change is an alert as it shall stand.
type change struct {
	alert model.Alert // its Rev is the one it was read with; zero where it is new
	what  model.AlertChange
	order model.Order // the event by which it is so
}

// standing are alerts as they were read, by id.
type standing map[string]*model.Alert

// changes are what tells the alerts of a run, up to end, from those that stand. events
// says which events were met.
func (r *run) changes(series model.Series, end model.Order, stand standing, met map[model.Order]bool) (all []change) {
	spans := map[string]bool{}
	for _, s := range r.until(end) {
		spans[s.alert] = true
		if c, differs := r.compare(series, s, end, stand[s.alert]); differs {
			all = append(all, c)
		}
	}
	if !r.again {
		return all
	}
	for id, a := range stand {
		if a.Rule == r.rule.ID() && !spans[id] && a.Withdrawn == "" && r.tests(a.Raised) && !end.Before(a.Raised) {
			c := change{alert: *a, what: model.AlertTakenBack, order: a.Raised}
			c.alert.Withdrawn = whyWithdrawn(met[a.Raised])
			all = append(all, c)
		}
	}
	return all
}

func whyWithdrawn(stands bool) string {
	if stands {
		return "an event was deleted or corrected, and the violation does not begin here any more"
	}
	return "its event was deleted"
}

// compare tells what a span says of an alert from what is stored of it.
func (r *run) compare(series model.Series, s span, end model.Order, old *model.Alert) (c change, differs bool) {
	c.order = s.raised
	if s.recovered != nil {
		c.order = s.recovered.Order()
	}
	if old == nil {
		// One that was carried and is not there has expired since somebody resolved it.
		c.order, c.what = s.raised, model.AlertRaised
		c.alert = model.Alert{
			ID: s.alert, Series: series, Rule: r.rule.ID(), Severity: r.rule.Severity,
			Measure: r.rule.Measure, Limit: r.rule.Limit(),
			Violation: model.Violation{Raised: s.raised, Value: s.value, Recovered: s.recovered},
		}
		return c, !s.carried
	}
	c.alert = *old
	now := model.Violation{Raised: old.Raised, Value: s.value, Recovered: s.recovered}
	if s.carried {
		now.Value = old.Value
	}
	if now.Recovered == nil && old.Recovered != nil && end.Before(old.Recovered.Order()) {
		now.Recovered = old.Recovered // by an event beyond what is tested yet
	}
	c.alert.Violation = now
	switch {
	case old.Withdrawn != "":
		c.what = model.AlertReinstated
	case sameViolation(old.Violation, now):
		return c, false
	case old.Recovered == nil && now.Recovered != nil:
		c.what = model.AlertRecovered
	case old.Recovered != nil && now.Recovered == nil:
		c.what = model.AlertReopened
	default:
		c.what = model.AlertCorrected
	}
	return c, true
}

func sameViolation(a, b model.Violation) bool {
	if (a.Recovered == nil) != (b.Recovered == nil) || a.Value.Cmp(b.Value) != 0 {
		return false
	}
	return a.Recovered == nil || a.Recovered.Order() == b.Recovered.Order() && a.Recovered.Value.Cmp(b.Recovered.Value) == 0
}

// cut is where what fits one transaction ends, if not all does.
func cut(all []change, most int) (end model.Order, short bool) {
	if len(all) <= most {
		return model.Order{}, false
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(a.order.Compare(b.order), cmp.Compare(a.alert.ID, b.alert.ID)) })
	return all[most-1].order, true
}
