package aggregate

import (
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// touch is a bucket of a series that changes touch. It remembers nothing of what
// they were, only when they were and whether one of them was more than an insert.
type touch struct {
	key    rollup.Key
	bucket tier.Bucket
	kind   *catalog.Kind
	rung   int  // place of the bucket's tier in the kind's ladder
	first  int  // place in the batch of the first change
	force  bool // not all were inserts: an unchanged row is written all the same
	repair bool // asked for out of the table stream's order
	terms  Terms

	earliest, latest model.Time // of the changes, by event time
}

// piece is the part of a batch that is settled together.
type piece struct {
	rungs     [][]*touch // finest tier first, each in order of the earliest change
	strangers []int      // places of changes whose kind is not in the catalog
	expired   int        // removals by TTL: they never change a rollup
	end       int        // place after the last change
}

// gather reads changes from start on, until they touch limit buckets of the finest
// tiers. A coarser bucket is touched whenever a finer one is, whatever the finer look
// will find: the last batch may have ended between the two.
func gather(cat *catalog.Catalog, changes []model.Change, start, limit int) piece {
	p := piece{end: start}
	touched := map[rollup.Key]*touch{}
	for ; p.end < len(changes) && (len(p.rungs) == 0 || len(p.rungs[0]) < limit); p.end++ {
		c := &changes[p.end]
		kind, known := cat.Kind(c.Key.Series.Kind)
		switch {
		case c.What == model.Expired:
			p.expired++
		case !known:
			p.strangers = append(p.strangers, p.end)
		default:
			for _, t := range p.touch(touched, kind, c.Key.Series, c.Key.At, 0) {
				t.force = t.force || c.What != model.Inserted
			}
		}
	}
	return p
}

// asRepair says of every bucket whether it was asked for out of order.
func (p *piece) asRepair(repair bool) {
	for _, touches := range p.rungs {
		for _, t := range touches {
			t.repair = repair
		}
	}
}

// touch adds what lies over a time of a series, one bucket of each tier from rung low
// on, and answers all of them, those too that were touched before.
func (p *piece) touch(touched map[rollup.Key]*touch, kind *catalog.Kind, s model.Series, at model.Time, low int) (over []*touch) {
	for rung := low; rung < len(kind.Ladder.Tiers); rung++ {
		t := kind.Ladder.Tiers[rung]
		b := t.Unit.BucketOf(at)
		if !keeps(t, b) {
			continue
		}
		key := rowKey(s, b)
		found := touched[key]
		if found == nil {
			found = &touch{key: key, bucket: b, kind: kind, rung: rung, first: p.end, earliest: at, latest: at}
			touched[key] = found
			for len(p.rungs) <= rung {
				p.rungs = append(p.rungs, nil)
			}
			p.rungs[rung] = append(p.rungs[rung], found)
		}
		found.earliest, found.latest = min(found.earliest, at), max(found.latest, at)
		over = append(over, found)
	}
	return over
}

func rowKey(s model.Series, b tier.Bucket) rollup.Key {
	return rollup.Key{Series: s, Tier: b.Unit.String(), Start: b.Start}
}

// keeps reports whether tier t has a row for bucket b: a tier added later has rows
// from its From on only.
func keeps(t tier.Tier, b tier.Bucket) bool { return t.From == 0 || b.Start >= t.From }

// below is the rung whose rows add up to bucket b of the given rung; -1 where b is
// folded from events. A tier that begins within b has not all of it, so it is passed
// over.
func below(l tier.Ladder, rung int, b tier.Bucket) int {
	for i := rung - 1; i >= 0; i-- {
		if keeps(l.Tiers[i], b) {
			return i
		}
	}
	return -1
}

// above is the next coarser rung that has a row over bucket b; false where b's own
// is the coarsest.
func above(l tier.Ladder, rung int, b tier.Bucket) (int, tier.Bucket, bool) {
	for i := rung + 1; i < len(l.Tiers); i++ {
		if over := l.Tiers[i].Unit.BucketOf(b.Start); keeps(l.Tiers[i], over) {
			return i, over, true
		}
	}
	return 0, tier.Bucket{}, false
}
