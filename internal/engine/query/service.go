// Package query reads what is stored: latest items, events, rollups, charts, totals and profiles. It hides
// items that have expired but that TTL has not removed yet; the packages that write never hide them.
//
// Each access pattern is one method of Service and costs one Get, or one Query for each page and shard.
// Patterns with long results also have an iterator. Rollups of several series are merged from their
// summaries, never from averages. A model.ReadMeter in the context adds up what the reads cost.
package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Service reads from a Store. Set its fields before the first call; its methods are safe for concurrent use.
type Service struct {
	Store Store
	// Now is the clock by which items have expired and buckets are open.
	Now func() model.Time
	// CursorKey encrypts the cursors of pages. Services that continue each other's pages
	// share it. Iterators need none.
	CursorKey []byte
	// OlderKeys are previous keys. Cursors encrypted with them are still accepted,
	// so that a change of CursorKey does not interrupt clients between two pages.
	OlderKeys [][]byte
}

// Series names what is read: one stream of a subject's events of a kind. It never names
// a shard: the shards of a distributed kind are merged.
type Series struct {
	Kind    *catalog.Kind
	Subject string // the subject's id; its type is the kind's
	Stream  string // "" for the events without one
}

// String returns the series for messages: DEVICE/sensor_01 READING status.
func (s Series) String() string { return s.unsharded().String() }

// Errors of an invalid request. Retrying does not help.
var (
	ErrSeries   = errors.New("not a valid series name")
	ErrRange    = errors.New("the time range is empty: from must be before to, which is not part of it")
	ErrLimit    = errors.New("the limit is negative: use a positive number, or none")
	ErrNoLatest = errors.New("this kind stores no latest item")
	ErrNoEvents = errors.New("groups have no events")
	ErrNoTier   = errors.New("this kind does not have this tier")
)

// unsharded returns the series without a shard number.
func (s Series) unsharded() model.Series {
	return model.Series{Subject: model.Subject{Type: s.Kind.Subject.Name, ID: s.Subject}, Kind: s.Kind.Name,
		Stream: s.Stream}
}

// shards returns the stored series that make up s: more than one if the kind is distributed.
func (s Series) shards() []model.Series { return s.Kind.ShardSeries(s.unsharded()) }

// check returns an error if the series cannot be part of a key, which saves the request.
func (s Series) check() error { return s.Check() }

// Check returns ErrSeries if the subject or the stream cannot be part of a key.
func (s Series) Check() error {
	if s.Subject == "" {
		return fmt.Errorf("%w: the subject's id is empty", ErrSeries)
	}
	if err := keys.Latest(s.shards()[0]).Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrSeries, err)
	}
	return nil
}

// checkPage validates the series, the time range and the limit.
func (s Series) checkPage(from, to model.Time, limit int) error {
	switch {
	case from >= to:
		return fmt.Errorf("from %s to %s: %w", from, to, ErrRange)
	case limit < 0:
		return fmt.Errorf("limit %d: %w", limit, ErrLimit)
	}
	return s.check()
}

// Profile reads a subject's profile by one Get. It returns nil if there is none, or if it has expired.
func (s *Service) Profile(ctx context.Context, subject model.Subject,
	consistent bool) (*model.Profile, error) {
	if err := keys.Metadata(subject).Check(); err != nil || subject.ID == "" {
		return nil, fmt.Errorf("read profile of %s: %w", subject, ErrSeries)
	}
	p, err := s.Store.Profile(ctx, subject, consistent)
	if err != nil {
		return nil, fmt.Errorf("read profile of %s: %w", subject, err)
	}
	if p == nil || expired(p.ExpiresAt, s.Now()) {
		return nil, nil
	}
	return p, nil
}

// Store is the table as this package reads it. Each method is one request and returns
// expired items too. Implementations are safe for concurrent use.
type Store interface {
	// Latest reads the latest item of a series; nil if there is none.
	Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)
	// Events reads one page of a series' events.
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	// Rows reads one page of the rows of a unit whose buckets start in the range.
	Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error)
	// QueryIndex reads one page of the events, of all subjects, whose indexed field has a
	// value. It is never strongly consistent.
	QueryIndex(ctx context.Context, r storage.EventIndexQuery) (storage.EventIndexPage, error)
	// LatestBy reads one page of an index of latest items, of all subjects. It is never strongly consistent.
	LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error)
	// List reads one page of a partition, strongly consistent.
	List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error)
	// Profile reads a subject's profile; nil if there is none.
	Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error)
	// Memberships reads the log of the groups that a subject's profile is in; one without entries if there is
	// none.
	Memberships(ctx context.Context, subject model.Subject) (storage.Memberships, error)
}

// expired reports whether an item with this TTL attribute, in epoch seconds, has expired
// for readers. TTL may not have removed it yet. 0 never expires.
func expired(expiresAt int64, now model.Time) bool {
	return expiresAt != 0 && expiresAt <= now.Seconds()
}

// eventsCompleteFrom returns the time from which on no event can have expired. An event's retention starts
// when it is written, which may be before its own time by as much as a clock may run ahead.
func eventsCompleteFrom(l tier.Policy, now model.Time) model.Time {
	least := l.LeastRawRetention()
	if least == tier.Forever {
		return model.MinTime
	}
	return max(now.Add(-least).Add(tier.ExpiryMargin), model.MinTime)
}

// EventsCompleteFrom returns the time from which on no event of a kind can have expired.
func (s *Service) EventsCompleteFrom(kind *catalog.Kind) model.Time {
	return eventsCompleteFrom(kind.Retention, s.Now())
}

// Visible reports whether readers see a row: it is neither empty nor expired. policy is the kind's.
func Visible(policy tier.Policy, r *rollup.Row, now model.Time) bool {
	unit, _ := tier.ParseUnit(r.Key.Tier)
	t, _, _ := policy.Find(unit)
	return visible(r, t, now)
}

// visible is Visible with the tier of the row.
func visible(r *rollup.Row, t tier.Tier, now model.Time) bool {
	beforeTier := t.From != 0 && r.Key.Start < t.From // of a tier that was removed and added again
	return !r.Empty && !expired(r.ExpiresAt, now) && !beforeTier
}
