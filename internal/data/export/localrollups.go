package export

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// localRecord is a record of a period of a time zone.
type localRecord struct {
	record
	Date string `json:"date"` // 2026-11-12
	Zone string `json:"zone"` // UTC where what is stored cannot be cut at the days of the zone
}

var _ entry = localRecord{}

func (r localRecord) json() ([]byte, error) { return json.Marshal(r) }

func (r localRecord) cells() ([]string, error) {
	row, err := r.record.cells()
	return append(row, views.SafeCells([]string{r.Date, r.Zone})...), err
}

func (r localRecord) values() ([]any, error) {
	row, err := r.record.values()
	return append(row, r.Date, r.Zone), err
}

// LocalRollups writes the rollups of all days, weeks, months or quarters of a time zone with events, as
// Rollups does, with the date and the zone in further columns. A period that is not known has one record
// without a number of events, which is not exact.
func (s Source) LocalRollups(ctx context.Context, w io.Writer, zone *time.Location, unit times.Unit,
	format string, progress func(int)) error {
	read := func(ctx context.Context, of *listed, emit func(entry) error) error {
		return s.readLocal(ctx, of, query.Local{Zone: zone, Unit: unit}, emit)
	}
	return s.table(ctx, w, format, columns.LocalRollups(), read, progress)
}

// readLocal reads the periods from the first event of a series on. AllLocal has the newest first: the others
// wait in memory as records.
func (s Source) readLocal(ctx context.Context, of *listed, q query.Local, emit func(entry) error) error {
	if of.Kind.OrderBy != "" {
		return nil // its events have no times
	}
	q.Rollups = query.Rollups{Series: of.Series, From: of.first,
		To: max(s.Query.Now()+1, of.last.Add(tier.Day24))} // the list may have the day of the last event
	var newestFirst [][]localRecord
	for day, err := range s.Query.AllLocal(ctx, q) {
		if err != nil {
			return err
		}
		newestFirst = append(newestFirst, newLocalRecords(of.Series, day))
	}
	for _, records := range slices.Backward(newestFirst) {
		for _, r := range records {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func newLocalRecords(of query.Series, day query.Rollup) (all []localRecord) {
	for _, r := range newRecords(of, &day) {
		all = append(all, localRecord{record: r, Date: day.Local.Label, Zone: day.Local.Zone})
	}
	return all
}
