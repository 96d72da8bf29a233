package alert

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// storedAlerts are alerts as they were read, by id.
type storedAlerts map[string]*storage.Alert

// startRuns starts each run within the violation that is open at its start. For runs that
// test events again, it reads the alerts from there on.
func (e *evaluation) startRuns(ctx context.Context, runs []*ruleRun) (storedAlerts, error) {
	stored := storedAlerts{}
	var from *model.Order
	for _, r := range runs {
		if err := e.startAtEvent(ctx, r); err != nil {
			return nil, err
		}
		if r.retest && (from == nil || r.from.Before(*from)) {
			from = &r.from
		}
		if err := e.startRun(ctx, r); err != nil {
			return nil, err
		}
		if err := e.recall(ctx, r); err != nil {
			return nil, err
		}
	}
	if from == nil {
		return stored, nil
	}
	request := e.listAlerts(false)
	request.After = itemop.Position{Key: keyBefore(e.series.Subject, from.At)}
	return stored, e.eachItem(ctx, request, func(it item.Item) (bool, error) {
		a, err := item.Alert(it)
		if err == nil && a.Series == e.series {
			stored[a.ID] = &a
		}
		return true, err
	})
}

// startRun starts r within the violation that is open at its start. The state has the violation that is open
// at the tested position; a violation that has ended since is found among the alerts.
func (e *evaluation) startRun(ctx context.Context, r *ruleRun) error {
	switch open := r.state.Open; {
	case r.isNew, r.rule.Test == storage.TestSilence:
		return nil
	case open != nil && (r.afterFrom || open.Raised.Before(r.from)):
		r.carry(open.Alert, open.Raised)
		return nil
	case r.afterFrom || !r.retest || e.retestFrom == nil:
		return nil
	}
	request := e.listAlerts(true)
	request.After = itemop.Position{Key: tablekeys.Alert(e.series.Subject, lastID(r.from.At).String())}
	return e.eachItem(ctx, request, func(it item.Item) (bool, error) {
		a, err := item.Alert(it)
		if err != nil {
			return false, err
		}
		if a.Series != e.series || a.Rule != r.rule.ID() || a.Withdrawn != "" || !a.Raised.Before(r.from) {
			return true, nil
		}
		if a.Recovered == nil || !a.Recovered.Order().Before(r.from) {
			r.carry(a.ID, a.Raised)
		}
		return false, nil // the violations of a rule do not overlap: no earlier one is open
	})
}

// readCarried reads the alerts of carried violations that have ended or must be compared.
func (e *evaluation) readCarried(ctx context.Context, runs []*ruleRun, end model.Order,
	stored storedAlerts) error {
	for _, r := range runs {
		all := r.violationsUntil(end)
		if len(all) == 0 || !all[0].carried || stored[all[0].alert] != nil || all[0].recovered == nil && !r.retest {
			continue
		}
		a, err := e.readAlert(ctx, e.series.Subject, all[0].alert)
		if err != nil {
			return err
		}
		if a != nil {
			stored[a.ID] = a
		}
	}
	return nil
}

// listAlerts returns the request for the alerts of the subject.
func (e *evaluation) listAlerts(newest bool) itemop.ListRequest {
	return itemop.ListRequest{Partition: keys.SubjectPartition(e.series.Subject), Prefix: tablekeys.AlertPrefix,
		Newest: newest}
}

// keyBefore returns the key directly before the alerts of a time and later.
func keyBefore(s model.Subject, at model.Time) keys.Key {
	id := firstID(at)
	for i := len(id) - 1; i >= 0; i-- { // subtract one
		id[i]--
		if id[i] != 0xFF {
			break
		}
	}
	if at <= 0 {
		id = firstID(0)
	}
	return tablekeys.Alert(s, id.String())
}
