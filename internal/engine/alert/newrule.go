package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RuleLookback is how far before its addition a rule tests events, so that a new rule says at
// once which series violate it.
const RuleLookback = time.Hour

// newFor is how long the schedule tests a new rule of a type: until every process has read it.
const newFor = RuleCacheAge + 2*time.Minute

// maxTested is the most series that one call tests by a new rule of a type. Others are tested
// with their next event.
const maxTested = 1000

// errEnough ends a listing.
var errEnough = errors.New("enough")

// ruleStart returns the event time from which a new rule tests events.
func (s *Service) ruleStart(ctx context.Context, r *storage.Rule) (model.Time, error) {
	kind, _ := s.Catalog.Kind(r.Kind)
	start := s.Now().Add(-lookback(kind))
	if r.Subject == "" {
		return start, nil
	}
	var newest model.Time
	err := s.eachSeries(ctx, r, func(series model.Series) error {
		latest, err := s.readings(series).Latest(ctx, series, true)
		if latest != nil && latest.Ordered {
			newest = max(newest, latest.At)
		}
		if isPermanent(err) {
			return nil // another program's, or damaged: events decide
		}
		return err
	})
	if newest != 0 {
		start = min(start, newest)
	}
	return start, err
}

// eachSeries calls do with the series of a rule's subject that the rule matches: those that have latest
// items or, of a group, those in the list of series.
func (s *Service) eachSeries(ctx context.Context, r *storage.Rule, do func(model.Series) error) error {
	of := model.Subject{Type: r.SubjectType, ID: r.Subject}
	l := itemop.ListRequest{Partition: keys.SubjectPartition(of), Prefix: tablekeys.LatestPrefix}
	parse := func(it item.Item) (model.Series, error) { return keys.ParseLatest(it.Key()) }
	if s.groupKind(r.Kind) != nil {
		l.Partition, l.Prefix = tablekeys.SeriesEntries(of)
		parse = func(it item.Item) (model.Series, error) {
			listed, err := item.ListedSeries(it)
			return listed.Series, err
		}
	}
	return s.eachItem(ctx, l, func(it item.Item) (bool, error) {
		series, err := parse(it)
		if err != nil || !r.Matches(series) {
			return true, nil
		}
		return true, do(series)
	})
}

// testNewRule evaluates the series that a rule matches and that have events since its start.
func (s *Service) testNewRule(ctx context.Context, r *storage.Rule) error {
	if r.Subject != "" {
		return s.eachSeries(ctx, r, func(series model.Series) error { return s.testSeries(ctx, series) })
	}
	tested := 0
	for shard := range tablekeys.SeriesShards {
		l := itemop.ListRequest{Partition: tablekeys.SeriesPartition(r.SubjectType, shard)}
		err := s.eachItem(ctx, l, func(it item.Item) (bool, error) {
			listed, err := item.ListedSeries(it)
			if err != nil || !r.Matches(listed.Series) || listed.Last.Add(tier.Day24) < r.From {
				return true, nil // the list has the times of hours or days
			}
			if tested++; tested > maxTested {
				return false, errEnough
			}
			return true, s.testSeries(ctx, listed.Series)
		})
		if err != nil && !errors.Is(err, errEnough) {
			return fmt.Errorf("test series by rule %s: %w", r.ID(), err)
		}
	}
	return nil
}

func (s *Service) testSeries(ctx context.Context, series model.Series) error {
	_, err := s.evaluateSeries(ctx, &touchedSeries{series: series})
	if isPermanent(err) {
		return nil // damaged data is reported with the next event
	}
	return err
}

// TestNewRules evaluates the series of recently added rules of subject types: a process that
// has not read a new rule yet does not test it. Run it on a schedule.
func (s *Service) TestNewRules(ctx context.Context) (err error) {
	for _, of := range s.Catalog.Subjects() {
		set, failure := s.loadRuleSet(ctx, of.Name, false)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		for i := range set.rules {
			r := &set.rules[i]
			kind, _ := s.Catalog.Kind(r.Kind)
			if r.RemovedAt == 0 && s.Now() < r.From.Add(lookback(kind)+newFor) {
				err = errors.Join(err, s.testNewRule(ctx, r))
			}
		}
	}
	return err
}

// KnowsMeasure reports whether the measure of a rule is declared for its kind or, for a
// rule of one subject, is a number in a latest item to which the rule applies. A rule for
// any other measure is probably a typing error.
func (s *Service) KnowsMeasure(ctx context.Context, r storage.Rule) (known bool, err error) {
	kind, ok := s.Catalog.Kind(r.Kind)
	if !ok || r.Test == storage.TestSilence || kind.Declared(r.Measure) {
		return true, nil // AddRule rejects an undeclared kind
	}
	if kind.GroupsOf != "" {
		measure, figure := measureOfRows(r.Measure)
		return !figure || measure == "" || kind.Declared(measure), nil // AddRule rejects what is no figure
	}
	if r.Subject == "" {
		return false, nil
	}
	of := model.Subject{Type: r.SubjectType, ID: r.Subject}
	latest := itemop.ListRequest{Partition: keys.SubjectPartition(of), Prefix: tablekeys.LatestPrefix}
	err = s.eachItem(ctx, latest, func(it item.Item) (bool, error) {
		series, err := keys.ParseLatest(it.Key())
		if err == nil && r.Matches(series) {
			known = it[r.Measure].Type == item.N
		}
		return !known, nil
	})
	if err != nil {
		return false, fmt.Errorf("read the latest items of %s: %w", of, err)
	}
	return known, nil
}
