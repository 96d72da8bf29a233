package fleet

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// step lets a process act by the clock of now.
func (w *history) step() {
	switch m := w.members[w.dice.IntN(len(w.members))]; w.dice.IntN(14) {
	case 0, 1, 2, 3, 4:
		w.send(m)
	case 5:
		w.correct()
	case 6, 7:
		w.changeProfile(m)
	case 8, 9, 10:
		if w.inside != "aggregate" {
			w.deliver(1 + w.dice.IntN(4))
		}
	case 11:
		if w.inside != "aggregate" {
			w.meet(sweptDuringPurge, w.inside == "purge")
			w.sweep(false)
		}
	default:
		if w.inside != "purge" {
			w.purge(m)
		}
	}
}

// send sends a reading of now or of some hours ago, mostly from the site of the member.
func (w *history) send(m *member) {
	if w.chance(4) {
		m.site = allSites[w.dice.IntN(len(allSites))]
	}
	at := w.now.Add(-time.Duration(w.dice.Int64N(int64(3 * time.Minute))))
	if w.chance(5) {
		at = at.Add(-time.Duration(w.dice.Int64N(int64(10 * time.Hour))))
	}
	s := sample{member: m.id, site: m.site, at: at, energy: at.Sub(firstHour).Milliseconds() / 100,
		heat: 1 + int64(w.dice.IntN(50))}
	results, err := w.ingest.AppendEvents(w.Context(), w.kind(), []ingest.TypedObservation{
		{Subject: m.id, At: at, Attrs: s.attrs()}})
	if err != nil {
		w.Fatal(err)
	}
	switch got := results[0].Outcome; got {
	case model.Applied, model.Late:
		w.samples[results[0].Key] = s
		w.meet(movedDuringPurge, m.purging && m.before != m.site)
		w.meet(recreatedElsewhere, m.purged > 0 && !m.purging && m.before != m.site)
		m.sites[m.site], m.sent = true, max(m.sent, at)
	case model.Gone:
		w.meet(movedDuringPurge, m.purging && m.before != m.site)
		if !m.purging && w.expired >= m.lockedTo {
			w.fail("%s is gone at %s, and its lock expired at %s", m.id, w.now, m.lockedTo)
		}
	case model.Collision, model.Duplicate:
	default:
		w.fail("append to %s: %s", m.id, got)
	}
}

func (s sample) attrs() model.Attrs {
	all := model.Attrs{{Name: "energy", Value: model.NumberValue(model.NewDecimal(s.energy))},
		{Name: "heat", Value: model.NumberValue(model.NewDecimal(s.heat))}}
	if s.site != "" {
		all = append(all, model.Attr{Name: "site", Value: model.TextValue(s.site)})
	}
	return all
}

// correct moves a stored reading of a member that is not purged to another site, or deletes it.
func (w *history) correct() {
	stored := w.sorted(func(s sample) bool { return !w.member(s.member).purging })
	if len(stored) == 0 {
		return
	}
	key := stored[w.dice.IntN(len(stored))]
	s := w.samples[key]
	s.site = allSites[w.dice.IntN(len(allSites))]
	var result storage.WriteResult
	var err error
	if remove := w.chance(3); remove {
		delete(w.samples, key)
		result, err = w.table.DeleteEvent(w.Context(), key, w.now)
	} else {
		w.samples[key] = s
		e := model.Event{Series: key.Series, Order: key.Order, Attrs: s.attrs(), ArrivedAt: w.now,
			Hash: model.HashAttrs(s.attrs()), ExpiresAt: w.kind().Retention.EventExpiresAt(w.now)}
		result, err = w.table.CorrectEvent(w.Context(), e, w.now)
	}
	if err != nil || result != storage.Written {
		w.Fatal(result, err)
	}
}

func (w *history) sorted(some func(sample) bool) (all []model.EventKey) {
	for key, s := range w.samples {
		if some(s) {
			all = append(all, key)
		}
	}
	slices.SortFunc(all, func(a, b model.EventKey) int {
		one, other := keys.Event(a), keys.Event(b)
		return strings.Compare(one.PK+one.SK, other.PK+other.SK)
	})
	return all
}

func (w *history) member(id string) *member {
	return w.members[slices.IndexFunc(w.members, func(m *member) bool { return m.id == id })]
}

func (m *member) subject() model.Subject { return model.Subject{Type: "DEVICE", ID: m.id} }

// changeProfile moves a member to another hall.
func (w *history) changeProfile(m *member) {
	hall := []string{"north", "south", "east"}[w.dice.IntN(3)]
	fields := model.Attrs{{Name: "hall", Value: model.TextValue(hall)}}
	change := w.profiles.Create
	if m.profile {
		change = func(ctx context.Context, s model.Subject, f model.Attrs) (lifecycle.Result, error) {
			return w.profiles.Update(ctx, s, f, 0)
		}
	}
	got, err := change(w.Context(), m.subject(), fields)
	if err != nil {
		w.Fatal(m.id, err)
	}
	w.meet(hallDuringPurge, m.purging)
	switch got.Outcome {
	case lifecycle.Created, lifecycle.Updated:
		m.profile = true
		if len(m.log) == 0 || m.log[len(m.log)-1].hall != hall {
			m.log = append(m.log, stay{from: w.now, hall: hall})
		}
		m.halls[hall], m.hall = true, hall
	case lifecycle.Unchanged:
	case lifecycle.Gone:
		if !m.purging && w.expired >= m.lockedTo {
			w.fail("the profile of %s is gone", m.id)
		}
	default:
		if !m.purging {
			w.fail("change the profile of %s: %s", m.id, got.Outcome)
		}
	}
}
