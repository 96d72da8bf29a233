package alert

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ending is a rule that was removed, and the alert that it leaves open.
type ending struct {
	rule *model.Rule
	open *model.OpenViolation
}

// write stores state and alerts, and what is to be told of them, by one transaction.
func (l *look) write(ctx context.Context, runs []*run, removed []ending, changes []change, end model.Order) (model.Answer, error) {
	for _, e := range removed {
		c, ended, err := l.end(ctx, e)
		if err != nil {
			return model.Uncertain, err
		}
		if ended {
			changes = append(changes, c)
		}
	}
	next := model.AlertState{Series: l.series, Rules: l.next(runs, removed, end)}
	var err error
	if next.Rev, err = l.nonce(); err != nil {
		return model.Uncertain, err
	}
	puts := []table.Put{{Item: item.FromAlertState(&next), When: asRead(l.state.Rev)}}
	told := make([]model.Notice, 0, len(changes))
	for _, c := range changes {
		notice, both, err := l.putAlert(&c)
		if err != nil {
			return model.Uncertain, err
		}
		told, puts = append(told, notice), append(puts, both...)
	}
	answer, err := l.Store.PutAll(ctx, puts)
	if err == nil && answer == model.Written {
		l.told = append(l.told, told...)
		l.did.wrote(changes)
	}
	return answer, err
}

// next is the state of the rules once everything up to end is written. That of a rule
// which is not known here stays: a process that has read the rules later tests it.
func (l *look) next(runs []*run, removed []ending, end model.Order) []model.RuleState {
	rules := slices.DeleteFunc(slices.Clone(l.state.Rules), func(s model.RuleState) bool {
		return slices.ContainsFunc(removed, func(e ending) bool { return e.rule.ID() == s.Rule })
	})
	for _, r := range runs {
		if end.Before(r.from) {
			continue
		}
		at := slices.IndexFunc(rules, func(s model.RuleState) bool { return s.Rule == r.rule.ID() })
		if at < 0 {
			rules = append(rules, r.stateAt(end))
		} else {
			rules[at] = r.stateAt(end)
		}
	}
	return rules
}

// end is the alert that a removed rule leaves open, as it shall stand.
func (l *look) end(ctx context.Context, e ending) (c change, ended bool, _ error) {
	if e.open == nil {
		return change{}, false, nil
	}
	a, err := l.get(ctx, l.series.Subject, e.open.Alert)
	if err != nil || a == nil || a.Status() != model.AlertOpen {
		return change{}, false, err
	}
	a.Ended = &model.Ending{At: e.rule.RemovedAt, Reason: e.rule.Reason}
	return change{alert: *a, what: model.AlertEnded}, true, nil
}

// putAlert are the alert as it shall stand, on condition that it is as it was read, and
// the notice of it.
func (s *Service) putAlert(c *change) (model.Notice, []table.Put, error) {
	now := s.Now()
	read, a := c.alert.Rev, c.alert
	var err error
	if a.Rev, err = s.nonce(); err != nil {
		return model.Notice{}, nil, err
	}
	a.ExpiresAt = s.expiry(&a, now)
	notice := model.Notice{Alert: a, Change: c.what, At: now}
	return notice, []table.Put{
		{Item: stored(&a), When: asRead(read)},
		{Item: storedNotice(&notice), When: table.Condition{{Op: table.Free}}},
	}, nil
}
