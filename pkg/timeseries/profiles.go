package timeseries

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Profiles reads and changes the profiles of one type of subject as values of T. Create it with OpenProfiles.
// It is safe for concurrent use. Errors of changes are of one of the classes ErrRejected, ErrUndecided and
// ErrPermanent, with their causes; errors of reads, of the latter two if the table did not respond.
type Profiles[T any] struct {
	service *lifecycle.Service
	subject string
	layout  *layout
}

// Profile is a stored profile.
type Profile[T any] struct {
	Value                           T
	Version                         int64     // counts the changes, from 1
	CreatedAt, UpdatedAt, DeletedAt time.Time // DeletedAt is zero unless it was deleted
}

// ProfileResult is what the table decided about one change.
type ProfileResult[T any] struct {
	Outcome lifecycle.Outcome
	// Profile is the profile after the change, or the stored one if the outcome is Exists,
	// Restorable or Conflict; nil otherwise.
	Profile    *Profile[T]
	Constraint string // if Taken: the unique constraint
}

// OpenProfiles opens the profiles of a type of subject with the tags of T, a struct:
//
//	tide:"subject"   the subject's id: a string
//	tide:"field"     a field: a string, boolean, time, number, or a pointer to one; or a slice, map
//	                 or struct, which is stored as encoding/json writes it; or a type with MarshalText and
//	                 UnmarshalText, such as netip.Addr and big.Int, which is stored as that text
//
// T must have the fields that subject.Profile declares, indexes or makes unique. opts may be nil.
// The error joins an *Error for each mistake.
func OpenProfiles[T any](store lifecycle.Store, subject catalog.SubjectType,
	opts *Options) (*Profiles[T], error) {
	if err := checkStore(store); err != nil {
		return nil, err
	}
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	layout, declared, err := compileProfile(reflect.TypeFor[T](), subject)
	if err != nil {
		return nil, err
	}
	return &Profiles[T]{subject: subject.Name, layout: layout, service: &lifecycle.Service{
		Store: store, Profile: func(string) catalog.Profile { return declared }, Limits: o.Limits, Now: o.clock(),
		Rand: o.Rand, Sleep: o.Sleep, RetryPolicy: retry.Policy{Attempts: o.Attempts},
	}}, nil
}

func (p *Profiles[T]) of(id string) model.Subject { return model.Subject{Type: p.subject, ID: id} }

// Put stores v on condition that the subject's profile has a version. Version 0 creates it, with
// the declared defaults for absent fields. Another replaces the fields of T and leaves all others.
// The outcome is Exists, Restorable, NotFound or Conflict if the condition does not hold, and
// Taken if another subject has a unique value of v.
func (p *Profiles[T]) Put(ctx context.Context, v T, version int64) (ProfileResult[T], error) {
	at := reflect.ValueOf(&v).Elem()
	fields, problems := p.layout.fields(at, version != 0)
	subject := p.of(p.layout.subject.text(at))
	switch {
	case len(problems) > 0:
		return ProfileResult[T]{}, model.FieldErrors(problems)
	case version == 0:
		return p.result(p.service.Create(ctx, subject, fields))
	}
	return p.result(p.service.Update(ctx, subject, fields, version))
}

// checkID returns ErrSeries for an id that no subject can have: a read would find nothing.
func (p *Profiles[T]) checkID(id string) error {
	err := keys.Metadata(p.of(id)).Check()
	if id == "" {
		err = errors.New("the subject's id is empty")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSeries, err)
	}
	return nil
}

// Get reads a profile; nil if there is none, or it was deleted.
func (p *Profiles[T]) Get(ctx context.Context, id string) (*Profile[T], error) {
	if err := p.checkID(id); err != nil {
		return nil, err
	}
	return p.decode(p.service.Get(ctx, p.of(id)))
}

// Deleted reads a deleted profile that can be restored; nil if there is none.
func (p *Profiles[T]) Deleted(ctx context.Context, id string) (*Profile[T], error) {
	if err := p.checkID(id); err != nil {
		return nil, err
	}
	return p.decode(p.service.Deleted(ctx, p.of(id)))
}

// Delete deletes a profile that has a version, or any if version is 0. Restore can restore it.
func (p *Profiles[T]) Delete(ctx context.Context, id string, version int64) (ProfileResult[T], error) {
	return p.result(p.service.Delete(ctx, p.of(id), version))
}

// Remove removes a profile, or a deleted one, for ever, with its versions and unique values, if it has a
// version, or any if version is 0. The subject's events stay. Repeat the call after an error.
func (p *Profiles[T]) Remove(ctx context.Context, id string, version int64) (ProfileResult[T], error) {
	return p.result(p.service.Remove(ctx, p.of(id), version))
}

// Purge requests that everything of a subject is removed for ever after a grace period: its profile,
// versions, unique values, events and rollups. by says who requested it. The deployed function of purges
// carries it out; a program without one calls Run of a lifecycle.Purger. If a purge of the subject is active
// already, Purge changes nothing.
func (p *Profiles[T]) Purge(ctx context.Context, id, by string, grace time.Duration) error {
	purger, err := p.purger()
	if err == nil {
		_, err = purger.Request(ctx, p.of(id), by, grace)
	}
	return err
}

// PurgeProgress returns how far a purge is, and its receipt once it is done. The error wraps
// lifecycle.ErrNoPurge if none was requested.
func (p *Profiles[T]) PurgeProgress(ctx context.Context, id string) (lifecycle.Progress, error) {
	purger, err := p.purger()
	if err != nil {
		return lifecycle.Progress{}, err
	}
	return purger.Progress(ctx, p.of(id))
}

func (p *Profiles[T]) purger() (*lifecycle.Purger, error) {
	s := p.service
	store, ok := s.Store.(interface {
		lifecycle.Store
		lifecycle.Eraser
	})
	if !ok {
		return nil, fmt.Errorf("a %T cannot purge: use *dynamo.Table or *memory.Table", s.Store)
	}
	return &lifecycle.Purger{
		Store: store, Now: s.Now, Rand: s.Rand, Sleep: s.Sleep, RetryPolicy: s.RetryPolicy,
	}, nil
}

// Restore restores a deleted profile that has a version, or any if version is 0.
func (p *Profiles[T]) Restore(ctx context.Context, id string, version int64) (ProfileResult[T], error) {
	return p.result(p.service.Restore(ctx, p.of(id), version))
}

// Backfill is lifecycle.Service.Backfill: it adds existing profiles to indexes and unique
// constraints that were declared later.
func (p *Profiles[T]) Backfill(ctx context.Context, after string,
	each func(id string, r lifecycle.Result) error) error {
	return p.service.Backfill(ctx, p.subject, after, func(s model.Subject, r lifecycle.Result) error {
		return each(s.ID, r)
	})
}

// ListBy returns an iterator over the profiles with a value of an indexed field. It may lag behind
// by moments. The error is lifecycle.ErrNoIndex if the field has no index.
func (p *Profiles[T]) ListBy(ctx context.Context, field, value string) iter.Seq2[Profile[T], error] {
	return p.each(paging.Items(func(after lifecycle.Cursor) ([]model.Profile, lifecycle.Cursor, error) {
		page, err := p.service.ListByField(ctx, p.subject, field, value, after, 0)
		return page.Profiles, page.Next, err
	}))
}

// List returns an iterator over the profiles that a query selects by an index, in its order: from After
// on, at most Limit. It sets SubjectType, and may lag behind by moments. The error is lifecycle.ErrNoIndex
// if no index has the fields of the query, and model.ErrCondition if the index cannot have its texts, bounds
// or direction.
func (p *Profiles[T]) List(ctx context.Context, q lifecycle.ProfileQuery) iter.Seq2[Profile[T], error] {
	q.SubjectType = p.subject
	selected := p.each(paging.ItemsAfter(q.After,
		func(after lifecycle.Cursor) ([]model.Profile, lifecycle.Cursor, error) {
			request := q
			request.After = after
			page, err := p.service.List(ctx, request)
			return page.Profiles, page.Next, err
		}))
	return func(yield func(Profile[T], error) bool) {
		n := 0
		for one, err := range selected {
			if n++; !yield(one, err) || n == q.Limit {
				return
			}
		}
	}
}

// ListDeleted returns an iterator over the deleted profiles that can be restored, latest deletion first. It
// may lag behind by moments.
func (p *Profiles[T]) ListDeleted(ctx context.Context) iter.Seq2[Profile[T], error] {
	return p.each(paging.Items(func(after lifecycle.Cursor) ([]model.Profile, lifecycle.Cursor, error) {
		page, err := p.service.ListDeleted(ctx, p.subject, after, 0)
		return page.Profiles, page.Next, err
	}))
}

// Version reads one version of a profile; nil if it does not exist or has expired.
func (p *Profiles[T]) Version(ctx context.Context, id string, version int64) (*Profile[T], error) {
	if err := p.checkID(id); err != nil {
		return nil, err
	}
	v, err := p.service.Version(ctx, p.of(id), version)
	if v == nil {
		return nil, err
	}
	return p.decode(&v.Profile, err)
}

// Versions returns an iterator over the stored versions of a profile, newest first.
func (p *Profiles[T]) Versions(ctx context.Context, id string) iter.Seq2[Profile[T], error] {
	if err := p.checkID(id); err != nil {
		return paging.Fail[Profile[T]](err)
	}
	return p.each(paging.Items(func(before int64) ([]model.Profile, int64, error) {
		page, next, err := p.service.Versions(ctx, p.of(id), before, 0)
		return lists.Map(page, func(v model.ProfileVersion) model.Profile { return v.Profile }), next, err
	}))
}

// each decodes profiles. One that T cannot hold comes with an error, and the iteration continues.
func (p *Profiles[T]) each(all iter.Seq2[model.Profile, error]) iter.Seq2[Profile[T], error] {
	return func(yield func(Profile[T], error) bool) {
		for stored, err := range all {
			decoded, err := p.decode(&stored, err)
			if decoded == nil {
				decoded = new(Profile[T])
			}
			if !yield(*decoded, err) {
				return
			}
		}
	}
}

// Decode returns a stored profile, such as one of package changes, as a value of T. The error says why T
// cannot hold it.
func (p *Profiles[T]) Decode(stored *model.Profile) (*Profile[T], error) {
	return p.decode(stored, nil)
}

func (p *Profiles[T]) decode(stored *model.Profile, err error) (*Profile[T], error) {
	if err != nil || stored == nil {
		return nil, err
	}
	v := &Profile[T]{
		Version: stored.Version, CreatedAt: toTime(stored.CreatedAt), UpdatedAt: toTime(stored.UpdatedAt),
		DeletedAt: toTime(stored.DeletedAt),
	}
	err = p.layout.set(reflect.ValueOf(&v.Value).Elem(), model.Series{Subject: stored.Subject}, model.Order{},
		stored.Attrs)
	return v, err
}

// toTime returns a time that may be unknown; zero if it is.
func toTime(t model.Time) (at time.Time) {
	if t != 0 {
		at = t.Time()
	}
	return at
}

func (p *Profiles[T]) result(r lifecycle.Result, err error) (ProfileResult[T], error) {
	out := ProfileResult[T]{Outcome: r.Outcome, Constraint: r.Constraint}
	out.Profile, err = p.decode(r.Profile, err)
	return out, err
}
