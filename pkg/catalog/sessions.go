package catalog

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Sessions declares a kind without stored events: its events are the sessions of another kind's events, and
// its rows are folded from those. A session is events of one subject, stream and key, each at most Gap after
// the one before. It has the numbers views, duration (milliseconds) and bounce (1 if it has one event), the
// key, the fields of First and Last, and from its first event the other dimensions of its kind. It counts in
// the bucket of that event.
type Sessions struct {
	Of  string // name of the kind whose events are the sources
	By  string // text field of the sources with the key; events without it are in no session
	Gap time.Duration
	// Follow is how long after the end of its first bucket a session is followed. Later
	// sources are left out of its numbers.
	Follow time.Duration
	First  []SessionField // fields of the first source
	Last   []SessionField // fields of the last source
}

// SessionField is a field of a session and the field of a source that it is copied from.
type SessionField struct{ Name, Of string }

// String returns all of s in one line; "" for nil.
func (s *Sessions) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("of %s by %s, gap %s, follow %s, first %v, last %v", s.Of, s.By, s.Gap, s.Follow, s.First,
		s.Last)
}

// HasEvents reports whether events of the kind are stored. Other kinds are kinds of sessions, or of groups.
func (k *Kind) HasEvents() bool { return k.Sessions == nil && k.GroupsOf == "" }

// FoldedFrom returns the name of the kind whose events rows of a kind without events are folded from.
func (k *Kind) FoldedFrom() string {
	if k.Sessions != nil {
		return k.Sessions.Of
	}
	return k.GroupsOf
}

// SessionGap returns the gap between events after which a session ends; 0 unless the kind is of sessions.
func (k *Kind) SessionGap() time.Duration {
	if k.Sessions == nil {
		return 0
	}
	return k.Sessions.Gap
}

// FoldedAfter returns the time from which on sessions need no event from before a time; MinTime stays.
func (k *Kind) FoldedAfter(at model.Time) model.Time {
	if at == model.MinTime {
		return at
	}
	return at.Add(k.SessionGap())
}

// WithEvents returns the kinds whose events are stored. Sessions are never merged with the events
// that they are folded from.
func WithEvents(kinds []*Kind) []*Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k *Kind) bool { return !k.HasEvents() })
}

// SessionKinds returns the kinds whose rows are folded from a kind's events: their events are
// sessions of these, or these may meet their goals.
func (c *Catalog) SessionKinds(kind string) (all []*Kind) {
	for i := range c.Kinds {
		if k := &c.Kinds[i]; k.Sessions != nil && slices.Contains(k.sources(), kind) {
			all = append(all, k)
		}
	}
	return all
}

// sources returns the names of the kinds whose events sessions are folded from: first the kind
// whose events form sessions, then the kinds whose events may meet goals.
func (k *Kind) sources() []string {
	all := []string{k.Sessions.Of}
	for _, g := range k.Goals {
		for _, s := range g.Steps {
			if !slices.Contains(all, s.Of) {
				all = append(all, s.Of)
			}
		}
	}
	return all
}

// SessionSeries returns the series of the sessions of a source's series.
func (k *Kind) SessionSeries(source model.Series) model.Series {
	source.Kind = k.Name
	return source.WithoutShard()
}

// SourceSeries returns the stored series whose events rows of s are folded from: the shards of s, or for a
// kind of sessions the shards of each kind of its sources, beginning with Sessions.Of. A group has no
// events: the result is s, of which none are stored. k must be of a Catalog.
func (k *Kind) SourceSeries(s model.Series) (all []model.Series) {
	if k.Sessions == nil {
		return k.ShardSeries(s)
	}
	for _, name := range k.sources() {
		s.Kind = name
		all = append(all, k.kinds[name].ShardSeries(s)...)
	}
	return all
}

// shareRaw gives kinds of sessions the raw retention of their sources.
func shareRaw(kinds []Kind) {
	for i := range kinds {
		if k := &kinds[i]; k.Sessions != nil {
			if of := slices.IndexFunc(kinds, func(o Kind) bool { return o.Name == k.Sessions.Of }); of >= 0 {
				k.Retention.Raw, k.Retention.LeastRaw = kinds[of].Retention.Raw, kinds[of].Retention.LeastRaw
			}
		}
	}
}

// sessions validates the declaration of a kind of sessions.
func (c checker) sessions(kinds []Kind) {
	s := c.k.Sessions
	if s == nil {
		return
	}
	of := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == s.Of })
	if of < 0 || kinds[of].Subject.Name != c.k.Subject.Name || !kinds[of].HasEvents() ||
		kinds[of].OrderBy != "" {
		c.wrong("sessionsOf.kind",
			quote(s.Of)+" is not a kind of the same subject type whose events are stored and have a time: name one")
	}
	c.wrong("sessionsOf.by", wrongField(s.By))
	for _, f := range slices.Concat(s.First, s.Last) {
		c.wrong("sessionsOf."+f.Name, wrongField(f.Name))
		c.wrong("sessionsOf."+f.Name, wrongField(f.Of))
	}
	if c.k.Shards != 1 || c.k.HasLatest() || len(c.k.LatestBy) > 0 {
		c.wrong("sessionsOf",
			"has no stored events, so it can have neither shards nor latest items: remove them, "+
				"and write latest: none")
	}
	if by := c.k.IndexBy; by != "" && (by != s.By || of < 0 || kinds[of].IndexBy != by) {
		c.wrong("indexBy", "sessions are found in the index of the events that they are made of: want "+quote(s.By)+
			" here and for "+quote(s.Of))
	}
	c.sessionTimes()
}

// sessionTimes validates when sessions end, against the tiers.
func (c checker) sessionTimes() {
	s, p := c.k.Sessions, c.k.Retention
	switch {
	case len(p.Tiers) == 0:
		c.wrong("tiers", "sessions are not stored: without rollups the kind would have nothing, add a tier")
		return
	case s.Gap <= 0 || s.Gap > p.Finest().Unit.Longest():
		c.wrong("sessionsOf.gap", fmt.Sprintf(
			"%s is out of bounds: want more than 0 and at most one %s, the finest tier", s.Gap, p.Finest().Unit))
	case p.LateEvery != 0:
		c.wrong("tiers.lateEvery", "a late change of sessions is walked to their buckets at once: remove it")
	case s.Follow < s.Gap:
		c.wrong("sessionsOf.follow",
			fmt.Sprintf("%s is shorter than the gap of %s: want at least as long", s.Follow, s.Gap))
	case !p.Finest().Deferred || p.Finest().Grace < s.Gap:
		c.wrong("tiers."+p.Finest().Unit.String(),
			fmt.Sprintf("sessions end after a gap of %s: want deferred tiers with a grace of that and "+
				"the lateness that is usual", s.Gap))
	}
	need := p.Finest().Unit.Longest() + s.Follow + p.Finest().Grace + p.Jitter + tier.SlackAfterBucket
	if raw := p.LeastRawRetention(); raw < need {
		c.wrong("sessionsOf.follow",
			fmt.Sprintf("sources are kept for %s, which is too short: want at least one %s + follow + "+
				"grace + jitter + 3 d = %s", raw, p.Finest().Unit, need))
	}
}
