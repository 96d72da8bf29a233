package tableconfig

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Lead is how long before its first bucket a new tier is applied. By then every process has
// read the table's configuration again, and its last invocation under the old one has ended.
const Lead = time.Hour

// Next returns the configuration of the table after a declared kind is applied at now, and
// the changes that are refused. stored is nil if none was applied before: then the declared
// configuration is adopted as it is. maxAhead is how far event times may be ahead of now.
func Next(stored *storage.KindConfig, declared *catalog.Kind, now model.Time,
	maxAhead time.Duration) (storage.KindConfig, []config.Change) {
	if stored == nil {
		return adopted(declared), nil
	}
	refused := Refused(stored, declared, now)
	next := *stored
	next.SubjectType, next.Shards = declared.Subject.Name, declared.Shards
	next.Raw = declared.Retention.Raw
	next.LeastRaw = min(stored.LeastRaw, declared.Retention.LeastRawRetention())
	if !slices.ContainsFunc(stored.Tiers, func(t storage.TierConfig) bool { return t.Deferred }) {
		next.Jitter, next.LateEvery = declared.Retention.Jitter, declared.Retention.LateEvery
	}
	at := start{now: now, earliest: now.Add(Lead + maxAhead), events: eventsFrom(next.LeastRaw, now, maxAhead)}
	next.Tiers = nextTiers(stored.Tiers, declared.Retention.Tiers, at)
	change := fieldChange{now: now, version: max(now, fieldsAt(stored)+1)}
	next.Measures = change.next(stored.Measures, measureFields(declared))
	next.Dimensions = change.next(stored.Dimensions, dimensionFields(declared))
	next.Distinct = change.next(stored.Distinct, distinctFields(declared))
	return next, refused
}

// adopted returns the configuration of a table that was written under the declared one.
func adopted(k *catalog.Kind) storage.KindConfig {
	c := storage.KindConfig{
		Kind: k.Name, SubjectType: k.Subject.Name, Shards: k.Shards,
		OrderBy: k.OrderBy, OrderType: string(k.OrderType), Sessions: encodeSessions(k),
		Raw: k.Retention.Raw, LeastRaw: k.Retention.LeastRawRetention(), Jitter: k.Retention.Jitter,
		LateEvery: k.Retention.LateEvery, Measures: measureFields(k), Dimensions: dimensionFields(k),
		Distinct: distinctFields(k),
	}
	for _, t := range k.Retention.Tiers {
		c.Tiers = append(c.Tiers, newTier(t, t.From))
	}
	return c
}

// encodeSessions returns the declaration of sessions as it is stored.
func encodeSessions(k *catalog.Kind) json.RawMessage {
	if k.Sessions == nil {
		return nil
	}
	text, _ := json.Marshal(k.Sessions) // plain data: cannot fail
	return text
}

// nextTiers returns the tiers after declared ones are applied. A removed tier is kept, so
// that its least retention is known if it is declared again.
func nextTiers(stored []storage.TierConfig, declared []tier.Tier, at start) []storage.TierConfig {
	next := slices.Clone(stored)
	for i := range next {
		if next[i].RemovedAt == 0 && !slices.ContainsFunc(declared, func(t tier.Tier) bool {
			return t.Unit.String() == next[i].Unit
		}) {
			next[i].RemovedAt = at.now
		}
	}
	for level, t := range declared {
		i := slices.IndexFunc(next, func(c storage.TierConfig) bool { return c.Unit == t.Unit.String() })
		switch {
		case i < 0:
			next = append(next, newTier(t, at.firstBucket(declared, level, false)))
			continue
		case next[i].RemovedAt != 0:
			next[i].From, next[i].RemovedAt = at.firstBucket(declared, level, true), 0
		}
		next[i].Retention, next[i].Least = t.Retention, min(next[i].Least, t.LeastRetention())
		changeOver(&next[i], t, at.now)
	}
	slices.SortFunc(next, func(a, b storage.TierConfig) int { return parseUnit(a).Compare(parseUnit(b)) })
	return next
}

func newTier(t tier.Tier, from model.Time) storage.TierConfig {
	return storage.TierConfig{
		Unit: t.Unit.String(), Retention: t.Retention, Least: t.LeastRetention(), From: from, Deferred: t.Deferred,
		Grace: t.Grace,
	}
}

// start has the times on which the first bucket of a new tier depends.
type start struct {
	now      model.Time
	earliest model.Time // before it, some process may not use the tier
	events   model.Time // from here on no event can have expired
}

// eventsFrom returns the time from which on no event can have expired, by the least retention
// that events ever had.
func eventsFrom(leastRaw time.Duration, now model.Time, maxAhead time.Duration) model.Time {
	if leastRaw == tier.Forever {
		return model.MinTime
	}
	return now.Add(-leastRaw).Add(maxAhead + tier.ExpiryMargin)
}

// firstBucket returns from when a new tier has rows: the start of a bucket of the next coarser tier, before
// which no process uses the tier, or a later declared time. The coarsest tier has no coarser rows that it
// could make wrong: its buckets begin where none of their children can have expired. Rows that it had before
// it was removed may miss changes, so a tier that is declared again begins like a new finer one.
func (s start) firstBucket(declared []tier.Tier, level int, again bool) model.Time {
	t := declared[level]
	children := s.events
	if level > 0 {
		children = declared[level-1].CompleteFrom(s.now)
	}
	switch {
	case level < len(declared)-1:
		return max(t.From, declared[level+1].Unit.FirstStart(s.earliest))
	case again:
		return max(t.From, t.Unit.FirstStart(s.earliest))
	case children == model.MinTime:
		return t.From
	}
	return max(t.From, t.Unit.FirstStart(children))
}

func parseUnit(t storage.TierConfig) tier.Unit {
	u, _ := tier.ParseUnit(t.Unit) // an unknown unit sorts first and is not used
	return u
}
