package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Get returns a subject's profile, or nil if it has none, or the profile was deleted or has expired.
func (s *Service) Get(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	p, err := s.readProfile(ctx, subject)
	if err != nil || p == nil || expired(p.ExpiresAt, s.now()) {
		return nil, err
	}
	return p, nil
}

// readForChange reads the profile to change. It returns nil if the result, or the error, is already known.
func (s *Service) readForChange(ctx context.Context, subject model.Subject,
	expect int64) (*model.Profile, Result, error) {
	p, err := s.readProfile(ctx, subject)
	switch {
	case err != nil:
		return nil, Result{}, err
	case p == nil:
		t, err := s.readTombstone(ctx, subject)
		if err != nil || t == nil || expired(t.ExpiresAt, s.now()) {
			out, err := s.confirmNotFound(ctx, subject, t, err)
			return nil, out, err
		}
		return nil, Result{Outcome: Restorable, Profile: t}, nil
	case expect != 0 && expect != p.Version:
		return nil, Result{Outcome: Conflict, Profile: p}, nil
	}
	return p, Result{}, nil
}

// confirmNotFound returns NotFound after two reads, one after the other, found neither a
// profile nor a tombstone. A concurrent change may have moved the profile from one key to
// the other between the reads, so a transaction first checks that both are absent. An
// expired tombstone t needs no check: a subject has a profile or a tombstone, never both.
func (s *Service) confirmNotFound(ctx context.Context, subject model.Subject, t *model.Profile,
	err error) (Result, error) {
	if err != nil || t != nil {
		return Result{Outcome: NotFound}, err
	}
	got, err := s.retrier().commit(ctx, s.Store, []itemop.Action{
		{Key: keys.Metadata(subject), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}},
		{Key: tablekeys.Tombstone(subject), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}},
	})
	if err == nil && got.Result == storage.ConditionFailed {
		err = errChanged
	}
	return Result{Outcome: NotFound}, err
}

// readProfile reads the profile, expired or not; it returns nil if there is none.
func (s *Service) readProfile(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	return read(ctx, s.Store, keys.Metadata(subject), item.Profile)
}

// readTombstone reads the tombstone, expired or not; it returns nil if there is none.
func (s *Service) readTombstone(ctx context.Context, subject model.Subject) (*model.Profile, error) {
	return read(ctx, s.Store, tablekeys.Tombstone(subject), item.Tombstone)
}

// read reads and decodes one item; it returns nil if there is none.
func read[T any](ctx context.Context, store Reader, k keys.Key,
	decode func(item.Item) (T, error)) (*T, error) {
	it, err := store.GetItem(ctx, k)
	return itemop.Decode(it, err, decode)
}

func expired(expiresAt int64, now model.Time) bool {
	return expiresAt != 0 && expiresAt <= now.Seconds()
}

// withoutKind returns attrs without the fields whose value is of a kind.
func withoutKind(attrs model.Attrs, kind model.ValueKind) model.Attrs {
	return slices.DeleteFunc(slices.Clone(attrs), func(a model.Attr) bool { return a.Value.Kind == kind })
}

// LastSeen returns the time of the newest event of a subject, over all its series that
// have a latest item; ok is false if there is none. One query reads the latest items, so
// no write maintains this time, and it does not expire with the events.
func (s *Service) LastSeen(ctx context.Context, subject model.Subject) (at model.Time, ok bool, _ error) {
	l := itemop.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.LatestPrefix}
	for it, err := range itemop.Items(ctx, s.Store, l) {
		if err != nil {
			return 0, false, fmt.Errorf("read when %s was last seen: %w", subject, err)
		}
		if c, err := item.Latest(it); err == nil && c.Ordered && (!ok || c.At > at) {
			at, ok = c.At, true
		}
	}
	return at, ok, nil
}
