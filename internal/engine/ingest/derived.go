package ingest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// putRequest returns the request that stores one event without the latest item. Requests of kinds with a
// derived latest item name the attempt, so that a repeated request differs from another sender's duplicate.
func (s *Service) putRequest(kind *catalog.Kind,
	e *model.Event) (func(context.Context) (storage.StoreResult, error), error) {
	put := func(ctx context.Context) (storage.StoreResult, error) { return s.Store.Put(ctx, *e) }
	if !kind.HasLatest() {
		return put, nil
	}
	var err error
	if e.Attempt, err = newAttempt(s.Rand); err != nil {
		return nil, err
	}
	check := s.repeatCheck(kind, e)
	if check == nil {
		return put, nil
	}
	token, err := ids.Token(s.Rand)
	if err != nil {
		return nil, err
	}
	tx := storage.AppendTransaction{Token: token, Check: check, PurgeLock: &e.Series.Subject,
		Puts: []model.Event{*e}}
	return func(ctx context.Context) (storage.StoreResult, error) { return s.Store.Append(ctx, tx) }, nil
}

// repeatCheck returns the check of an event whose first copy may have expired, because it is
// older than raw events are kept, less a day: the event of the latest item is then a repeat.
// It is nil for newer events, whose first copy the put itself finds.
func (s *Service) repeatCheck(kind *catalog.Kind, e *model.Event) *storage.LatestCheck {
	raw := kind.Retention.LeastRawRetention()
	if !kind.HasLatest() || raw == tier.Forever || s.Now().Sub(e.At) < raw-tier.Day24 {
		return nil
	}
	return &storage.LatestCheck{Series: e.Series, Not: &e.Order}
}

// newAttempt returns a random number that is not zero.
func newAttempt(random io.Reader) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0, fmt.Errorf("make an attempt: %w", err)
	}
	return binary.BigEndian.Uint64(b[:]) | 1, nil
}
