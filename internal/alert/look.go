package alert

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// look brings the alerts of a series up to date with its events.
type look struct {
	*Service
	series model.Series
	book   *book
	// force is the earliest event that was deleted or corrected: what was tested from
	// there on is tested again. nil where all changes are inserts, and once that is done.
	force *model.Order
	// always has the state written whatever is found, so that a look which read before
	// loses.
	always bool
	// lost counts passes that lost: then alerts may stand that this look did not read.
	lost int

	state model.AlertState // as it was read last
	met   map[model.Order]bool
	did   Counts
	told  []model.Notice // what is to be told of what was written
}

// The bounds of one pass.
const (
	// mostChanges are written by one transaction, and at most 2*MaxRules more, which one
	// event can turn all at once: each takes two items, the state one.
	mostChanges = 16
	// mostEndings are the removed rules that one transaction sees to.
	mostEndings = 8
	// stretch is how many events may lie behind current before the state is moved though
	// nothing changed: about as many as one read unit reads, which costs a fifth of the
	// write.
	stretch = 16
)

// run is one look, pass after pass, until the state that stands has seen every change.
func (l *look) run(ctx context.Context) error {
	for more := true; more; {
		err := l.insist(ctx, func(ctx context.Context) (answer model.Answer, err error) {
			answer, more, err = l.pass(ctx)
			if err != nil || answer != model.Written {
				l.lost++
			}
			return answer, err
		})
		if err != nil {
			return fmt.Errorf("test the rules of %s: %w", l.series, err)
		}
	}
	return nil
}

// pass reads state, then current, then events, and writes what follows. The order is
// the proof: what current shows is committed, and whatever is written after the state
// was read loses if somebody wrote that since.
func (l *look) pass(ctx context.Context) (_ model.Answer, more bool, _ error) {
	rules, err := l.read(ctx)
	if err != nil {
		return model.Uncertain, false, err
	}
	current, err := l.Store.Current(ctx, l.series, true)
	if err != nil {
		return model.Uncertain, false, err
	}
	if current == nil || !current.Ordered || current.Fenced {
		return model.Written, false, nil // nothing was applied, or all of it is being purged
	}
	runs, removed := l.runs(rules)
	if len(runs)+len(removed) == 0 && !l.always {
		return model.Written, false, nil
	}
	left := len(removed) > mostEndings
	removed = removed[:min(len(removed), mostEndings)]
	stand, err := l.prepare(ctx, runs)
	if err != nil {
		return model.Uncertain, false, err
	}
	end, events, err := l.test(ctx, runs, current.Order)
	if err != nil {
		return model.Uncertain, false, err
	}
	if err := l.readCarried(ctx, runs, end, stand); err != nil {
		return model.Uncertain, false, err
	}
	changes := l.changes(runs, end, stand)
	if at, short := cut(changes, mostChanges); short {
		end, changes = at, l.changes(runs, at, stand)
	}
	if len(changes)+len(removed) == 0 && events < stretch && l.mayRest(runs) {
		return model.Written, false, nil
	}
	answer, err := l.write(ctx, runs, removed, changes, end)
	if err == nil && answer == model.Written {
		l.force, l.always, l.lost = stillForced(runs, end), false, 0
		return answer, left || end.Before(current.Order), nil
	}
	return answer, true, err
}

// stillForced is where testing again begins for the runs that a pass did not come to,
// since it ended before them: their states do not say that they are to be tested again.
// nil where it came to all; those go on from where it ended.
func stillForced(runs []*run, end model.Order) (from *model.Order) {
	for _, r := range runs {
		if r.forced && end.Before(r.from) && (from == nil || r.from.Before(*from)) {
			from = &r.from
		}
	}
	return from
}

// mayRest reports whether the state may stay as it is where nothing changes: only after
// inserts, and where everything that alerts stand for has been tested.
func (l *look) mayRest(runs []*run) bool {
	again := slices.ContainsFunc(runs, func(r *run) bool { return r.again })
	return !again && l.force == nil && !l.always
}

// read reads the rules that are about the series, and its state.
func (l *look) read(ctx context.Context) (rules []model.Rule, err error) {
	l.state = model.AlertState{Series: l.series}
	for _, r := range l.book.rules {
		if r.Of(l.series) {
			rules = append(rules, r)
		}
	}
	within := table.Listing{Partition: keys.SubjectPartition(l.series.Subject), Prefix: keys.RulesPrefix(l.series.Kind)}
	err = l.eachItem(ctx, within, func(it item.Item) (bool, error) {
		at, err := keys.ParseRule(it.Key())
		switch {
		case err != nil: // somebody else's
			return true, nil
		case at.State && at.Stream == l.series.Stream:
			l.state, err = item.AlertState(it)
		case at.Rule != "":
			var r model.Rule
			if r, err = item.Rule(it); err == nil && r.Of(l.series) {
				rules = append(rules, r)
			}
		}
		return true, err
	})
	return rules, err
}

// runs are those of the rules that stand, each from where it was tested last, and the
// states of those that were removed.
func (l *look) runs(rules []model.Rule) (runs []*run, removed []ending) {
	for i := range rules {
		r := &run{rule: &rules[i]}
		at := slices.IndexFunc(l.state.Rules, func(s model.RuleState) bool { return s.Rule == rules[i].ID() })
		r.isNew = at < 0
		if !r.isNew {
			r.state = l.state.Rules[at]
		}
		switch {
		case r.rule.RemovedAt != 0 && !r.isNew:
			removed = append(removed, ending{r.rule, r.state.Open})
		case r.rule.RemovedAt == 0:
			l.place(r)
			runs = append(runs, r)
		}
	}
	return runs, removed
}

// place says where a run begins.
func (l *look) place(r *run) {
	begin := model.Order{At: r.rule.From}
	switch {
	case r.isNew:
		r.from = begin
	case l.force != nil && !r.state.Tested.Before(*l.force):
		r.from, r.again, r.forced = *l.force, true, true
		if r.from.Before(begin) {
			r.from = begin
		}
	default:
		r.from, r.after = r.state.Tested, true
		r.again = r.state.Tested.Before(r.state.Reach)
	}
	r.again = r.again || l.lost > 0
}

// test has the runs take the events up to a place, and answers where they ended: earlier
// where more happened than is written at once. How many events lay there is counted.
func (l *look) test(ctx context.Context, runs []*run, to model.Order) (end model.Order, events int, _ error) {
	l.met = map[model.Order]bool{}
	if len(runs) == 0 {
		return to, 0, nil
	}
	from := runs[0].from
	for _, r := range runs {
		if r.from.Before(from) {
			from = r.from
		}
	}
	turns, q := 0, model.Range{Series: l.series, From: from.At, To: to.At + 1, Consistent: true}
	for {
		page, err := l.Store.Events(ctx, q)
		if err != nil {
			return end, 0, err
		}
		for i := range page.Events {
			e := &page.Events[i]
			if e.Late || e.Unreadable || to.Before(e.Order) {
				continue
			}
			if !from.Before(e.Order) && !slices.ContainsFunc(runs, func(r *run) bool { return r.tests(e.Order) }) {
				continue
			}
			events++
			l.met[e.Order] = true
			for _, r := range runs {
				if r.take(e) {
					turns++
				}
			}
			if turns > 2*mostChanges {
				return e.Order, events, nil
			}
		}
		if q.After = page.Next; q.After == "" {
			return to, events, nil
		}
	}
}

// changes are those of all runs, up to end.
func (l *look) changes(runs []*run, end model.Order, stand standing) (all []change) {
	for _, r := range runs {
		if !end.Before(r.from) {
			all = append(all, r.changes(l.series, end, stand, l.met)...)
		}
	}
	return all
}
