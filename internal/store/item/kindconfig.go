package item

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// FromKindConfig returns the stored form of c. It never expires.
func FromKindConfig(c *storage.KindConfig) Item {
	it := newItem(tablekeys.KindConfig(c.Kind), 3)
	it.setJSON(tablekeys.AttrConfig, withRetentions(*c, tier.Forever, 0))
	it[tablekeys.AttrRev] = bytesValue(c.Rev[:])
	it[tablekeys.AttrAt] = timeValue(c.AppliedAt)
	return it
}

// KindConfig is the inverse of FromKindConfig. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func KindConfig(it Item) (storage.KindConfig, error) {
	kind, err := tablekeys.ParseKindConfig(it.Key())
	if err != nil {
		return storage.KindConfig{}, err
	}
	r := newReader(it)
	c := storage.KindConfig{Kind: kind, Rev: r.bytes16(tablekeys.AttrRev, required),
		AppliedAt: r.time(tablekeys.AttrAt, required)}
	r.json(tablekeys.AttrConfig, &c, "is not a configuration", required)
	return decoded(&r, withRetentions(c, 0, tier.Forever), "the configuration of kind %s", kind)
}

// withRetentions returns c with another value for the retentions that are equal to one: the
// stored form of forever is 0.
func withRetentions(c storage.KindConfig, was, is time.Duration) storage.KindConfig {
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
func FromListedSeries(l storage.ListedSeries) Item {
	it := newItem(tablekeys.SeriesEntry(l.Series), 5)
	it[tablekeys.AttrOwner] = stringValue(keys.SubjectPartition(l.Series.Subject))
	it[tablekeys.AttrKind], it[tablekeys.AttrStream] = stringValue(l.Series.Kind), stringValue(l.Series.Stream)
	if l.Series.Kind != "" {
		it[tablekeys.AttrFirst], it[tablekeys.AttrLast] = timeValue(l.First), timeValue(l.Last)
	}
	if l.Removed != 0 {
		it[tablekeys.AttrRemoved] = timeValue(l.Removed)
	}
	if l.Name != "" {
		it[tablekeys.AttrName] = stringValue(l.Name)
	}
	return it
}

// ListedSeries is the inverse of FromListedSeries. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func ListedSeries(it Item) (l storage.ListedSeries, err error) {
	r := newReader(it)
	l.Series.Subject, err = keys.ParseMetadata(
		keys.Key{PK: r.string(tablekeys.AttrOwner, required), SK: keys.ClassMetadata})
	if err != nil {
		r.fail(tablekeys.AttrOwner, "is not a subject")
	}
	l.Series.Kind, l.Series.Stream = r.string(tablekeys.AttrKind, required),
		r.string(tablekeys.AttrStream, required)
	if l.Series.Kind != "" {
		l.First, l.Last = r.time(tablekeys.AttrFirst, required), r.time(tablekeys.AttrLast, required)
	}
	l.Removed = r.time(tablekeys.AttrRemoved, optional)
	l.Name = r.string(tablekeys.AttrName, optional)
	if err = r.err; err == nil && tablekeys.SeriesEntry(l.Series) != it.Key() {
		err = keys.ErrKeyForm
	}
	if err != nil {
		return l, fmt.Errorf("read entry %.80q of the list of series: %w", it.Key().SK, err)
	}
	return l, nil
}
