package latest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newestFirst calls do with the events of the series from a time on, newest first, until do returns false.
// limit is how many a request reads, or 0. Expired events count as absent. Events that cannot be decoded,
// because they are damaged or of a newer format, are counted.
func (f *fold) newestFirst(
	ctx context.Context, from model.Time, limit int, do func(*model.Event) bool,
) error {
	r := storage.Range{
		Series: f.series, From: from, To: model.MaxTime + 1, Newest: true, Limit: limit, Consistent: true,
	}
	for e, err := range storage.Events(ctx, reads{f.Store, f.report}, r) {
		if err != nil {
			return readError("read events", err)
		}
		if e.ExpiresAt != 0 && e.ExpiresAt <= f.Now().Seconds() {
			continue
		}
		if e.Unreadable {
			f.report.Skipped++
		}
		if !do(&e) {
			return nil
		}
	}
	return nil
}

// newestReadable returns the newest event that can be decoded; nil if there is none. held reports whether the
// event of the item is stored and cannot be decoded: the item then stays as it is.
func (f *fold) newestReadable(ctx context.Context,
	was *item.DerivedLatest) (newest *model.Event, held bool, err error) {
	err = f.newestFirst(ctx, model.MinTime, 1, func(e *model.Event) bool {
		switch {
		case !e.Unreadable:
			newest = e
		case was.Ordered && e.Order == was.Order:
			held = true
		}
		return newest == nil && !held
	})
	return newest, held, err
}

// reads counts the pages that are read.
type reads struct {
	storage.EventReader
	report *Report
}

func (r reads) Events(ctx context.Context, q storage.Range) (storage.EventPage, error) {
	r.report.Reads++
	return r.EventReader.Events(ctx, q)
}
