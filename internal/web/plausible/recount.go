package plausible

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxRecounted is how many events a query reads, which bounds its time and its memory.
const maxRecounted = 50_000

// recount is a query that rollups do not serve, such as visitors by page, or a filter by another dimension.
// It is counted from page views and custom events, exactly, while these are stored.
type recount struct {
	*run
	dimensions map[string]dimension
	pass       []test
	sessions   *catalog.Kind
	whole      span  // the range that is read
	unmet      error // of what rollups do not have either, such as a dimension or goal that there is not
}

// plan checks what the query names.
func (r *recount) plan() (err error) {
	kind, ok := r.kinds.Kind(visits)
	if !ok {
		return refuse("what is counted from events needs the kind %s", visits)
	}
	r.sessions = kind
	for _, name := range r.Dimensions {
		if isTime(name) && r.time == "" {
			r.time = name
		} else if err := r.use(name); err != nil {
			return err
		}
		if name == goals {
			if err := r.checkGoals(func(string) bool { return true }); err != nil {
				return err
			}
		}
	}
	if r.Include.TimeLabels && r.time == "" {
		return refuse("include.time_labels: the query needs a time dimension")
	}
	for _, raw := range r.Filters {
		t, err := r.test(raw)
		if err != nil {
			return err
		}
		r.pass = append(r.pass, t)
	}
	for _, name := range r.Metrics {
		switch {
		case isRate(name):
			err = r.checkRate(name)
		case isEngagement(name):
			err = r.checkEngagement(name)
		case name != percentage && counters[name] == nil:
			err = refuse("metric %.64q: events do not have it%s", name,
				names.DidYouMean(name, slices.Sorted(maps.Keys(counters))))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rows reads the events of a range and returns its rows, and the labels of its periods.
func (r *recount) rows(ctx context.Context, table *query.Service, whole span) ([]Row, []string, error) {
	periods, err := whole.periods(r.unit)
	if err != nil {
		return nil, nil, err
	}
	r.whole = whole
	hits, err := r.read(ctx, table, whole)
	if err != nil {
		return nil, nil, err
	}
	r.found = len(hits) > 0
	cells, total := map[position]*cell{}, totals{}
	if len(r.Dimensions) == 0 {
		cells[position{}] = new(cell)
	}
	for _, h := range hits {
		if !inside(whole, h.At) || !r.passesOthers(h) {
			continue
		}
		isCounted := h.visit != nil && inside(whole, h.visit.At) && !h.isReport
		if isCounted && slices.ContainsFunc(r.Metrics, isRate) {
			total.add(period(periods, h.visit.At), h.visit, append(r.groupKeys(h), allVisits)...)
		}
		if slices.ContainsFunc(r.pass, func(t test) bool { return !t(h) }) {
			continue
		}
		if isCounted {
			total.add(period(periods, h.visit.At), h.visit, passingVisits)
		}
		for _, key := range r.keys(h) {
			r.cell(cells, periods, h.At, key).add(h)
			if isCounted {
				r.cell(cells, periods, h.visit.At, key).addVisit(h.visit)
			}
		}
	}
	rows := []Row{}
	for at, c := range cells {
		if len(r.Dimensions) > 0 && !slices.ContainsFunc(r.Metrics, c.has) {
			continue
		}
		figures := lists.Map(r.Metrics, func(m string) Figure { return r.figure(total, m, at, c) })
		named := r.named(periods[at.period].Label, at.value)
		rows = append(rows, Row{Metrics: figures, Dimensions: named, position: at})
	}
	return rows, lists.Map(periods, func(p times.Period) string { return p.Label }), nil
}

func inside(whole span, at model.Time) bool { return whole.from <= at && at < whole.to }

// cell returns the cell of a time and a key, creating it if needed.
func (r *recount) cell(cells map[position]*cell, periods []times.Period, at model.Time, key string) *cell {
	where := position{period(periods, at), key}
	if cells[where] == nil {
		cells[where] = new(cell)
	}
	return cells[where]
}

// period returns the number of the period that a time is in.
func period(periods []times.Period, at model.Time) int {
	return sort.Search(len(periods), func(i int) bool { return periods[i].End > at })
}

// keySeparator is between the values of a row with several dimensions; clean texts do not have it.
const keySeparator = "\x00"

// keys returns the keys of the rows in which a hit counts: one for each combination of its values.
func (r *recount) keys(h *hit) []string { return r.valueKeys(h, r.values()) }

// valueKeys returns the keys of a hit by some of the dimensions.
func (r *recount) valueKeys(h *hit, dimensions []string) []string {
	all := []string{""}
	for i, name := range dimensions {
		var longer []string
		for _, value := range r.dimensions[name](h) {
			if value == "" {
				continue // no row
			}
			for _, key := range all {
				if i > 0 {
					key += keySeparator
				}
				longer = append(longer, key+value)
			}
		}
		all = longer
	}
	return all
}

// values returns the dimensions of the query but the time.
func (r *recount) values() []string {
	return slices.DeleteFunc(slices.Clone(r.Dimensions), func(name string) bool { return name == r.time })
}

// named returns the dimensions of a row.
func (r *recount) named(label, key string) []string {
	values := strings.Split(key, keySeparator)
	return lists.Map(r.Dimensions, func(name string) string {
		if name == r.time {
			return label
		}
		return values[slices.Index(r.values(), name)]
	})
}

// read returns the page views and custom events of a range with their visits, and later ones of visits that
// go on after the range.
func (r *recount) read(ctx context.Context, table *query.Service, whole span) ([]*hit, error) {
	if err := r.check(ctx, table, whole); err != nil {
		return nil, err
	}
	gap := r.sessions.Sessions.Gap
	var all []model.Event
	for from, to := whole.from.Add(-gap), min(whole.to, table.Now()+1); from < to; from, to = to, to.Add(gap) {
		n := len(all)
		for _, name := range []string{views, events} {
			err := r.each(ctx, table, name, from, to, func(e model.Event) { all = append(all, e) })
			if err != nil {
				return nil, err
			}
			if len(all) > maxRecounted {
				return nil, r.tooMany()
			}
		}
		last := slices.ContainsFunc(all[n:], func(e model.Event) bool { return e.At >= to.Add(-gap) })
		if !last || to > table.Now() || to > whole.to.Add(r.sessions.Sessions.Follow) {
			break
		}
	}
	earlier, err := r.earlier(ctx, table, whole.from, all)
	if err != nil {
		return nil, err
	}
	return r.joined(append(earlier, all...)), nil
}

// each calls do with the events of a kind in a range, of people and, on request, imported ones.
func (r *recount) each(
	ctx context.Context, table *query.Service, name string, from, to model.Time, do func(model.Event),
) error {
	kind, ok := r.kinds.Kind(name)
	if !ok {
		return nil
	}
	for _, stream := range r.streams() {
		series := query.Series{Kind: kind, Subject: r.Site, Stream: stream}
		q := query.History{Series: series, From: from, To: to, Limit: maxRecounted + 1}
		for e, err := range table.EachEvent(ctx, q) {
			if err != nil {
				return err
			}
			do(e)
		}
	}
	return nil
}

// check returns an error if events of a range may have expired, or are too many.
func (r *recount) check(ctx context.Context, table *query.Service, whole span) error {
	kind, ok := r.kinds.Kind(views)
	if !ok {
		return refuse("the table has no kind %s", views)
	}
	kept := table.EventsCompleteFrom(kind).Add(r.sessions.Sessions.Gap)
	if whole.from < kept {
		if young, err := r.beganAfter(ctx, table, kept); err != nil {
			return err
		} else if !young {
			return refuse("%s: counted from events, which are complete since %s: begin the range there, or "+
				"ask for what rollups have of all visitors or of one dimension",
				r.what(), kept.Time().In(whole.zone).Format(time.RFC3339))
		}
	}
	total, err := table.RangeTotal(ctx,
		query.Rollups{Series: query.Series{Kind: kind, Subject: r.Site}, From: whole.from, To: whole.to})
	if whole.from < kept {
		r.progress = unlisted(total.Progress, kept) // by the list of series, the site began later
	}
	if err == nil && total.Summary.Events() > maxRecounted {
		err = r.tooMany()
	}
	return err
}

func (r *recount) tooMany() error {
	return refuse("%s: counted from events, and the range has more than %d: ask for a shorter one",
		r.what(), maxRecounted)
}

// what names the query for messages.
func (r *recount) what() string {
	names := append(slices.Clone(r.Metrics), r.Dimensions...)
	return strings.Join(names, ", ")
}
