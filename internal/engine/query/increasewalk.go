package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// memberIncreases reads the increases of one member, in the streams of the request.
func (s *Service) memberIncreases(
	ctx context.Context, q Increases, l listedSubject,
) (MemberIncreases, error) {
	m, streams := MemberIncreases{Member: l.subject}, q.Streams
	if len(streams) == 0 {
		streams = []string{""}
	}
	begin := cmp.Or(q.By.Retention.Finest().From, model.MinTime)
	for _, listed := range l.series {
		if !slices.Contains(streams, listed.Series.Stream) {
			continue
		}
		w := increaseWalk{service: s, by: q.By.Name, begin: begin, measure: q.Measure, sums: &m,
			rollups: Rollups{
				Series: Series{Kind: q.Of, Subject: l.subject.ID, Stream: listed.Series.Stream},
				From:   q.From, To: q.To, Consistent: q.Consistent,
			}}
		if err := w.read(ctx); err != nil {
			return m, err
		}
	}
	m.Missing = union(m.Missing)
	return m, nil
}

// increaseWalk reads the increases of one series.
type increaseWalk struct {
	service *Service
	rollups Rollups
	by      string     // kind of groups
	begin   model.Time // of the groups
	measure string
	sums    *MemberIncreases
}

// read adds the increase of the whole range.
func (w *increaseWalk) read(ctx context.Context) error {
	q := w.rollups
	lost := func(unit tier.Unit, from, to model.Time) ([]Segment, error) {
		return w.service.missing(ctx, q, unit, from, to)
	}
	c := cutter{policy: q.commonPolicy(), missing: lost}
	if err := c.cut(len(c.policy.Tiers)-1, q.From, q.To); err != nil {
		return err
	}
	w.sums.Missing = append(w.sums.Missing, c.lost...)
	for _, part := range c.parts {
		if part.Unit == 0 { // events, of which no row says in which group they count
			w.sums.Missing = append(w.sums.Missing, part)
			continue
		}
		if err := w.rows(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// rows adds the increase of the rows of one part.
func (w *increaseWalk) rows(ctx context.Context, part Segment) error {
	q := w.rollups
	q.Unit = part.Unit
	q.From, q.To = part.From, part.To
	for r, err := range w.service.EachRollup(ctx, q) {
		switch {
		case err != nil:
			return err
		case r.Err != nil:
			w.sums.Missing = append(w.sums.Missing, r.unreadable())
			continue
		}
		if err := w.row(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// row adds the increase of a row to its group. Of a row of several groups the finer rows are read.
func (w *increaseWalk) row(ctx context.Context, r Rollup) error {
	switch group, one := w.group(r.Groups); {
	case r.Bucket.End <= w.begin:
		return w.add(r, MemberGroup{Unknown: true})
	case one && r.Bucket.Start >= w.begin:
		return w.add(r, MemberGroup{ID: group})
	}
	finer, err := w.finer(ctx, r.Bucket)
	switch {
	case err != nil:
		return err
	case finer == 0:
		return w.add(r, MemberGroup{Unknown: true})
	}
	return w.rows(ctx, Segment{Unit: finer, From: r.Bucket.Start, To: r.Bucket.End})
}

// group returns the only group among the names of a row: "" if its events are in none.
func (w *increaseWalk) group(names []string) (id string, one bool) {
	var ids []string
	for _, name := range names {
		kind, id, err := storage.ParseGroupName(name)
		if name == rollup.AllGroups || err != nil {
			return "", false
		}
		if kind == w.by {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "", true
	}
	return ids[0], len(ids) == 1
}

// finer returns the tier whose rows add up to a bucket, if all of them are stored; 0 if there is none.
func (w *increaseWalk) finer(ctx context.Context, b tier.Bucket) (tier.Unit, error) {
	policy := w.rollups.commonPolicy()
	_, level, _ := policy.Find(b.Unit)
	child := policy.ChildLevel(level, b)
	if child < 0 {
		return 0, nil
	}
	unit := policy.Tiers[child].Unit
	lost, err := w.service.missing(ctx, w.rollups, unit, b.Start, b.End)
	if err != nil || len(lost) > 0 {
		return 0, err
	}
	return unit, nil
}

// add adds the increase of a row that counts in one group.
func (w *increaseWalk) add(r Rollup, group MemberGroup) error {
	m := r.Measure(w.measure)
	if m.Count == 0 {
		return nil
	}
	_, before := r.Partial.Find(rollup.StepsRole, w.measure)
	one := GroupIncrease{Group: group, Members: 1, Exact: r.Exact && !before}
	if increase, known := m.Increase(); known {
		one.Increase = &increase
	}
	at, found := slices.BinarySearchFunc(w.sums.Groups, group,
		func(g GroupIncrease, group MemberGroup) int { return g.Group.compare(group) })
	if !found {
		w.sums.Groups = slices.Insert(w.sums.Groups, at, one)
		return nil
	}
	return w.sums.Groups[at].add(one)
}

// add adds the increase of o, and not its members.
func (g *GroupIncrease) add(o GroupIncrease) error {
	g.Exact = g.Exact && o.Exact
	if g.Increase == nil || o.Increase == nil {
		g.Increase = cmp.Or(g.Increase, o.Increase)
		return nil
	}
	sum, ok := g.Increase.Plus(*o.Increase)
	if g.Increase = &sum; !ok {
		return ErrTooLarge
	}
	return nil
}

// compare orders groups by id; the unknown one is last.
func (g MemberGroup) compare(o MemberGroup) int {
	switch {
	case g.Unknown == o.Unknown:
		return cmp.Compare(g.ID, o.ID)
	case g.Unknown:
		return 1
	}
	return -1
}
