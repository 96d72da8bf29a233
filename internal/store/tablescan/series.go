package tablescan

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// namesPage is how many items one request reads to find the names of series. Longer pages read more of series
// with many items, shorter ones send more requests for series with few.
const namesPage = 250

// Series returns the series that have events or rollups, and the series of the sessions that are folded
// from these, without shards, sorted by CompareSeries. It returns the series of one subject, or of the
// whole table if subject is the zero value. Of each series it reads one page of the events and one of each
// tier: for the whole table by short pages of a scan, which cost little beside the items that they skip. It
// does not use the list of series: a series whose stream records were lost is not in it.
func Series(ctx context.Context, table Table, kinds *catalog.Catalog,
	subject model.Subject) ([]model.Series, error) {
	if subject != (model.Subject{}) {
		return SubjectSeries(ctx, table, kinds, subject)
	}
	found := seriesSet{kinds: kinds, all: map[model.Series]bool{}}
	_, err := Pages(func(after keys.Key) ([]item.Item, keys.Key, error) {
		items, next, err := table.ScanPage(ctx, after, namesPage)
		return items, skipSeries(next), err
	}, found.add)
	return found.sorted(), err
}

// SubjectSeries returns the Series of one subject.
func SubjectSeries(ctx context.Context, table PartitionReader, kinds *catalog.Catalog,
	subject model.Subject) ([]model.Series, error) {
	found := seriesSet{kinds: kinds, all: map[model.Series]bool{}}
	for _, pk := range Partitions(subject, kinds) {
		_, err := Pages(func(after keys.Key) ([]item.Item, keys.Key, error) {
			items, next, err := table.Partition(ctx, pk, after)
			return items, skipSeries(next), err
		}, found.add)
		if err != nil {
			return nil, err
		}
	}
	return found.sorted(), nil
}

// seriesSet gathers the series of items.
type seriesSet struct {
	kinds *catalog.Catalog
	all   map[model.Series]bool
}

// add adds the series of an item, and the sessions that are folded from it. It always returns true.
func (s seriesSet) add(it item.Item) bool {
	if of, ok := keySeries(it.Key()); ok && !s.all[of] {
		s.all[of] = true
		for _, k := range s.kinds.SessionKinds(of.Kind) {
			s.all[k.SessionSeries(of)] = true
		}
	}
	return true
}

func (s seriesSet) sorted() []model.Series { return slices.SortedFunc(maps.Keys(s.all), CompareSeries) }

// skipSeries returns the last possible key of the same series and item class as k, so
// that the next page begins with another series or class. No item needs to have that key.
func skipSeries(k keys.Key) keys.Key {
	if e, err := keys.ParseEvent(k); err == nil {
		_, k.SK = keys.EventRange(e.Series, model.MinTime, model.MaxTime+1)
	}
	if r, err := keys.ParseRow(k); err == nil {
		unit, _ := tier.ParseUnit(r.Tier) // ParseRow accepted it
		_, k.SK = keys.RowRange(r.Series, unit, model.MinTime, model.MaxTime+1)
	}
	return k
}

func keySeries(k keys.Key) (model.Series, bool) {
	if e, err := keys.ParseEvent(k); err == nil {
		return e.Series.WithoutShard(), true
	}
	if r, err := keys.ParseRow(k); err == nil {
		return r.Series, r.Series.Shard == 0 // earlier versions wrote rows for each shard
	}
	return model.Series{}, false
}

// CompareSeries orders series by name.
func CompareSeries(a, b model.Series) int { return strings.Compare(a.String(), b.String()) }
