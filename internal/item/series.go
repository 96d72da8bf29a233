package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromListedSeries returns the stored form of an entry of the list of series. It never
// expires: a purge removes it.
func FromListedSeries(l entity.ListedSeries) Item {
	it := newItem(tablekeys.SeriesEntry(l.Series), 5)
	it[tablekeys.AttrOwner] = stringOf(keys.SubjectPartition(l.Series.Subject))
	it[tablekeys.AttrKind], it[tablekeys.AttrStream] = stringOf(l.Series.Kind), stringOf(l.Series.Stream)
	if l.Series.Kind != "" {
		it[tablekeys.AttrFirst], it[tablekeys.AttrLast] = timeOf(l.First), timeOf(l.Last)
	}
	return it
}

// ListedSeries is the inverse of FromListedSeries. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func ListedSeries(it Item) (l entity.ListedSeries, err error) {
	r := readerOf(it)
	l.Series.Subject, err = keys.ParseMetadata(keys.Key{PK: r.string(tablekeys.AttrOwner, required), SK: keys.ClassMetadata})
	if err != nil {
		r.fail(tablekeys.AttrOwner, "is not a subject")
	}
	l.Series.Kind, l.Series.Stream = r.string(tablekeys.AttrKind, required), r.string(tablekeys.AttrStream, required)
	if l.Series.Kind != "" {
		l.First, l.Last = r.time(tablekeys.AttrFirst, required), r.time(tablekeys.AttrLast, required)
	}
	if err = r.err; err == nil && tablekeys.SeriesEntry(l.Series) != it.Key() {
		err = keys.ErrKeyForm
	}
	if err != nil {
		return l, fmt.Errorf("read entry %.80q of the list of series: %w", it.Key().SK, err)
	}
	return l, nil
}
