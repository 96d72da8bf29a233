package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Limits of groups.
const (
	maxGroupLevels = 4 // of a kind: each is a write of a share for each bucket of a member
	maxGroupFields = 4 // of a level
	maxGroupID     = 256
)

// leastSettling is how long late changes of members wait, at least, before the rows of their group have them.
const leastSettling = 5 * time.Minute

// levelName returns the part of names that a level of groups has: SITE_LINE for site/line.
func levelName(level string) string {
	var b strings.Builder
	for i, c := range level {
		switch {
		case 'a' <= c && c <= 'z':
			b.WriteRune(c - 'a' + 'A')
		case '0' <= c && c <= '9':
			b.WriteRune(c)
		case 'A' <= c && c <= 'Z':
			b.WriteString(strings.Repeat("_", min(i, 1)) + string(c))
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// profilePrefix begins a field of a level that is a field of the members' profiles: profile.accountId.
const profilePrefix = "profile."

// groupFields returns the fields of a level, and whether they are of profiles rather than of events. check
// refuses a level of both.
func groupFields(level string) (by []string, ofProfile bool) {
	by, ofProfile = strings.Split(level, "/"), strings.HasPrefix(level, profilePrefix)
	if ofProfile {
		for i := range by {
			by[i] = strings.TrimPrefix(by[i], profilePrefix)
		}
	}
	return by, ofProfile
}

// groupKind returns the kind of the groups of a level.
func groupKind(of *Kind, level string) Kind {
	by, ofProfile := groupFields(level)
	subject := reserved.GroupPrefix + levelName(level)
	path := strings.ToLower(strings.ReplaceAll(subject, "_", "-"))
	k := Kind{
		Name: of.Name + "_" + subject, Path: of.Path + "-" + path, Subject: SubjectType{Name: subject,
			Path: path},
		Measures: groupMeasures(of.Measures), MaxMeasures: of.MaxMeasures,
		Dimensions: of.Dimensions, Distinct: of.Distinct,
		Latest: NoLatest, GroupsOf: of.Name, GroupBy: by, GroupByProfile: ofProfile,
		Retention: groupRetention(of.Retention),
	}
	return k.complete()
}

// groupMeasures returns the measures of groups: the readings of several members are no sequence, so that
// there are no steps between them. The increase of a group is counted from the rows of its members.
func groupMeasures(of []rollup.MeasureSpec) []rollup.MeasureSpec {
	return lists.Map(of, func(m rollup.MeasureSpec) rollup.MeasureSpec {
		m.Counter, m.Wrap = false, 0
		m.TimeMean = false
		return m
	})
}

// groupGrace returns the grace of groups of which no member's bucket closes later than a time after its end:
// the least of 5, 10, 20, … minutes, so that most changes of the members' tiers leave it as it is.
func groupGrace(least time.Duration) time.Duration {
	grace := leastSettling
	for grace < least {
		grace *= 2
	}
	return grace
}

// groupRetention returns the tiers of groups. Raw is the retention of shares: events are kept shorter
// by a bucket and the time after which a straggler has been folded. A bucket of groups closes after the
// buckets of all members. A tier lives at least so long that the next one is folded before.
func groupRetention(of tier.Policy) tier.Policy {
	p := tier.Policy{Raw: of.Raw, LateEvery: min(groupGrace(of.LateEvery), time.Hour),
		Tiers: slices.Clone(of.Tiers)}
	var grace time.Duration
	for i := range p.Tiers {
		t := &p.Tiers[i]
		grace = max(grace, groupGrace(t.Grace+of.Jitter))
		t.Deferred, t.Grace = true, grace
		t.DeferredFrom, t.Least = 0, 0
	}
	if len(p.Tiers) == 0 || of.Raw == tier.Forever {
		return p
	}
	p.Raw += p.Tiers[0].Unit.Longest() + p.Tiers[0].Grace + tier.SlackAfterBucket
	p.Raw = (p.Raw + time.Hour - 1).Truncate(time.Hour)
	for i := range p.Tiers[:len(p.Tiers)-1] {
		if t := &p.Tiers[i]; t.Retention != tier.Forever {
			t.Retention = max(t.Retention, p.Raw+p.Tiers[i+1].Unit.Longest()+tier.SlackAfterBucket)
		}
	}
	return p
}

// withGroups returns the kinds and the kinds of their groups, which follow them.
func withGroups(kinds []Kind) []Kind {
	for i := range kinds[:len(kinds):len(kinds)] {
		for _, l := range kinds[i].Groups {
			kinds = append(kinds, groupKind(&kinds[i], l))
		}
	}
	return kinds
}

// linkGroups gives each kind the kinds of its groups. byName has pointers into the catalog.
func linkGroups(byName map[string]*Kind) {
	for _, k := range byName {
		if k.GroupsOf != "" {
			of := byName[k.GroupsOf]
			of.groups = append(of.groups, k)
		}
	}
	for _, k := range byName {
		slices.SortFunc(k.groups, func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
	}
}

// GroupKinds returns the kinds of the groups of k's events, in order of their names. k must be of a Catalog.
func (k *Kind) GroupKinds() []*Kind { return k.groups }

// Counters returns the names of the measures that are counters.
func (k *Kind) Counters() (names []string) {
	for _, m := range k.Measures {
		if m.Counter {
			names = append(names, m.Name)
		}
	}
	return names
}

// HasGroups reports whether a kind of the catalog is of groups.
func (c *Catalog) HasGroups() bool {
	return slices.ContainsFunc(c.Kinds, func(k Kind) bool { return k.GroupsOf != "" })
}

// groupByProfiles adds to the profiles of subject types the fields that groups of their kinds are by, and how
// long events are kept that count in these groups. Kinds of one type share their profile.
func groupByProfiles(kinds []Kind) {
	for i := range kinds {
		k := &kinds[i]
		for _, l := range k.Groups {
			if by, ofProfile := groupFields(l); ofProfile {
				p := k.Subject.Profile // declares the fields, see check
				p.GroupFields = slices.Compact(slices.Sorted(slices.Values(append(p.GroupFields, by...))))
				p.GroupsFor = max(p.GroupsFor, groupRetention(k.Retention).Raw)
			}
		}
	}
}

// GroupSeries returns the series of a group, in which events of a member's series count.
func (k *Kind) GroupSeries(id string, member model.Series) model.Series {
	return model.Series{Subject: model.Subject{Type: k.Subject.Name, ID: id}, Kind: k.Name,
		Stream: member.Stream}
}

// groups validates the declaration of groups.
func (c checker) groups() {
	if c.k.GroupsOf != "" {
		return
	}
	if reserved.Group(c.k.Subject.Name) {
		c.wrong("subject.name",
			quote(c.k.Subject.Name)+" begins as the types of groups do: choose another name")
	}
	if len(c.k.Groups) == 0 {
		return
	}
	if len(c.k.Groups) > maxGroupLevels {
		c.wrong("groups",
			fmt.Sprintf("%d are declared: want at most %d, each costs a write for each bucket of a series",
				len(c.k.Groups), maxGroupLevels))
	}
	for _, l := range c.k.Groups {
		field := "groups." + l
		by, ofProfile := groupFields(l)
		if ofProfile {
			c.profileGroup(field, l)
		}
		if len(by) > maxGroupFields {
			c.wrong(field, fmt.Sprintf("%d fields: want at most %d", len(by), maxGroupFields))
		}
		for _, name := range by {
			c.wrong(field, wrongField(name))
			if !ofProfile &&
				slices.ContainsFunc(c.k.Measures, func(m rollup.MeasureSpec) bool { return m.Name == name }) {
				c.wrong(field, quote(name)+" is a measure: want a field whose values name groups")
			}
		}
	}
	switch {
	case !c.k.HasEvents():
		c.wrong("groups", "events of the kind are not stored: declare groups of the kind that "+
			quote(c.k.Name)+" is folded from")
	case c.k.OrderBy != "" || len(c.k.Retention.Tiers) == 0:
		c.wrong("groups", "groups have rollups alone, and the kind has no tiers: add tiers, or remove groups")
	}
}

// profileGroup validates a level of groups by fields of profiles.
func (c checker) profileGroup(field, level string) {
	for name := range strings.SplitSeq(level, "/") {
		of, ofProfile := strings.CutPrefix(name, profilePrefix)
		switch p := c.k.Subject.Profile; {
		case !ofProfile:
			c.wrong(field, quote(name)+" is a field of events, and others of the level are of profiles: "+
				"declare a level of each")
		case p == nil || !slices.ContainsFunc(p.Fields(), func(f Field) bool { return f.Name == of }):
			c.wrong(field, fmt.Sprintf("the profile of a %s declares no field %q: add it to "+
				"subject.profile.fields, or group by a field of the events", c.k.Subject.Name, of))
		}
	}
	if tiers := c.k.Retention.Tiers; len(tiers) > 0 && !tiers[0].Deferred {
		c.wrong(field, fmt.Sprintf("a change of a profile moves buckets that wait for a sweep, and %s is "+
			"immediate: set mode: deferred for the finest tier, or group by a field of the events",
			tiers[0].Unit))
	}
}
