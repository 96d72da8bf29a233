package config

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// kindRules has a row for each field of a kind: what a change of it means.
var kindRules = []struct {
	field string // of catalog.Kind
	judge func(path string, before, after catalog.Kind) []Change
}{
	{"Name", func(string, catalog.Kind, catalog.Kind) []Change { return nil }}, // by it they were paired
	{"Path", plain("path", func(k catalog.Kind) string { return k.Path },
		ruling{Safe, "the routes and topics of the kind change: callers and devices must follow"})},
	{"Subject", compareSubject},
	{"Measures", func(path string, a, b catalog.Kind) []Change {
		return compareNamed(join(path, "measures"), a.Measures, b.Measures, measureRules)
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
	{"IndexBy", plain("indexBy", func(k catalog.Kind) string { return k.IndexBy },
		ruling{Safe, "it holds for events from now on: those that are stored are found by what was declared when they came"})},
	{"LatestBy", plain("latestBy", latestByText,
		ruling{Safe, "currents are found by it once they are appended to again; entries that are stored stay till then"})},
	{"Late", plain("late", func(k catalog.Kind) string { return string(k.Late) },
		ruling{Safe, "it holds for events from now on"})},
	{"IDs", plain("ids", func(k catalog.Kind) string { return string(k.IDs) },
		ruling{Safe, "it holds for events from now on: one that is sent again across the change has another identity, and counts twice"})},
	{"FinerTime", plain("finerTime", func(k catalog.Kind) string { return finerText(k) },
		ruling{Safe, "it holds for events from now on"})},
	{"WithoutLatest", plain("latest", func(k catalog.Kind) string { return fmt.Sprint(!k.WithoutLatest) },
		ruling{Safe, "current is kept of events from now on, or stands still from now on; events and rows do not change"})},
	{"Shards", plain("shards", func(k catalog.Kind) string { return fmt.Sprint(k.Shards) },
		ruling{Refused, "events already stored would be looked for in other partitions, and counted twice when sent again: the number is fixed for the kind's life; declare a new kind"})},
	{"MaxMeasures", plain("maxMeasures", func(k catalog.Kind) string { return fmt.Sprint(k.MaxMeasures) },
		ruling{NeedsRebuild, "rows that had to leave measures out keep doing so until they are rebuilt"})},
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

// plain compares one value of two kinds.
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
	removed: ruling{NeedsRebuild, "its numbers are summarised all the same, at scale 9 and without percentiles, but what is none counts as invalid no longer: until they are rebuilt, rows say otherwise"},
	both: func(path string, a, b rollup.MeasureSpec) []Change {
		scale, percentiles := ruling{Safe, "digits are kept from now on; older rows keep theirs"}, ruling{Safe, "rows are folded without them from now on"}
		if b.Scale < a.Scale {
			scale = ruling{Refused, "sums that are stored have digits that the new ones could not hold: a scale may only grow"}
		}
		if b.Percentiles {
			percentiles = ruling{NeedsRebuild, "rows that stand have none: a day would tell those of its later hours alone, until it is rebuilt"}
		}
		changes := differ(join(path, "scale"), fmt.Sprint(a.Scale), fmt.Sprint(b.Scale), scale)
		return append(changes, differ(join(path, "percentiles"), fmt.Sprint(a.Percentiles), fmt.Sprint(b.Percentiles), percentiles)...)
	},
}

var (
	countedAnew   = ruling{NeedsRebuild, "rows that stand do not have it: a day would count its later hours alone, until it is rebuilt"}
	countedNoMore = ruling{NeedsRebuild, "rows that stand keep it until they are rebuilt"}
)

var dimensionRules = memberRules[rollup.DimensionSpec]{
	name:  func(d rollup.DimensionSpec) string { return d.Name },
	show:  func(d rollup.DimensionSpec) string { return fmt.Sprintf("{top: %d}", d.Top) },
	added: countedAnew, removed: countedNoMore,
	both: func(path string, a, b rollup.DimensionSpec) []Change {
		return differ(join(path, "top"), fmt.Sprint(a.Top), fmt.Sprint(b.Top), ruling{NeedsRebuild, "rows that stand hold as many values as before until they are rebuilt"})
	},
}

// textRules are those of a list of names.
func textRules(added, removed ruling) memberRules[string] {
	return memberRules[string]{
		name: func(name string) string { return name }, show: func(string) string { return "declared" },
		added: added, removed: removed,
		both: func(string, string, string) []Change { return nil },
	}
}

var (
	distinctRules   = textRules(countedAnew, countedNoMore)
	enrichmentRules = textRules(
		ruling{Safe, "observations that bring it are rejected from now on"},
		ruling{Safe, "observations may write it from now on, over what others wrote to current"})
)

// currentByText says by what currents are found, and where.
func latestByText(k catalog.Kind) string {
	var all []string
	for _, x := range k.LatestBy {
		all = append(all, fmt.Sprintf("%s by %s, sorted by %s, half %s", x.Index, strings.Join(x.By, " "), strings.Join(x.Sort, " "), x.Half))
	}
	return strings.Join(all, "; ")
}
