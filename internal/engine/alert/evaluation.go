package alert

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// evaluation brings the alerts of one series up to date with its events. It uses the
// store, the clock and the retries of the Service that it embeds.
type evaluation struct {
	*Service
	series model.Series
	rules  *ruleSet
	// retestFrom is the earliest event that was deleted or corrected: the events from
	// there on are tested again. It is nil if there is none, and after that is done.
	retestFrom *model.Order
	// silenceFrom is the same for rules of silence, for which late events count too.
	silenceFrom *model.Order
	// through is the time through which the table is known; nil if this evaluation finds no silence.
	through *model.Time
	// alwaysWrite makes the evaluation write the state even if nothing changes, so that
	// every evaluation that read the state before fails its precondition.
	alwaysWrite bool
	// lostPasses counts passes whose write was not stored. After one, alerts may exist
	// that this evaluation has not read.
	lostPasses int

	state         storage.AlertState   // as last read
	seen          map[model.Order]bool // events read in this pass
	counts        Counts
	notifications []storage.Notification // stored by this evaluation
}

// The limits of one pass.
const (
	// maxChanges is the largest number of alerts that one transaction writes, except for
	// at most 2*MaxRules more, because one event can change the alerts of all rules. Each
	// alert takes two items, and the state takes one.
	maxChanges = 16
	// maxRemovedRules is the largest number of removed rules that one transaction handles.
	maxRemovedRules = 8
	// stateInterval is how many events the tested position may be behind the latest item
	// if no alert changes. It is about the number of events that one read unit reads;
	// reading them again costs a fifth of writing the state.
	stateInterval = 16
)

// run runs passes until the stored state includes every change.
func (e *evaluation) run(ctx context.Context) error {
	for more := true; more; {
		err := e.retryPass(ctx, func(ctx context.Context) (result storage.WriteResult, err error) {
			result, more, err = e.pass(ctx)
			if err != nil || result != storage.Written {
				e.lostPasses++
			}
			return result, err
		})
		if err != nil {
			return fmt.Errorf("evaluate the rules of %s: %w", e.series, err)
		}
	}
	return nil
}

// pass reads the state, then the latest item, then the events, and writes the result. The order matters: the
// events up to the latest item are committed, and the write fails if another process has written the state
// since it was read. more reports whether another pass is needed.
func (e *evaluation) pass(ctx context.Context) (_ storage.WriteResult, more bool, _ error) {
	rules, err := e.readRules(ctx)
	if err != nil {
		return storage.Unknown, false, err
	}
	latest, err := e.readings(e.series).Latest(ctx, e.series, true)
	if err != nil {
		return storage.Unknown, false, err
	}
	if latest == nil || !latest.Ordered || latest.PurgeLocked {
		return storage.Written, false, nil // no applied events, or they are being purged
	}
	runs, removed := e.runs(rules)
	if len(runs)+len(removed) == 0 && !e.alwaysWrite {
		return storage.Written, false, nil
	}
	left := len(removed) > maxRemovedRules
	removed = removed[:min(len(removed), maxRemovedRules)]
	tested, err := e.test(ctx, runs, latest.Order)
	if err != nil {
		return storage.Unknown, false, err
	}
	if len(tested.changes)+len(removed) == 0 && tested.events < stateInterval && e.canSkipWrite(runs) {
		return storage.Written, false, nil
	}
	result, err := e.write(ctx, runs, removed, tested.changes, tested.end)
	if err == nil && result == storage.Written {
		e.retestFrom = remainingRetest(runs, tested.end, false)
		e.silenceFrom = remainingRetest(runs, tested.end, true)
		e.alwaysWrite, e.lostPasses = false, 0
		return result, left || tested.end.Before(latest.Order), nil
	}
	return result, true, err
}

// testResult is what one pass found.
type testResult struct {
	end     model.Order // the events up to here are tested
	events  int         // that were read
	changes []change    // of the alerts, up to end
}

// test tests the events of runs up to the latest one, or up to an earlier one from which on the changes would
// not fit in one transaction.
func (e *evaluation) test(ctx context.Context, runs []*ruleRun, latest model.Order) (
	t testResult, err error) {
	stored, err := e.startRuns(ctx, runs)
	if err != nil {
		return t, err
	}
	if t.end, t.events, err = e.testEvents(ctx, runs, latest); err != nil {
		return t, err
	}
	if t.end == latest {
		e.testSilenceNow(runs, stored)
	}
	if err := e.readCarried(ctx, runs, t.end, stored); err != nil {
		return t, err
	}
	t.changes = e.changes(runs, t.end, stored)
	if at, tooMany := cutAt(t.changes, maxChanges); tooMany {
		t.end = at
		t.changes = e.changes(runs, at, stored)
	}
	return t, nil
}

// remainingRetest returns where the next pass must test events again, for runs that start
// after the end of this pass. Their states do not contain this. It returns nil if all runs
// have started; those continue from the end of this pass.
func remainingRetest(runs []*ruleRun, end model.Order, silence bool) (from *model.Order) {
	for _, r := range runs {
		if silence == (r.rule.Test == storage.TestSilence) && r.forced && end.Before(r.from) &&
			(from == nil || r.from.Before(*from)) {
			from = &r.from
		}
	}
	return from
}

// canSkipWrite reports whether the state need not be written if no alert changes: only
// after inserts, and if everything up to the furthest tested event has been tested again.
func (e *evaluation) canSkipWrite(runs []*ruleRun) bool {
	mustWrite := slices.ContainsFunc(runs, func(r *ruleRun) bool {
		return r.retest && !r.comparesOpen || e.silenceFrom != nil && r.rule.Test == storage.TestSilence
	})
	return !mustWrite && e.retestFrom == nil && !e.alwaysWrite
}

// readRules returns the rules that apply to the series, and reads its state.
func (e *evaluation) readRules(ctx context.Context) (rules []storage.Rule, err error) {
	e.state = storage.AlertState{Series: e.series}
	rules = lists.Filter(e.rules.rules, func(r storage.Rule) bool { return r.Matches(e.series) })
	request := itemop.ListRequest{Partition: keys.SubjectPartition(e.series.Subject),
		Prefix: tablekeys.RulesPrefix(e.series.Kind)}
	err = e.eachItem(ctx, request, func(it item.Item) (bool, error) {
		key, err := tablekeys.ParseRule(it.Key())
		switch {
		case err != nil: // an item of another program
			return true, nil
		case key.State && key.Stream == e.series.Stream:
			e.state, err = item.AlertState(it)
		case key.Rule != "":
			var r storage.Rule
			if r, err = item.Rule(it); err == nil && r.Matches(e.series) {
				rules = append(rules, r)
			}
		}
		return true, err
	})
	return rules, err
}

// runs returns a run for each active rule, and the removed rules that have a state.
func (e *evaluation) runs(rules []storage.Rule) (runs []*ruleRun, removed []removedRule) {
	for i := range rules {
		r := &ruleRun{rule: &rules[i], unit: e.unit(&rules[i])}
		r.end = func(at model.Time) model.Time { return e.readingEnd(e.series, at) }
		at := slices.IndexFunc(e.state.Rules, func(s storage.RuleState) bool { return s.Rule == rules[i].ID() })
		r.isNew = at < 0
		if !r.isNew {
			r.state = e.state.Rules[at]
		}
		switch {
		case r.rule.RemovedAt != 0 && !r.isNew:
			removed = append(removed, removedRule{r.rule, r.state.Open})
		case r.rule.RemovedAt == 0:
			e.setStart(r)
			runs = append(runs, r)
		}
	}
	return runs, removed
}

// setStart sets where a run starts: at the start of a new rule, at the deletion or
// correction, or after the last tested event.
func (e *evaluation) setStart(r *ruleRun) {
	if r.rule.Test == storage.TestSilence {
		e.setSilenceStart(r)
		return
	}
	ruleStart := model.Order{At: r.rule.From}
	switch {
	case r.isNew:
		r.from = ruleStart
	case e.retestFrom != nil && !r.state.Tested.Before(*e.retestFrom):
		r.from = *e.retestFrom
		r.retest = true
		r.forced = true
		if r.from.Before(ruleStart) {
			r.from = ruleStart
		}
	default:
		r.from, r.afterFrom = r.state.Tested, true
		r.memory = r.state.RuleMemory
		r.retest = r.state.Tested.Before(r.state.MaxTested)
	}
	r.retest = r.retest || e.lostPasses > 0
}

// changes returns the changes of all runs, up to end.
func (e *evaluation) changes(runs []*ruleRun, end model.Order, stored storedAlerts) (all []change) {
	for _, r := range runs {
		if !end.Before(r.from) {
			all = append(all, r.changes(e.series, end, stored, e.withdrawal)...)
		}
	}
	return all
}
