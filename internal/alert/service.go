package alert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Reader is the part of a Store that changes nothing: all that lists and gets need. Of
// the table its reads are strongly consistent, of an index eventually. A read that could
// not be answered is an error, which may pass. Implementations are safe for concurrent
// use.
type Reader interface {
	// GetItem reads one item; nil where there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// List reads one page of a partition, or of an index partition.
	List(ctx context.Context, l table.Listing) (table.ListPage, error)
}

// Store is the table as alerts see it. Each method is one request.
type Store interface {
	Reader
	// PutAll stores whole items, at most table.MaxItems of them, each in the place of what
	// stands there: all of them, if every condition holds, or none. An error is only what
	// no retry can mend.
	PutAll(ctx context.Context, puts []table.Put) (model.Answer, error)
	// Current reads a series' current; nil where there is none.
	Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error)
	// Events reads one page of a series' events, those that have expired included.
	Events(ctx context.Context, r model.Range) (model.EventPage, error)
}

// Service tests rules, keeps alerts and tells of them. Its fields are set once, before
// the first call; its methods are safe for concurrent use.
type Service struct {
	Store   Store
	Catalog *catalog.Catalog
	Now     func() model.Time
	// Rand makes nonces and the jitter of pauses; safe for concurrent use, as
	// crypto/rand.Reader is.
	Rand io.Reader
	// Sleep pauses between requests, or answers the context's error when that ends
	// first; nil means the wall clock's.
	Sleep    func(context.Context, time.Duration) error
	Patience retry.Patience
	// Publisher tells the world; nil leaves notices to whoever delivers them.
	Publisher Publisher
	// Parallel is how many series are looked at at once; zero means 16.
	Parallel int
	// KeepFor is how long an alert is kept once it is not open any more; zero means 90
	// days. It is never less than its events' retention and a day.
	KeepFor time.Duration

	mu    sync.Mutex
	books map[string]*book // by subject type; guarded by mu
}

// keepFor is the default retention of alerts that are not open.
const keepFor = 90 * tier.Day24

// expiry is when an alert that is not open any more expires; 0 while it is, and where
// its events never do.
func (s *Service) expiry(a *model.Alert, now model.Time) int64 {
	if a.Status() == model.AlertOpen {
		return 0
	}
	keep := s.KeepFor
	if keep == 0 {
		keep = keepFor
	}
	if kind, ok := s.Catalog.Kind(a.Series.Kind); ok {
		if kind.Ladder.Raw == tier.Forever {
			return 0
		}
		keep = max(keep, kind.Ladder.Raw+tier.Day24)
	}
	return now.Add(keep).Seconds()
}

func (s *Service) waiter() retry.Waiter {
	return retry.Waiter{Patience: s.Patience, Rand: s.Rand, Sleep: s.Sleep}
}

// insist repeats pass, from its reads on, until it is settled: a lost condition, an
// unknown result, a throttle and a read without answer are one case. The error is the
// last one when patience or time ends first, or what no repeat can mend.
func (s *Service) insist(ctx context.Context, pass func(context.Context) (model.Answer, error)) error {
	for attempt := 1; ; attempt++ {
		answer, err := pass(ctx)
		if err == nil && answer == model.Written {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("the last write was answered: %s: %w", answer, retry.ErrUndecided)
		}
		if lasting(err) || attempt >= s.Patience.Most() {
			return err
		}
		if pause := s.waiter().Pause(ctx, attempt); pause != nil {
			return errors.Join(pause, err)
		}
	}
}

// lasting reports whether an error is about what is stored, or was asked wrongly, so
// that no repeat mends it.
func lasting(err error) bool {
	for _, e := range []error{item.ErrNewer, item.ErrDamaged, keys.ErrForeign, errAsked} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

var errAsked = errors.New("asked wrongly")

// nonce is a fresh rev.
func (s *Service) nonce() (n [16]byte, err error) {
	if _, err := io.ReadFull(s.Rand, n[:]); err != nil {
		return n, fmt.Errorf("make a nonce: %w", err)
	}
	return n, nil
}

// asRead holds where an item has the rev it was read with; where it was not there, that
// is the condition.
func asRead(rev [16]byte) table.Condition {
	if rev == ([16]byte{}) {
		return table.Condition{{Op: table.Free}}
	}
	return table.Condition{{Op: table.Is, Attr: keys.AttrRev, Value: item.Value{Type: item.B, B: rev[:]}}}
}

// eachItem calls do with the items of a listing, page after page, until it answers false.
func (s *Service) eachItem(ctx context.Context, l table.Listing, do func(item.Item) (bool, error)) error {
	for {
		page, err := s.Store.List(ctx, l)
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			if more, err := do(it); err != nil || !more {
				return err
			}
		}
		if l.After = page.Next; l.After == (table.Place{}) {
			return nil
		}
	}
}
