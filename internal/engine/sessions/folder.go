package sessions

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Folder folds the sessions that begin in the buckets of a range. Add the source events from Start on, in
// order of time and id, until Add returns false or there are none. It keeps state for keys whose session may
// go on, and a fold for each bucket with events. It is not safe for concurrent use.
type Folder struct {
	kind   *catalog.Kind // of the sessions
	series model.Series  // of the sessions
	level  int
	from   model.Time // start of the first bucket
	to     model.Time // end of the last one
	begin  Span       // of the sessions that are folded

	specOf func(tier.Bucket) *rollup.Spec // fields of the fold of a bucket
	firsts []catalog.SessionField         // of a session, from its first event
	goals  goal.Set

	chains  map[string]*chain
	others  []model.Event          // of other kinds, in the last millisecond
	buckets map[model.Time]*bucket // by start
	latest  model.Time             // of the events of sessions that began in the range
	pruned  model.Time             // when chains that had ended were last removed
}

// Fold is the fold of a bucket.
type Fold struct {
	Bucket tier.Bucket
	*rollup.Fold
}

// chain is events of one key without a longer pause than the gap.
type chain struct {
	last    model.Time
	session *session // nil if the chain began before the range
}

// bucket is a bucket of the range with its fold.
type bucket struct {
	Fold
	spec  *rollup.Spec
	until model.Time // events at or after it are left out of the sessions' figures
}

// New returns a folder of the buckets of a level that lie in [from, to), which are the start
// and the end of buckets. series is the sessions' series.
func New(kind *catalog.Kind, series model.Series, level int, from, to model.Time) *Folder {
	return &Folder{
		kind: kind, series: series, level: level, from: from, to: to, begin: Span{From: from, To: to},
		specOf: func(tier.Bucket) *rollup.Spec {
			return kind.Spec()
		}, goals: goal.NewSet(kind.Goals), firsts: firstFields(kind),
		chains: map[string]*chain{}, buckets: map[model.Time]*bucket{},
		latest: model.MinTime, pruned: model.MinTime,
	}
}

// FoldBy sets by which fields each bucket is folded; by default by the kind's. Call it before Add.
func (f *Folder) FoldBy(specOf func(tier.Bucket) *rollup.Spec) { f.specOf = specOf }

// Begin folds only the sessions that begin in a part of the range. The buckets then lack the others, which
// end where they would end otherwise. Call it before Add.
func (f *Folder) Begin(from, to model.Time) { f.begin = Span{From: from, To: to} }

func (f *Folder) rule() *catalog.Sessions { return f.kind.Sessions }

// Start returns the time of the first event that matters: an event in the gap before the
// range may belong to the same session as one in it.
func (f *Folder) Start() model.Time { return max(f.from.Add(-f.rule().Gap), model.MinTime) }

// Ended reports whether no event at or after a time changes the folds.
func (f *Folder) Ended(at model.Time) bool {
	return at >= f.to && (at > f.latest.Add(f.rule().Gap) || at >= f.to.Add(f.rule().Follow))
}

// Add adds the next source event. It returns false, and adds nothing, if neither this event
// nor a later one changes the folds.
func (f *Folder) Add(e *model.Event) (more bool) {
	if len(f.others) > 0 && f.others[0].At < e.At {
		f.addOthers()
	}
	if f.Ended(e.At) {
		return false
	}
	if e.Series.Kind != f.rule().Of {
		f.others = append(f.others, *e)
		return true
	}
	f.prune(e.At)
	b := f.bucketAt(e.At)
	if b != nil {
		b.addSource(e)
	}
	if next := f.bucketAt(e.At.Add(f.rule().Gap)); next != nil {
		next.expiresWith(e.ExpiresAt)
	}
	if e.Unreadable {
		f.markInexact(e.At)
		return true
	}
	if key, ok := e.Attrs.Get(f.rule().By); ok && key.Kind == model.Text && key.Text != "" {
		f.addTo(key.Text, b, e)
	}
	return true
}

// addTo adds an event to the chain of its key, or begins a chain. b is the bucket of the
// event; nil outside the range.
func (f *Folder) addTo(key string, b *bucket, e *model.Event) {
	c := f.chains[key]
	if c != nil && c.last.Add(f.rule().Gap) < e.At {
		c.end(f)
		c = nil
	}
	switch {
	case c == nil:
		c = &chain{}
		f.chains[key] = c
		if b != nil {
			c.session = newSession(f.rule(), f.firsts, key, b, e, f.goals)
		}
	case b != nil && c.last < b.Bucket.Start:
		b.Continuation.Carried++
	}
	c.last = e.At
	if s := c.session; s != nil && e.At < s.bucket.until {
		s.add(e)
		f.goals.Add(s.goals, e)
		f.latest = e.At
	}
}

// addOthers adds events of other kinds, which may meet goals. Each is part of the session that
// goes on at its time, and prolongs none. They are added after all events of the sessions' own kind
// at the same time, because a session may begin with one of these.
func (f *Folder) addOthers() {
	for i := range f.others {
		e := &f.others[i]
		key, ok := e.Attrs.Get(f.rule().By)
		switch c := f.chains[key.Text]; {
		case e.Unreadable:
			f.markOngoing(e.At)
		case !ok || key.Kind != model.Text || c == nil || e.At > c.last.Add(f.rule().Gap):
		case c.session != nil && e.At < c.session.bucket.until:
			f.goals.Add(c.session.goals, e)
			c.session.addSource(e)
		}
	}
	f.others = f.others[:0]
}

// Folds ends all sessions and returns the folds of the buckets with source events, in order
// of time. Call it once, after the last event.
func (f *Folder) Folds() (all []Fold) {
	f.addOthers()
	for _, c := range f.chains {
		c.end(f)
	}
	for _, start := range slices.Sorted(maps.Keys(f.buckets)) {
		b := f.buckets[start]
		if b.Continuation.Events == 0 {
			continue
		}
		if b.Children == 0 {
			b.Children, b.FieldsAt = 1, b.spec.FieldsAt
		}
		b.Continuation.Settles = SettlesAt(f.kind, f.level, b.Bucket, f.series, b.Continuation.Reach)
		all = append(all, b.Fold)
	}
	return all
}

// prune removes chains that have ended, once in each gap: so a chain is visited a few times.
func (f *Folder) prune(now model.Time) {
	gap := f.rule().Gap
	if now <= f.pruned.Add(gap) {
		return
	}
	f.pruned = now
	for key, c := range f.chains {
		if c.last.Add(gap) < now {
			c.end(f)
			delete(f.chains, key)
		}
	}
}

// end adds the session of a chain to the fold of its bucket.
func (c *chain) end(f *Folder) {
	if c.session == nil {
		return
	}
	s, b := c.session, c.session.bucket
	if s.order.At < f.begin.From || s.order.At >= f.begin.To {
		return
	}
	b.AddEvent(s.event(f.series, f.goals))
	b.Continuation.Reach = max(b.Continuation.Reach, min(s.last.Add(f.rule().Gap), b.until))
}

// markInexact marks the folds that an event at a time may belong to, if its key is unknown.
func (f *Folder) markInexact(at model.Time) {
	for _, b := range []*bucket{f.bucketAt(at), f.bucketAt(at.Add(f.rule().Gap))} {
		if b != nil {
			b.Exact = false
		}
	}
	f.markOngoing(at)
}

// markOngoing marks the folds of the sessions that go on at a time.
func (f *Folder) markOngoing(at model.Time) {
	for _, c := range f.chains {
		if c.session != nil && c.last.Add(f.rule().Gap) >= at {
			c.session.bucket.Exact = false
		}
	}
}

// bucketAt returns the bucket of the range that contains a time; nil outside the range.
func (f *Folder) bucketAt(at model.Time) *bucket {
	if at < f.from || at >= f.to {
		return nil
	}
	interval := f.kind.Retention.Tiers[f.level].Unit.BucketAt(at)
	b := f.buckets[interval.Start]
	if b == nil {
		spec := f.specOf(interval)
		b = &bucket{Fold: Fold{interval, rollup.NewFold(spec)}, spec: spec,
			until: interval.End.Add(f.rule().Follow)}
		f.buckets[interval.Start] = b
	}
	return b
}

// addSource counts a source event in the bucket.
func (b *bucket) addSource(e *model.Event) {
	b.Continuation.Merge(rollup.Continuation{Events: 1, From: b.Bucket.Start, Last: e.At})
	b.expiresWith(e.ExpiresAt)
	b.NewestArrival = max(b.NewestArrival, e.ArrivedAt)
	b.NewestCorrection = max(b.NewestCorrection, e.CorrectedAt)
	if e.Unreadable {
		b.Unreadable++
	}
}

func (b *bucket) expiresWith(expiresAt int64) {
	b.ChildrenExpireAt = min(b.ChildrenExpireAt, cmp.Or(expiresAt, rollup.NoExpiry))
}
