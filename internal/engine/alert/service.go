package alert

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Reader is the part of a Store that lists and gets need. Reads of the table are strongly
// consistent, reads of an index eventually. A read returns an error for every failure,
// including transient ones. Implementations are safe for concurrent use.
type Reader interface {
	// GetItem reads one item; it returns nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// List reads one page of a partition, or of an index partition.
	List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error)
}

// Store is the part of the table that alerts need. Each method is one request.
type Store interface {
	Reader
	// PutAll writes complete items, at most table.MaxItems: all of them if every
	// precondition holds, otherwise none. Its error is one that a retry cannot fix.
	PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error)
	// Latest reads the latest item of a series; it returns nil if there is none.
	Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)
	// Events reads one page of a series' events, including expired ones.
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	// Rows reads one page of a series' rows of a unit whose buckets start in the range, including empty and
	// expired ones.
	Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error)
}

// Service evaluates rules, stores alerts and delivers notifications. Set the fields
// before the first call; the methods are safe for concurrent use.
type Service struct {
	Store   Store
	Catalog *catalog.Catalog
	Now     func() model.Time
	// Rand is the source of revisions and of the jitter of pauses. It must be safe for
	// concurrent use, as crypto/rand.Reader is.
	Rand io.Reader
	// Sleep waits between requests, or returns the context's error if the context ends
	// first; nil means the wall clock.
	Sleep       func(context.Context, time.Duration) error
	RetryPolicy retry.Policy
	// Publisher delivers notifications; nil means that another process delivers them.
	Publisher Publisher
	// RulesAge is how long the rules of a subject type are used before they are read again; zero means
	// RuleCacheAge, the most.
	RulesAge time.Duration
	// Parallel is how many series are evaluated concurrently; zero means 16.
	Parallel int
	// KeepFor is how long an alert is kept after it is no longer open; zero means storage.AlertsKept.
	// An alert is always kept a day longer than its events.
	KeepFor time.Duration
	// Stream tells through when the table is known, for FindSilent; nil means that it finds nothing.
	Stream StreamStates

	maxSilent int // of tests; zero means maxSilent

	mu       sync.Mutex
	ruleSets map[string]*ruleSet           // by subject type; guarded by mu
	checks   map[model.Series]silenceCheck // the last ones of FindSilent; guarded by mu
	rest     map[string]listPosition       // where FindSilent goes on, by subject type; guarded by mu
}

// expiry returns when an alert expires. It returns 0 if the alert is open, or if its events never expire.
func (s *Service) expiry(a *storage.Alert, now model.Time) int64 {
	if a.Status() == storage.AlertOpen {
		return 0
	}
	keep := cmp.Or(s.KeepFor, storage.AlertsKept)
	if kind, ok := s.Catalog.Kind(a.Series.Kind); ok {
		if readingsKept(kind) == tier.Forever {
			return 0
		}
		keep = max(keep, readingsKept(kind)+tier.Day24)
	}
	return now.Add(keep).Seconds()
}

func (s *Service) retrier() retry.Retrier {
	return retry.Retrier{Policy: s.RetryPolicy, Rand: s.Rand, Sleep: s.Sleep}
}

// retryPass repeats pass, including its reads, until its write is stored. It makes no difference between a
// failed precondition, an unknown result, throttling and a failed read. It returns the last error when the
// attempts or the time run out, and immediately an error that a retry cannot fix.
func (s *Service) retryPass(ctx context.Context,
	pass func(context.Context) (storage.WriteResult, error)) error {
	return s.retrier().UntilWritten(ctx, func(err error) bool { return !isPermanent(err) }, pass)
}

// isPermanent reports whether an error is due to stored data or to an invalid request, so
// that a retry cannot fix it.
func isPermanent(err error) bool {
	return slices.ContainsFunc([]error{item.ErrNewer, item.ErrDamaged, keys.ErrKeyForm, errInvalidRequest},
		func(e error) bool {
			return errors.Is(err, e)
		})
}

var errInvalidRequest = errors.New("invalid request")

// nonce returns a new revision.
func (s *Service) nonce() ([16]byte, error) { return ids.Nonce(s.Rand) }

// eachItem calls do with the items of a listing, page by page, until do returns false.
func (s *Service) eachItem(ctx context.Context, l itemop.ListRequest,
	do func(item.Item) (bool, error)) error {
	for it, err := range itemop.Items(ctx, s.Store, l) {
		if err != nil {
			return err
		}
		if more, err := do(it); err != nil || !more {
			return err
		}
	}
	return nil
}
