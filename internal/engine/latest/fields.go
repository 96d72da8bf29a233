package latest

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Bounds of the walk back through the events of a series.
const (
	walkPage  = 64   // events a request reads
	walkLimit = 1024 // events after which a field that none has is judged by its value
)

// field is one field of the latest item in question.
type field struct {
	stored  model.Value // in the item
	has     bool        // the item has it
	former  []model.Value
	source  *model.Event // the newest stored event that has it
	settled bool         // no older event changes the decision
	older   bool         // an event older than source has the stored value
}

// ours reports whether the stored value is the former one of a changed event.
func (f *field) ours() bool { return f.has && slices.Contains(f.former, f.stored) }

// nextOfFields returns the item that follows was in a kind whose latest items have the fields of many events:
// each field has the value of the newest stored event with this field. What has expired stays until an event
// that had it is changed: applied events arrive in order, so they expire in order, and only the value of a
// late event may be older than one that has expired.
func (f *fold) nextOfFields(ctx context.Context,
	was item.DerivedLatest) (next item.DerivedLatest, needed bool, err error) {
	w := f.newWalk(was)
	if err := f.newestFirst(ctx, model.MinTime, walkPage, w.see); err != nil {
		return next, false, err
	}
	if !w.begun {
		w.begin(nil)
	}
	if w.seen >= walkLimit && !w.settled() {
		f.report.Bounded++
	}
	w.decide()
	if !f.always && w.skippable() {
		return w.next, false, nil
	}
	return w.next, true, nil
}

// walk goes from the newest event of a series back to older ones.
type walk struct {
	fold   *fold
	was    item.DerivedLatest
	next   item.DerivedLatest
	fields map[string]*field
	all    bool // every field of every event is in question: the item has no event
	seen   int
	begun  bool         // it is decided of which event the item is
	gone   bool         // the event of the item is not stored, and no change is its deletion
	newest *model.Event // of which the item is, unless nil
}

// newWalk returns a walk for the fields of the changed events, before and after the change.
func (f *fold) newWalk(was item.DerivedLatest) *walk {
	w := &walk{fold: f, was: was, next: was, fields: map[string]*field{}, all: !was.Ordered}
	for _, c := range f.changes {
		if c.Before == nil && c.Type != storage.Inserted { // not known which fields it had
			w.ask(was.Attrs)
		}
		for _, image := range []*model.Event{c.Before, c.After} {
			if image != nil && !image.Unreadable {
				w.ask(image.Attrs)
			}
		}
		if c.Before != nil && !c.Before.Unreadable {
			for _, a := range c.Before.Attrs {
				if field := w.fields[a.Name]; field != nil {
					field.former = append(field.former, a.Value)
				}
			}
		}
	}
	return w
}

// ask puts fields in question. Enrichment never is.
func (w *walk) ask(attrs model.Attrs) {
	for _, a := range attrs {
		if w.fields[a.Name] == nil && !w.fold.kind.IsEnrichment(a.Name) {
			v, has := w.was.Attrs.Get(a.Name)
			w.fields[a.Name] = &field{stored: v, has: has}
		}
	}
}

// see takes the next older event, and reports whether the walk goes on.
func (w *walk) see(e *model.Event) bool {
	w.seen++
	if e.Unreadable {
		w.pass(e)
		return w.goesOn()
	}
	if !w.begun {
		w.begin(e)
	}
	if w.all {
		w.ask(e.Attrs)
	}
	for name, f := range w.fields {
		v, has := e.Attrs.Get(name)
		switch {
		case !has || f.settled:
		case f.source == nil:
			f.source, f.settled = e, w.replaces(f, e) || v == f.stored
		case v == f.stored:
			f.older, f.settled = true, true
		}
	}
	return w.goesOn()
}

// replaces reports whether the value of the newest event that has a field replaces the stored one whatever
// older events have. The value of a late event may be older than one that has expired. Where the event of the
// item is not stored any more, each stored one is older, and its deletion may be folded later.
func (w *walk) replaces(f *field, e *model.Event) bool {
	return !f.has || f.ours() || !e.Late && !w.gone
}

// goesOn reports whether an older event may change a decision.
func (w *walk) goesOn() bool { return w.seen < walkLimit && (w.all || !w.settled()) }

// pass takes an event that cannot be decoded. It may have any field, so no older event replaces a value, but
// one that is the former value of a changed event.
func (w *walk) pass(e *model.Event) {
	if !w.begun && w.was.Ordered && e.Order == w.was.Order {
		w.begun, w.newest = true, e
	}
	for _, f := range w.fields {
		if f.source == nil && f.has && !f.ours() {
			f.settled = true
		}
	}
}

func (w *walk) settled() bool {
	for _, f := range w.fields {
		if !f.settled {
			return false
		}
	}
	return true
}

// begin decides of which event the item is, given the newest one that is stored; nil if there is none.
func (w *walk) begin(newest *model.Event) {
	w.begun, w.newest = true, newest
	switch {
	case newest != nil && (!w.was.Ordered || !newest.Before(w.was.Order)):
	case w.was.Ordered && w.deleted(w.was.Order):
		w.next.Ordered = false
		w.next.Order, w.next.Hash = model.Order{}, model.Hash{}
	default:
		w.gone = true // it has expired, or another fold is for its deletion
		return
	}
	if newest != nil {
		w.next.Ordered = true
		w.next.Order, w.next.Hash = newest.Order, newest.Hash
		w.ask(newest.Attrs)
	}
}

// deleted reports whether the event with this order, which is not stored, was deleted by what the changes say
// of it: one of them is the deletion, or has an image that has not expired.
func (w *walk) deleted(o model.Order) bool {
	now := w.fold.Now().Seconds()
	return slices.ContainsFunc(w.fold.changes, func(c storage.Change) bool {
		isStored := c.After != nil && (c.After.ExpiresAt == 0 || c.After.ExpiresAt > now)
		return c.Key.Order == o && (c.Type == storage.Deleted || isStored)
	})
}

// decide sets and removes the fields in question.
func (w *walk) decide() {
	var set model.Attrs
	remove := map[string]bool{}
	for name, f := range w.fields {
		switch {
		case f.source != nil && (w.replaces(f, f.source) || f.older):
			v, _ := f.source.Attrs.Get(name)
			set = append(set, model.Attr{Name: name, Value: v})
		case f.source == nil && f.ours():
			remove[name] = true
		}
	}
	set.Sort()
	kept := slices.DeleteFunc(slices.Clone(w.was.Attrs), func(a model.Attr) bool { return remove[a.Name] })
	w.next.Attrs = kept.Union(set)
}

// skippable reports whether nothing need be written: the item does not change, the changes are late inserts
// of events that are in nothing of it, and its event is stored. Any other fold renews the revision.
func (w *walk) skippable() bool {
	if w.was.Ordered != w.next.Ordered || w.was.Order != w.next.Order || w.was.Hash != w.next.Hash ||
		!slices.Equal(w.was.Attrs, w.next.Attrs) || w.newest == nil || w.newest.Order != w.next.Order {
		return false
	}
	return !slices.ContainsFunc(w.fold.changes, func(c storage.Change) bool {
		applied := c.Type == storage.Inserted && c.After != nil && !c.After.Late
		return !applied && (c.Type != storage.Inserted || c.Key.Order == w.next.Order || w.isSource(c.Key.Order))
	})
}

// isSource reports whether a field has its value from the event with this order.
func (w *walk) isSource(o model.Order) bool {
	for _, f := range w.fields {
		if f.source != nil && f.source.Order == o {
			return true
		}
	}
	return false
}
