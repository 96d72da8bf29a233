package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var _ aggregate.MemberStore = (*store)(nil)

// profileField is the field of profiles that groups are by in some histories.
const profileField = "hall"

func deviceProfile() *catalog.Profile {
	return &catalog.Profile{Declared: []catalog.ProfileField{{Name: profileField}}}
}

// Counts of moves.
const (
	movesStored = "moves of members between groups of profiles"
	// lateMoves were stored when a bucket that they concern may have been recomputed.
	lateMoves = "moves that were stored an hour or more after their time"
)

// Memberships reads the log of the groups of a subject.
func (s *store) Memberships(ctx context.Context, subject model.Subject) (m storage.Memberships, err error) {
	err = s.read(ctx, request("reads the groups of", tablekeys.Memberships(subject)), func() (err error) {
		m, err = s.table.Memberships(context.Background(), subject)
		return err
	})
	return m, err
}

// SubjectSeries reads the entries of a subject in the list of series.
func (s *store) SubjectSeries(ctx context.Context, subject model.Subject, after string) (
	all []storage.ListedSeries, next string, err error) {
	pk, _ := tablekeys.SeriesEntries(subject)
	r := simstream.Request{Verb: "reads the series of a subject", Keys: []string{pk}}
	err = s.read(ctx, r, func() (err error) {
		all, next, err = s.table.SubjectSeries(context.Background(), subject, after)
		return err
	})
	return all, next, err
}

// planMoves schedules changes of profiles around the hours of the events.
func (w *world) planMoves(d simstream.Dice) {
	if !w.byProfile {
		return
	}
	for h, hour := range w.hours {
		for i := range 4 {
			d := d.Part("move", h, i)
			at := max(w.Now(), hour.Add(d.Span("at", 4*time.Hour)-2*time.Hour))
			w.At(at, func() { w.moveSubject(fmt.Sprintf("profile %d.%d", h, i), d) })
		}
	}
}

// moveSubject changes the field of a profile by the service of profiles, whose transaction may be stored
// hours after it read the profile and the log. Some profiles are deleted, and restored or created again.
func (w *world) moveSubject(name string, d simstream.Dice) {
	subject := model.Subject{Type: w.kind().Subject.Name, ID: w.subject[d.Pick("subject", 3)/2]}
	hall := sites[d.Pick("hall", 3)]
	change := d.Pick("change", 8)
	w.Go(name, d, func(ctx context.Context) {
		s := w.profileService(name, d)
		var got lifecycle.Result
		var err error
		switch fields := profileHall(hall); change {
		case 0:
			got, err = s.Delete(ctx, subject, 0)
		case 1:
			got, err = s.Remove(ctx, subject, 0)
		case 2:
			fields[0].Value = model.Value{} // without the field
			got, err = s.Update(ctx, subject, fields, 0)
		default:
			got, err = s.Update(ctx, subject, fields, 0)
		}
		if err == nil && got.Outcome == lifecycle.NotFound {
			got, err = s.Create(ctx, subject, profileHall(hall))
		}
		if err == nil && got.Outcome == lifecycle.Restorable {
			_, err = s.Restore(ctx, subject, 0)
		}
		if err != nil {
			w.Logf(name, "does not change the profile: %v", err)
		}
	})
}

func profileHall(hall string) model.Attrs {
	return model.Attrs{{Name: profileField, Value: model.TextValue(hall)}}
}

// profileService returns the service of profiles of one process, with its own clock.
func (w *world) profileService(name string, d simstream.Dice) *lifecycle.Service {
	skew := d.Span("manage clock", 2*time.Minute) - time.Minute
	return &lifecycle.Service{
		Store: profiles{store: w.store, name: name, dice: d}, Profile: w.now.Profile,
		Now:  func() model.Time { return w.Now().Add(skew) },
		Rand: d.Part("profiles").Rand(), Sleep: w.Sleep, RetryPolicy: retry.Policy{Attempts: 1},
	}
}

// profiles is the table as one process uses it that changes profiles.
type profiles struct {
	*store
	name string
	dice simstream.Dice
}

var _ lifecycle.Store = profiles{}

// List reads a page of a partition.
func (p profiles) List(ctx context.Context, l itemop.ListRequest) (page itemop.ListPage, err error) {
	r := simstream.Request{Verb: "lists profiles", Keys: []string{l.Partition}}
	err = p.read(ctx, r, func() (err error) {
		page, err = p.table.List(context.Background(), l)
		return err
	})
	return page, err
}

// Commit stores a change of a profile. A process that is suspended before it stores its change hours later,
// on condition of what it read, and its caller gets no result.
func (p profiles) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if !p.dice.Chance("suspended", .6) {
		return p.commit(ctx, tx)
	}
	p.After(p.dice.Span("suspended for", suspendedMost), func() {
		p.Go(p.name+" goes on", p.dice.Part("goes on"), func(ctx context.Context) {
			_, _ = p.commit(ctx, tx) // a fault, or another change: it is not stored
		})
	})
	return itemop.TransactResult{Result: storage.Unknown}, nil
}

func (p profiles) commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	r := simstream.Request{Verb: "changes a profile"}
	for _, a := range tx.Actions {
		r.Keys = append(r.Keys, a.Key.PK)
	}
	var stored itemop.TransactResult
	result, err := p.write(ctx, r, func() (_ storage.WriteResult, err error) {
		stored, err = p.table.Commit(context.Background(), tx)
		return stored.Result, err
	})
	if result != stored.Result {
		return itemop.TransactResult{Result: result}, err
	}
	return stored, err
}

// recordMove notes what the log of a subject is.
func (o *oracle) recordMove(m storage.Memberships) {
	o.Count(movesStored)
	if o.Now().Sub(m.Newest()) >= time.Hour {
		o.Count(lateMoves)
	}
	o.moves[m.Subject] = m.Log
}

// member returns the fields of the profile that an event counts by: the ones at the start of its bucket.
func (o *oracle) member(e *model.Event) (fields model.Attrs) {
	start := o.kind().Retention.Finest().Unit.BucketAt(e.At).Start
	for _, entry := range o.moves[e.Series.Subject] {
		if entry.From > start {
			break
		}
		fields = nil
		if hall, has := entry.Fields[profileField]; has {
			fields = model.Attrs{{Name: profileField, Value: model.TextValue(hall)}}
		}
	}
	return fields
}

// moved returns the keys of the events that a change of a subject's groups concerns.
func (o *oracle) moved(c storage.Change) (all []model.EventKey) {
	for _, key := range o.sorted() {
		if key.Series.Subject == c.Key.Series.Subject && key.At >= c.Key.At {
			all = append(all, key)
		}
	}
	return all
}
