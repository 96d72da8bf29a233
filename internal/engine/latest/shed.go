package latest

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const (
	// shedBytes is how large the undeclared fields of a latest item may be before they are shed. Each append
	// then costs 32 write units for the item alone.
	shedBytes = 16 << 10
	// shedLimit is how many events are read for that, newest first.
	shedLimit = 100_000
	// attrOverhead is what a field has beside its name and its text, at most.
	attrOverhead = 21
)

// Shed removes fields from a large latest item of a kind that keeps the fields of many events: those
// that the kind does not declare, and that no stored event has, so that no sender has sent them for as
// long as events are kept. Declared fields and enrichment stay. It reads the item alone if that is
// small. It changes nothing, and counts the item as Bounded, if the series has more events than are
// read, and changes nothing of a series with an event that cannot be decoded, which may have any field.
func (f *Folder) Shed(ctx context.Context, kind *catalog.Kind, s model.Series) (Report, error) {
	var report Report
	all := shedding{fold: fold{Folder: f, kind: kind, series: s, report: &report}}
	if err := f.Retrier.UntilWritten(ctx, transient, all.attempt); err != nil {
		return report, fmt.Errorf("shed fields of the latest item of %s: %w", s, err)
	}
	return report, nil
}

// shedding is a removal with its attempts. An append during an attempt changes the order of the item and
// makes the write fail. The next attempt reads only the events from the former order on, because the
// events before it were read: a change of these renews the revision, and then all are read again.
type shedding struct {
	fold
	read   bool // the events of the item as it was are read
	was    item.DerivedLatest
	unsent map[string]bool // undeclared fields of the item that no event has
}

func (s *shedding) attempt(ctx context.Context) (storage.WriteResult, error) {
	s.report.Reads++
	stored, err := s.Store.GetItem(ctx, keys.Latest(s.series))
	if err != nil {
		return 0, readError("read latest item", err)
	}
	was, err := item.ReadDerivedLatest(stored)
	if err != nil || was.PurgeLocked || !was.Ordered {
		return storage.Written, nil // an item that cannot be decoded stays as it is
	}
	from := model.MinTime
	if s.read && was.Rev == s.was.Rev {
		from = s.was.At
	} else {
		s.unsent = undeclared(s.kind, was.Attrs)
	}
	s.was, s.read = was, false
	if len(s.unsent) > 0 {
		if err := s.readEvents(ctx, from); err != nil {
			return 0, err
		}
	}
	if s.read = true; len(s.unsent) == 0 {
		return storage.Written, nil
	}
	next := was
	next.Attrs = slices.DeleteFunc(slices.Clone(was.Attrs), func(a model.Attr) bool { return s.unsent[a.Name] })
	return s.write(ctx, stored, &was, &next)
}

// readEvents leaves the fields in unsent that no event has from a time on.
func (s *shedding) readEvents(ctx context.Context, from model.Time) error {
	n := 0
	return s.newestFirst(ctx, from, 0, func(e *model.Event) bool {
		if n++; n > shedLimit {
			s.report.Bounded++
		}
		if n > shedLimit || e.Unreadable {
			clear(s.unsent)
		}
		for _, a := range e.Attrs {
			delete(s.unsent, a.Name)
		}
		return len(s.unsent) > 0
	})
}

// undeclared returns the names that the kind does not declare, if their fields are large together.
func undeclared(kind *catalog.Kind, attrs model.Attrs) map[string]bool {
	names, bytes := map[string]bool{}, 0
	for _, a := range attrs {
		if !kind.Knows(a.Name) && !kind.IsEnrichment(a.Name) {
			names[a.Name] = true
			bytes += len(a.Name) + len(a.Value.Text) + attrOverhead
		}
	}
	if bytes <= shedBytes {
		return nil
	}
	return names
}
