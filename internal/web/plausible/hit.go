package plausible

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// hit is a page view or custom event with its visit, nil if it is in none.
type hit struct {
	model.Event
	visitor  string
	visit    *visit
	isReport bool // of the time on a page, and how far it was scrolled
}

// visit is a session as it is cut from page views, with its page views and custom events.
type visit struct {
	model.Event
	hits []*hit
}

// end returns the time of the last page view.
func (v *visit) end() model.Time {
	length, _ := v.Attrs.Get(webfield.Duration)
	return v.At + model.Time(length.Number.Float64())
}

// text returns a text field of an event.
func text(attrs model.Attrs, field string) string {
	v, _ := attrs.Get(field)
	return v.Text
}

// joined returns the events with their visits: a custom event is in the visit whose views are at most one gap
// away. Reports of the time on a page are left out, unless the query has a metric of them.
func (r *recount) joined(all []model.Event) (hits []*hit) {
	slices.SortStableFunc(all, func(a, b model.Event) int { return a.Order.Compare(b.Order) })
	by := map[chainKey][]*hit{}
	for _, e := range all {
		h := &hit{Event: e, visitor: text(e.Attrs, webfield.Visitor)}
		h.isReport = e.Series.Kind != views && text(e.Attrs, webfield.Name) == ""
		if !h.isReport || slices.ContainsFunc(r.Metrics, isEngagement) {
			of := newChainKey(&e)
			hits, by[of] = append(hits, h), append(by[of], h)
		}
	}
	for of, theirs := range by {
		if of.visitor != "" {
			r.visits(of.visitor, theirs)
		}
	}
	return hits
}

// visits sets the visits of a visitor's hits, which are in the order of their times.
func (r *recount) visits(visitor string, hits []*hit) {
	source := func(yield func(model.Event, error) bool) {
		for _, h := range hits {
			if h.Series.Kind == views && !yield(h.Event, nil) {
				return
			}
		}
	}
	first, last := hits[0], hits[len(hits)-1]
	span := sessions.Span{From: first.At, To: last.At + 1}
	i := 0
	for e, err := range sessions.Cut(r.sessions, r.sessions.SessionSeries(first.Series), visitor, span, source) {
		if err != nil {
			return // the source has no errors
		}
		v := &visit{Event: e}
		for ; i < len(hits) && hits[i].At < v.At; i++ {
		}
		for ; i < len(hits) && hits[i].At <= v.end().Add(r.sessions.Sessions.Gap); i++ {
			hits[i].visit, v.hits = v, append(v.hits, hits[i])
		}
	}
}

// dimension returns the values of a hit, by the names that responses have for them; "" is no row.
type dimension func(*hit) []string

// eventFields are the dimensions that are a field of each event.
var eventFields = map[string]string{"event:page": webfield.Path, "event:hostname": webfield.Hostname}

// use makes a dimension of the query known.
func (r *recount) use(name string) error {
	if r.dimensions[name] != nil {
		return nil
	}
	of := func(read func(*hit) string) dimension {
		return func(h *hit) []string { return []string{shownAs(name, read(h))} }
	}
	field, isVisit := strings.CutPrefix(name, "visit:")
	property, isProperty := strings.CutPrefix(name, properties)
	var d dimension
	switch {
	case name == goals:
		d = r.metGoals
	case eventFields[name] != "":
		d = of(func(h *hit) string { return text(h.Attrs, eventFields[name]) })
	case name == "event:name":
		d = of(hitName)
	case isProperty && property != "":
		d = of(func(h *hit) string { return h.property(property) })
	case isVisit && r.hasVisits(visitField(field)):
		d = of(func(h *hit) string {
			if h.visit == nil {
				return ""
			}
			return text(h.visit.Attrs, visitField(field))
		})
	default:
		r.unmet = r.noDimension(name)
		return r.unmet
	}
	r.dimensions[name] = d
	return nil
}

// visitField returns the field of sessions that a dimension visit:x has.
func visitField(name string) string {
	if g, ok := groups["visit:"+name]; ok {
		return g.of[0].fields[0]
	}
	return name
}

func (r *recount) hasVisits(field string) bool {
	named := func(d rollup.DimensionSpec) bool { return d.Name == field }
	return slices.ContainsFunc(r.sessions.Dimensions, named)
}

func hitName(h *hit) string {
	if h.Series.Kind == views {
		return "pageview"
	}
	return text(h.Attrs, webfield.Name)
}

// property returns the value of a property of an event. Events that would not be stored again as they are
// have their properties in the places.
func (h *hit) property(name string) string {
	for _, field := range webfield.Props() {
		if p, ok := webfield.ParseProp(text(h.Attrs, field)); ok && p.Name == name {
			return p.Value
		}
	}
	return text(h.Attrs, webfield.PropertyPrefix+name)
}

// metGoals returns the goals that an event meets alone.
func (r *recount) metGoals(h *hit) (met []string) {
	for _, g := range r.sessions.Goals {
		if ofSeveral(g) {
			continue
		}
		set := goal.NewSet([]goal.Goal{g})
		progress := set.Begin()
		set.Add(progress, &h.Event)
		fields := set.Attrs(progress, 0)
		if v, _ := fields.Get(g.Field()); v.Number.Float64() > 0 {
			met = append(met, g.Name)
		}
	}
	return met
}

// ofSeveral reports whether a visit meets a goal by several events.
func ofSeveral(g goal.Goal) bool { return len(g.Steps) != 1 || g.MinDuration > 0 }

// checkGoals returns an error if the query names a goal of several events. Visits alone meet it.
func (r *recount) checkGoals(named func(name string) bool) error {
	for _, g := range r.sessions.Goals {
		if ofSeveral(g) && named(g.Name) {
			r.unmet = refuse("%s: goal %s is met by several events, and has visits and conversion_rate by %s alone",
				r.what(), g.Name, goals)
			return r.unmet
		}
	}
	return nil
}

// test reports whether a hit passes a filter.
type test func(*hit) bool

// test reads a filter by any dimensions.
func (r *recount) test(raw json.RawMessage) (test, error) {
	var head string
	var parts, nested []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &head) != nil {
		return nil, refuse("filter %.200s: want [operator, dimension, [values]]", raw)
	}
	switch {
	case isOfVisits(head) && len(parts) == 2:
		return r.visitTest(head == hasDone, parts[1])
	case head == "not" && len(parts) == 2:
		nested = parts[1:]
	case head != "and" && head != "or":
		return r.leafTest(raw)
	case len(parts) != 2 || json.Unmarshal(parts[1], &nested) != nil || len(nested) == 0:
		return nil, refuse("filter %.200s: want [%q, [filters]]", raw, head)
	}
	var all []test
	for _, inner := range nested {
		t, err := r.test(inner)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return func(h *hit) bool {
		passed := lists.Map(all, func(t test) bool { return t(h) })
		switch head {
		case "not":
			return !passed[0]
		case "or":
			return slices.Contains(passed, true)
		}
		return !slices.Contains(passed, false)
	}, nil
}

// leafTest reads a filter by the values of a dimension. Of several values of a hit, one must match, and
// with _not none may.
func (r *recount) leafTest(raw json.RawMessage) (test, error) {
	l, err := parseLeaf(raw)
	if err == nil {
		if err = l.checkGoals(r.sessions); err != nil {
			r.unmet = err
		}
	}
	if err == nil && l.dimension == goals {
		err = r.checkGoals(l.pattern.MatchString)
	}
	if err != nil {
		return nil, err
	}
	if err := r.use(l.dimension); err != nil {
		return nil, err
	}
	values := r.dimensions[l.dimension]
	return func(h *hit) bool { return slices.ContainsFunc(values(h), l.pattern.MatchString) != l.negated }, nil
}
