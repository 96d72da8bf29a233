package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
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
			d := d.Of("move", h, i)
			at := max(w.Now(), hour.Add(d.Span("at", 4*time.Hour)-2*time.Hour))
			w.At(at, func() { w.moveSubject(fmt.Sprintf("profile %d.%d", h, i), d) })
		}
	}
}

// moveSubject changes the field of a profile, as a change of the profile does: the log is written on
// condition of what was read, sometimes hours later. A profile without the field may be one that was
// deleted.
func (w *world) moveSubject(name string, d simstream.Dice) {
	subject := model.Subject{Type: w.kind().Subject.Name, ID: w.subject[d.Pick("subject", 3)/2]}
	var fields model.Attrs
	if hall := d.Pick("hall", 4); hall < 3 {
		fields = model.Attrs{{Name: profileField, Value: model.TextValue(sites[hall])}}
	}
	skew := d.Span("manage clock", 2*time.Minute) - time.Minute
	w.Go(name, d, func(ctx context.Context) {
		m, err := w.store.Memberships(ctx, subject)
		if err != nil {
			return
		}
		next, moved, err := m.Moved([]string{profileField}, fields, w.Now().Add(skew), tier.Forever)
		if err != nil || !moved {
			w.Fail(err)
			return
		}
		put := itemop.Put{Item: item.FromMemberships(next), Precondition: itemop.MembershipsAre(&m)}
		later := time.Duration(0)
		if d.Chance("suspended", .4) {
			later = d.Span("suspended for", suspendedMost)
		}
		w.After(later, func() {
			w.Go(name+" goes on", d.Of("goes on"), func(ctx context.Context) {
				_, _ = w.store.PutAll(ctx, []itemop.Put{put}) // a fault, or another change: it is not stored
			})
		})
	})
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
