package alert

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A rule of silence is violated between two events that are its duration or more apart, and after the newest
// event when the table is known that long after it. Late events count: an event says that its sender was
// there, whenever it arrives. So a late event is handled as a correction is, and events are tested again from
// the one before it. A run always starts at an event, and needs no violation or memory from before.

// testSilence tests one event, late or not, and reports whether a silence ends with it.
func (r *ruleRun) testSilence(e *model.Event) (changed bool) {
	if !r.covers(e.Order) {
		return false
	}
	now := storage.Moment{At: e.At, Event: e.ID}
	if last := r.memory.Last; last != nil && e.At >= r.rule.From {
		gap := e.At.Sub(r.end(last.At))
		if changed = gap >= time.Duration(r.rule.For); changed {
			v := r.silenceAfter(e.Series, last)
			v.recovered = &storage.Moment{At: e.At, Event: e.ID, Value: seconds(gap)}
			r.violations = append(r.violations, v)
		}
	}
	r.memories = append(r.memories, memoryAt{e.Order, r.memory})
	r.memory = storage.RuleMemory{Last: &now}
	return changed
}

func (r *ruleRun) silenceAfter(series model.Series, last *storage.Moment) violation {
	return violation{
		alert: alertID(series, last.Order(), r.rule.ID()), raised: last.Order(),
		value: seconds(time.Duration(r.rule.For)),
	}
}

// testSilenceNow begins a violation after the newest event if the table is known long enough after it, or was
// when its stored alert was raised.
func (e *evaluation) testSilenceNow(runs []*ruleRun, stored storedAlerts) {
	for _, r := range runs {
		last := r.memory.Last
		if r.rule.Test != storage.TestSilence || last == nil {
			continue
		}
		v := r.silenceAfter(e.series, last)
		a := stored[v.alert]
		known := e.through != nil && *e.through >= r.end(last.At).Add(time.Duration(r.rule.For))
		if known || a != nil && a.Withdrawn == "" && a.Recovered == nil {
			r.violations = append(r.violations, v)
		}
	}
}

func seconds(d time.Duration) model.Decimal {
	n, _ := model.ParseDecimal(strconv.FormatFloat(d.Seconds(), 'f', -1, 64)) // of milliseconds: exact
	return n
}

// setSilenceStart sets where a run of silence starts: at its latest event, or at the event before a change.
func (e *evaluation) setSilenceStart(r *ruleRun) {
	again := r.state.Tested.Before(r.state.MaxTested) || e.lostPasses > 0
	switch from := e.silenceFrom; {
	case r.isNew:
		r.from, r.lookBack = model.Order{At: r.rule.From}, true
	case from != nil && !r.state.Tested.Before(*from):
		r.from, r.lookBack = *from, true
		r.forced, again = true, true
	case r.state.Last == nil:
		r.from, r.lookBack = r.state.Tested, true
	default:
		r.from = r.state.Last.Order()
	}
	r.retest = again || r.state.Open != nil
	r.comparesOpen = r.retest && !again
}

// startAtEvent moves the start of a run back to the event before it. Of the events before the start of the
// rule only the newest matters.
func (e *evaluation) startAtEvent(ctx context.Context, r *ruleRun) error {
	if !r.lookBack {
		return nil
	}
	if start := (model.Order{At: r.rule.From}); r.from.Before(start) {
		newest, err := e.newestBefore(ctx, start)
		if err != nil {
			return err
		}
		if newest != nil && r.from.Before(*newest) {
			r.from = *newest
			return nil
		}
	}
	before, err := e.newestBefore(ctx, r.from)
	if before != nil {
		r.from = *before
	}
	return err
}

// newestBefore returns the newest event before a position, late or not; nil if there is none.
func (e *evaluation) newestBefore(ctx context.Context, at model.Order) (*model.Order, error) {
	for event, err := range e.eventsBefore(ctx, model.MinTime, at) {
		if err != nil {
			return nil, err
		}
		return &event.Order, nil
	}
	return nil, nil
}

// recheckSilent is how long after a check a silent series is looked at again, at most: it may have sent an
// event with an old time. So is one whose newest event may have been deleted.
const recheckSilent = 5 * time.Minute

// maxSilent is the most series of a subject type that one call of FindSilent reads. The next call goes on
// behind them.
const maxSilent = 5000

// listPosition is a place in the list of series of a subject type: behind an item of a shard.
type listPosition struct {
	shard int
	after keys.Key
}

// FindSilent evaluates the series for which a rule of silence is due, by the time through which the table
// stream is processed: while the stream is behind, no silence is found. Run it on a schedule. Between the
// calls of a process, it remembers until when each series cannot be silent.
func (s *Service) FindSilent(ctx context.Context) (err error) {
	if s.Stream == nil {
		return nil
	}
	var known *progress
	for _, of := range s.Catalog.Subjects() {
		set, failure := s.loadRuleSet(ctx, of.Name, false)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		if !set.hasSilence() {
			continue
		}
		if known == nil {
			read, failure := s.progress(ctx)
			if failure != nil {
				return errors.Join(err, failure)
			}
			known = &read
		}
		err = errors.Join(err, s.findSilentSeries(ctx, of.Name, set, *known))
	}
	return err
}

func (s *Service) findSilentSeries(
	ctx context.Context, subjectType string, set *ruleSet, known progress,
) error {
	at := s.takeRest(subjectType)
	read, most := 0, cmp.Or(s.maxSilent, maxSilent)
	for ; at.shard < tablekeys.SeriesShards && read <= most; at = (listPosition{shard: at.shard + 1}) {
		l := itemop.ListRequest{
			Partition: tablekeys.SeriesPartition(subjectType, at.shard), After: itemop.Position{Key: at.after},
		}
		err := s.eachItem(ctx, l, func(it item.Item) (bool, error) {
			listed, err := item.ListedSeries(it)
			span := set.shortestSilence(listed.Series)
			kind, _ := s.Catalog.Kind(listed.Series.Kind)
			through := known.through(kind)
			due := s.readingEnd(listed.Series, listed.Last).Add(span)
			if err != nil || span == 0 || listed.NewestInLast() && due > through ||
				s.notDue(listed, through) {
				return true, nil
			}
			if read++; read > most {
				s.leaveRest(subjectType, at)
				return false, nil
			}
			at.after = it.Key()
			return true, s.checkSilence(ctx, listed.Series, span, through)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeRest returns where the last call for a subject type stopped; the zero position if it came to the end.
func (s *Service) takeRest(subjectType string) listPosition {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.rest[subjectType]
	delete(s.rest, subjectType)
	return at
}

func (s *Service) leaveRest(subjectType string, at listPosition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest == nil {
		s.rest = map[string]listPosition{}
	}
	s.rest[subjectType] = at
}

// checkSilence evaluates a series if its newest event is long enough ago, and remembers when the next check
// is due.
func (s *Service) checkSilence(
	ctx context.Context, series model.Series, span time.Duration, through model.Time,
) error {
	latest, err := s.readings(series).Latest(ctx, series, true)
	if err != nil || latest == nil || !latest.Ordered || latest.PurgeLocked {
		return err
	}
	check := silenceCheck{at: through, due: latest.At.Add(span)}
	if check.due <= through || s.groupKind(series.Kind) != nil { // the newest row of a group may be empty
		_, err = s.evaluateSeries(ctx, &touchedSeries{series: series, through: &through})
		check.due = through.Add(min(span, recheckSilent))
	}
	if isPermanent(err) {
		err = nil // damaged data is reported with the next event
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.checks == nil {
			s.checks = map[model.Series]silenceCheck{}
		}
		s.checks[series] = check
	}
	return err
}

// silenceCheck is when a series was looked at, and when it is due by the newest event that it had then.
type silenceCheck struct{ at, due model.Time }

// notDue reports whether a series cannot be silent yet, or was looked at moments ago. Where its newest event
// may have been deleted since, it may be silent at once.
func (s *Service) notDue(listed storage.ListedSeries, through model.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	check, known := s.checks[listed.Series]
	if !listed.NewestInLast() {
		check.due = min(check.due, check.at.Add(recheckSilent))
	}
	return known && through < check.due
}

func (b *ruleSet) hasSilence() bool {
	for i := range b.rules {
		if b.rules[i].Test == storage.TestSilence && b.rules[i].RemovedAt == 0 {
			return true
		}
	}
	return false
}

// shortestSilence returns the shortest duration of the rules of silence for a series; 0 if there is none.
func (b *ruleSet) shortestSilence(series model.Series) (shortest time.Duration) {
	for i := range b.rules {
		r := &b.rules[i]
		if r.Test != storage.TestSilence || r.RemovedAt != 0 || !r.Matches(series) {
			continue
		}
		if span := time.Duration(r.For); shortest == 0 || span < shortest {
			shortest = span
		}
	}
	return shortest
}
