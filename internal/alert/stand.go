package alert

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// prepare has the runs begin within the violation that lasts where they begin, and reads
// the alerts that stand from there on, where they are to be compared.
func (l *look) prepare(ctx context.Context, runs []*run) (standing, error) {
	stand := standing{}
	var from *model.Order
	for _, r := range runs {
		if r.again && (from == nil || r.from.Before(*from)) {
			from = &r.from
		}
		if err := l.begin(ctx, r); err != nil {
			return nil, err
		}
	}
	if from == nil {
		return stand, nil
	}
	within := l.alerts(false)
	within.After = table.Place{Key: before(l.series.Subject, from.At)}
	return stand, l.eachItem(ctx, within, func(it item.Item) (bool, error) {
		a, err := item.Alert(it)
		if err == nil && a.Series == l.series {
			stand[a.ID] = &a
		}
		return true, err
	})
}

// begin carries the violation that lasts where r begins. The state knows the one that
// lasts where it was tested last; one that ended since is found among the alerts.
func (l *look) begin(ctx context.Context, r *run) error {
	switch open := r.state.Open; {
	case r.isNew:
		return nil
	case open != nil && (r.after || open.Raised.Before(r.from)):
		r.carry(open.Alert, open.Raised)
		return nil
	case r.after || !r.again || l.force == nil:
		return nil
	}
	within := l.alerts(true)
	within.After = table.Place{Key: keys.Alert(l.series.Subject, greatest(r.from.At).String())}
	return l.eachItem(ctx, within, func(it item.Item) (bool, error) {
		a, err := item.Alert(it)
		if err != nil {
			return false, err
		}
		if a.Series != l.series || a.Rule != r.rule.ID() || a.Withdrawn != "" || !a.Raised.Before(r.from) {
			return true, nil
		}
		if a.Recovered == nil || !a.Recovered.Order().Before(r.from) {
			r.carry(a.ID, a.Raised)
		}
		return false, nil // violations of a rule follow each other: none before it lasts
	})
}

// readCarried reads the alerts of carried violations that ended, or are compared.
func (l *look) readCarried(ctx context.Context, runs []*run, end model.Order, stand standing) error {
	for _, r := range runs {
		cut := r.until(end)
		if len(cut) == 0 || !cut[0].carried || stand[cut[0].alert] != nil || cut[0].recovered == nil && !r.again {
			continue
		}
		a, err := l.Service.get(ctx, l.series.Subject, cut[0].alert)
		if err != nil {
			return err
		}
		if a != nil {
			stand[a.ID] = a
		}
	}
	return nil
}

// alerts lists those of the subject.
func (l *look) alerts(newest bool) table.Listing {
	return table.Listing{Partition: keys.SubjectPartition(l.series.Subject), Prefix: keys.AlertPrefix, Newest: newest}
}

// before is the place just before the alerts of a time and later.
func before(s model.Subject, at model.Time) keys.Key {
	id := least(at)
	for i := len(id) - 1; i >= 0; i-- { // the id before the least
		id[i]--
		if id[i] != 0xFF {
			break
		}
	}
	if at <= 0 {
		id = least(0)
	}
	return keys.Alert(s, id.String())
}

// get reads an alert; nil where there is none, as of what cannot be the id of one.
func (s *Service) get(ctx context.Context, subject model.Subject, id string) (*model.Alert, error) {
	k := keys.Alert(subject, id)
	if k.Check() != nil {
		return nil, nil
	}
	it, err := s.Store.GetItem(ctx, k)
	if err != nil || it == nil {
		return nil, err
	}
	a, err := item.Alert(it)
	if err != nil {
		return nil, err
	}
	return &a, nil
}
