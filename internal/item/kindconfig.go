package item

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// FromKindConfig returns the stored form of c. It never expires.
func FromKindConfig(c *entity.KindConfig) Item {
	it := newItem(tablekeys.KindConfig(c.Kind), 3)
	it.setJSON(tablekeys.AttrConfig, withRetentions(*c, tier.Forever, 0))
	it[tablekeys.AttrRev] = bytesOf(c.Rev[:])
	it[tablekeys.AttrAt] = timeOf(c.AppliedAt)
	return it
}

// KindConfig is the inverse of FromKindConfig. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func KindConfig(it Item) (entity.KindConfig, error) {
	kind, err := tablekeys.ParseKindConfig(it.Key())
	if err != nil {
		return entity.KindConfig{}, err
	}
	r := readerOf(it)
	c := entity.KindConfig{Kind: kind, Rev: r.bytes16(tablekeys.AttrRev, required), AppliedAt: r.time(tablekeys.AttrAt, required)}
	r.json(tablekeys.AttrConfig, &c, "is not a configuration", required)
	return decoded(&r, withRetentions(c, 0, tier.Forever), "the configuration of kind %s", kind)
}

// withRetentions returns c with another value for the retentions that are equal to one: the
// stored form of forever is 0.
func withRetentions(c entity.KindConfig, was, is time.Duration) entity.KindConfig {
	c.Tiers = slices.Clone(c.Tiers)
	all := []*time.Duration{&c.Raw, &c.LeastRaw}
	for i := range c.Tiers {
		all = append(all, &c.Tiers[i].Retention, &c.Tiers[i].Least)
	}
	for _, d := range all {
		if *d == was {
			*d = is
		}
	}
	return c
}

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

// ListedSeries is the inverse of FromListedSeries. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
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
