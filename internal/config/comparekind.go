package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/goal"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// kindRules has a row for each field of catalog.Kind: how a change of it is classified.
var kindRules = []struct {
	field string // name of the field
	judge func(path string, before, after catalog.Kind) []Change
}{
	{"Name", func(string, catalog.Kind, catalog.Kind) []Change { return nil }}, // kinds with different names are not compared
	{"Path", plain("path", func(k catalog.Kind) string { return k.Path },
		ruling{Safe, "the routes and topics of the kind change: update callers and devices"})},
	{"Subject", compareSubject},
	{"Measures", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "measures"), withoutGoals(a), withoutGoals(b), measureRules)
	}},
	{"Dimensions", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "dimensions"), a.Dimensions, b.Dimensions, dimensionRules)
	}},
	{"Distinct", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "distinct"), a.Distinct, b.Distinct, distinctRules)
	}},
	{"Enrichment", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "enrichment"), a.Enrichment, b.Enrichment, enrichmentRules)
	}},
	{"OrderBy", plain("orderBy", orderText,
		ruling{Refused, "stored events are ordered by what was declared when they were appended: declare a new kind"})},
	{"OrderType", func(string, catalog.Kind, catalog.Kind) []Change { return nil }}, // compared with OrderBy
	{"IndexBy", plain("indexBy", func(k catalog.Kind) string { return k.IndexBy },
		ruling{Safe, "it applies to new events: stored events stay in the index under the field that was declared when they were appended"})},
	{"LatestBy", plain("latestBy", latestByText,
		ruling{Safe, "a latest item enters the new index with its next append; until then its old index entry stays"})},
	{"Late", plain("late", func(k catalog.Kind) string { return string(k.Late) },
		ruling{Safe, "it applies to new events"})},
	{"IDs", plain("ids", func(k catalog.Kind) string { return string(k.IDs) },
		ruling{Safe, "it applies to new events: an event that is sent before and again after the change gets another id, and counts twice"})},
	{"OnCollision", plain("onCollision", func(k catalog.Kind) string { return string(k.OnCollision) },
		ruling{Safe, "it applies to new events; events that are stored or in quarantine do not change"})},
	{"FinerTime", plain("finerTime", func(k catalog.Kind) string { return finerText(k) },
		ruling{Safe, "it applies to new events"})},
	{"Latest", plain("latest", func(k catalog.Kind) string { return string(k.Latest) },
		ruling{Safe, "it applies to new events; a latest item changes with the next event or rollup of its series, and keeps its value under none"})},
	{"Shards", plain("shards", func(k catalog.Kind) string { return fmt.Sprint(k.Shards) },
		ruling{Refused, "stored events would be searched in other partitions, and count twice if they are sent again: the number of shards of a kind cannot change; declare a new kind"})},
	{"MaxMeasures", plain("maxMeasures", func(k catalog.Kind) string { return fmt.Sprint(k.MaxMeasures) },
		ruling{NeedsRebuild, "rollups that had no space for a measure do not have it until they are rebuilt"})},
	{"Sessions", plain("sessionsOf", sessionsText,
		ruling{Refused, "stored rows were folded by what was declared before, and merge with new ones to neither: declare a new kind"})},
	{"Goals", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "goals"), a.Goals, b.Goals, goalRules)
	}},
	{"Retention", func(path string, a, b catalog.Kind) []Change {
		return compareRetention(join(path, "tiers"), a.Retention, b.Retention)
	}},
}

func compareKind(path string, before, after catalog.Kind) (changes []Change) {
	for _, r := range kindRules {
		changes = append(changes, r.judge(path, before, after)...)
	}
	return changes
}

// plain returns a rule that compares one value of two kinds.
func plain(name string, show func(catalog.Kind) string, by ruling) func(string, catalog.Kind, catalog.Kind) []Change {
	return func(path string, before, after catalog.Kind) []Change {
		return differ(join(path, name), show(before), show(after), by)
	}
}

func differ(path, was, is string, by ruling) []Change {
	if was == is {
		return nil
	}
	return []Change{by.change(path, was, is)}
}

func orderText(k catalog.Kind) string {
	return strings.TrimSpace(k.OrderBy + " " + string(k.OrderType))
}

func sessionsText(k catalog.Kind) string { return k.Sessions.String() }

func finerText(k catalog.Kind) string {
	for text, policy := range finerPolicies {
		if policy == k.FinerTime {
			return text
		}
	}
	return ""
}

var measureRules = memberRules[rollup.MeasureSpec]{
	name: func(m rollup.MeasureSpec) string { return m.Name },
	show: func(m rollup.MeasureSpec) string {
		return fmt.Sprintf("{scale: %d, percentiles: %t}", m.Scale, m.Percentiles)
	},
	added:   ruling{Safe, "it is summarised as declared from now on"},
	removed: ruling{NeedsRebuild, "its numbers are still summarised, with scale 9 and without percentiles, but values that are not numbers no longer count as invalid; stored rollups keep their counts until they are rebuilt"},
	both: func(path string, a, b rollup.MeasureSpec) []Change {
		scale, percentiles := ruling{Safe, "new events keep more digits; stored rollups do not change"}, ruling{Safe, "new rollups have no percentiles; stored ones keep theirs"}
		if b.Scale < a.Scale {
			scale = ruling{Refused, "stored sums have more digits than the new scale allows: a scale can only grow"}
		}
		if b.Percentiles {
			percentiles = ruling{NeedsRebuild, "stored rollups have no percentiles: those of a day would cover only its later hours until it is rebuilt"}
		}
		changes := differ(join(path, "scale"), fmt.Sprint(a.Scale), fmt.Sprint(b.Scale), scale)
		return append(changes, differ(join(path, "percentiles"), fmt.Sprint(a.Percentiles), fmt.Sprint(b.Percentiles), percentiles)...)
	},
}

var (
	countedSince  = ruling{NeedsRebuild, "stored rollups do not have it: a day would count only its later hours until it is rebuilt"}
	countedNoMore = ruling{NeedsRebuild, "stored rollups keep it until they are rebuilt"}
)

var dimensionRules = memberRules[rollup.DimensionSpec]{
	name:  func(d rollup.DimensionSpec) string { return d.Name },
	show:  func(d rollup.DimensionSpec) string { return fmt.Sprintf("{top: %d}", d.Top) },
	added: countedSince, removed: countedNoMore,
	both: func(path string, a, b rollup.DimensionSpec) []Change {
		return differ(join(path, "top"), fmt.Sprint(a.Top), fmt.Sprint(b.Top), ruling{NeedsRebuild, "stored rollups keep as many values as before until they are rebuilt"})
	},
}

// textRules returns the rules for a list of names.
func textRules(added, removed ruling) memberRules[string] {
	return memberRules[string]{
		name: func(name string) string { return name }, show: func(string) string { return "declared" },
		added: added, removed: removed,
		both: func(string, string, string) []Change { return nil },
	}
}

var (
	distinctRules   = textRules(countedSince, countedNoMore)
	enrichmentRules = textRules(
		ruling{Safe, "from now on, observations that have this field are rejected"},
		ruling{Safe, "from now on, observations can overwrite the value that another writer stored in the latest item"})
)

var goalRules = memberRules[goal.Goal]{
	name:    func(g goal.Goal) string { return g.Name },
	show:    goal.Goal.String,
	added:   ruling{NeedsRebuild, "sessions of stored rollups did not count it: tidemark reshape recomputes those whose events are stored, and rollups say from when it is whole"},
	removed: countedNoMore,
	both: func(path string, a, b goal.Goal) []Change {
		return differ(path, a.String(), b.String(), ruling{Refused, "stored rollups have the sessions that met what was declared before: declare a goal of another name"})
	},
}

// withoutGoals returns the measures that are not those of goals.
func withoutGoals(k catalog.Kind) []rollup.MeasureSpec {
	return slices.DeleteFunc(slices.Clone(k.Measures), func(m rollup.MeasureSpec) bool {
		return slices.ContainsFunc(k.Goals, func(g goal.Goal) bool { return slices.Contains(g.Fields(), m.Name) })
	})
}

// latestByText returns the indexes of latest items as text.
func latestByText(k catalog.Kind) string {
	return strings.Join(lists.Map(k.LatestBy, func(x catalog.LatestIndex) string {
		return fmt.Sprintf("%s by %s, sorted by %s, half %s", x.Index, strings.Join(x.By, " "), strings.Join(x.Sort, " "), x.Half)
	}), "; ")
}
