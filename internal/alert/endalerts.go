package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// endRemovedFor is how long open alerts of a removed rule are searched for: longer than
// any process can use the rule from its cache, plus a complete invocation.
const endRemovedFor = time.Hour

// recentlyRemoved reports whether a rule was removed within the last endRemovedFor.
func (s *Service) recentlyRemoved(r *entity.Rule) bool {
	return r.RemovedAt != 0 && s.Now() < r.RemovedAt.Add(endRemovedFor)
}

// endAlertsOf ends the open alerts of a removed rule.
//
// The rules of a subject are read together with the state that they advance. An evaluation
// of each series of the subject writes the state, so every evaluation that read the rule
// before fails its precondition. The rules of a type may be in the cache of other
// processes, which may raise alerts for a while; EndAlertsOfRemovedRules ends those.
func (s *Service) endAlertsOf(ctx context.Context, r *entity.Rule) error {
	if r.Subject == "" {
		_, err := s.endTypeAlerts(ctx, r)
		return err
	}
	subject := model.Subject{Type: r.SubjectType, ID: r.Subject}
	latest := table.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.LatestPrefix}
	return s.eachItem(ctx, latest, func(it item.Item) (bool, error) {
		series, err := keys.ParseLatest(it.Key())
		if err != nil || !r.Matches(series) {
			return true, nil
		}
		e := &evaluation{Service: s, series: series, rules: &ruleSet{}, alwaysWrite: true}
		return true, e.run(ctx)
	})
}

// EndAlertsOfRemovedRules ends the open alerts of recently removed rules, and returns how
// many it ended. Run it on a schedule.
func (s *Service) EndAlertsOfRemovedRules(ctx context.Context) (ended int, err error) {
	for _, of := range s.Catalog.Subjects() {
		set, failure := s.ruleSetOf(ctx, of.Name, true)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		for i := range set.rules {
			if r := &set.rules[i]; s.recentlyRemoved(r) {
				n, failure := s.endTypeAlerts(ctx, r)
				ended, err = ended+n, errors.Join(err, failure)
			}
		}
	}
	return ended, err
}

// endTypeAlerts ends the open alerts of a removed rule of a subject type.
func (s *Service) endTypeAlerts(ctx context.Context, r *entity.Rule) (ended int, _ error) {
	for shard := range indexShards {
		open := table.ListRequest{Index: keys.IndexGSI1, Partition: tablekeys.OpenPartition(r.Severity, shard)}
		err := s.eachItem(ctx, open, func(it item.Item) (bool, error) {
			a, err := item.Alert(it)
			if err != nil || a.Rule != r.ID() || !r.Matches(a.Series) {
				return true, nil
			}
			_, err = s.updateAlert(ctx, "end", a.Series.Subject, a.ID, func(a *entity.Alert) (entity.AlertChange, bool) {
				if a.Status() != entity.AlertOpen {
					return "", false
				}
				a.Ended = &entity.Ending{At: r.RemovedAt, Reason: r.Reason}
				ended++
				return entity.AlertChangeEnded, true
			})
			return true, err
		})
		if err != nil {
			return ended, fmt.Errorf("end the alerts of rule %s: %w", r.ID(), err)
		}
	}
	return ended, nil
}
