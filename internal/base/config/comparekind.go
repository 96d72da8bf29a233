package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// kindRules has a row for each field of catalog.Kind: how a change of it is classified.
var kindRules = []struct {
	field string // name of the field
	judge func(path string, before, after catalog.Kind) []Change
}{
	// kinds with different names are not compared
	{"Name", func(string, catalog.Kind, catalog.Kind) []Change { return nil }},
	{"Path", plain("path", func(k catalog.Kind) string { return k.Path })},
	{"Subject", compareSubject},
	{"Measures", listed(measureRules, withoutGoals)},
	{"Dimensions", listed(dimensionRules, func(k catalog.Kind) []rollup.DimensionSpec { return k.Dimensions })},
	{"Distinct", listed(textRules("distinct"), func(k catalog.Kind) []string { return k.Distinct })},
	{"Enrichment", listed(textRules("enrichment"), func(k catalog.Kind) []string { return k.Enrichment })},
	{"Undeclared", plain("undeclared", func(k catalog.Kind) string { return string(k.Undeclared) })},
	{"OtherFields", listed(textRules("otherFields"), func(k catalog.Kind) []string { return k.OtherFields })},
	{"Properties", listed(textRules("properties"), func(k catalog.Kind) []string { return k.Properties })},
	{"OrderBy", plain("orderBy", orderText)},
	{"OrderType", func(string, catalog.Kind, catalog.Kind) []Change { return nil }}, // compared with OrderBy
	{"IndexBy", plain("indexBy", func(k catalog.Kind) string { return k.IndexBy })},
	{"LatestBy", plain("latestBy", latestByText)},
	{"Late", plain("late", func(k catalog.Kind) string { return string(k.Late) })},
	{"IDs", plain("ids", func(k catalog.Kind) string { return string(k.IDs) })},
	{"OnCollision", plain("onCollision", func(k catalog.Kind) string { return string(k.OnCollision) })},
	{"FinerTime", plain("finerTime", finerText)},
	{"Latest", plain("latest", func(k catalog.Kind) string { return string(k.Latest) })},
	{"Shards", plain("shards", func(k catalog.Kind) string { return fmt.Sprint(k.Shards) })},
	{"MaxMeasures", plain("maxMeasures", func(k catalog.Kind) string { return fmt.Sprint(k.MaxMeasures) })},
	{"Sessions", plain("sessionsOf", func(k catalog.Kind) string { return k.Sessions.String() })},
	{"Goals", listed(goalRules, func(k catalog.Kind) []goal.Goal { return k.Goals })},
	{"Groups", listed(textRules("groups"), func(k catalog.Kind) []string { return k.Groups })},
	{"GroupsOf", compareGroupTiers},
	{"GroupBy", func(string, catalog.Kind, catalog.Kind) []Change { return nil }}, // follows from the name
	{"GroupByProfile", func(string, catalog.Kind, catalog.Kind) []Change { return nil }},
	{"Retention", func(path string, a, b catalog.Kind) []Change {
		return compareRetention(Join(path, "tiers"), a.Retention, b.Retention)
	}},
}

func compareKind(path string, before, after catalog.Kind) (changes []Change) {
	for _, r := range kindRules {
		changes = append(changes, r.judge(path, before, after)...)
	}
	return changes
}

// plain returns a rule that compares one value of two kinds.
func plain(name string, show func(catalog.Kind) string) func(string, catalog.Kind, catalog.Kind) []Change {
	return func(path string, before, after catalog.Kind) []Change {
		return differ(Join(path, name), show(before), show(after), "kinds."+name)
	}
}

// listed returns a rule that compares one list of two kinds.
func listed[T any](by memberRules[T],
	list func(catalog.Kind) []T) func(string, catalog.Kind, catalog.Kind) []Change {
	return func(path string, before, after catalog.Kind) []Change {
		return compareNamed(path, list(before), list(after), by)
	}
}

func orderText(k catalog.Kind) string {
	return strings.TrimSpace(k.OrderBy + " " + string(k.OrderType))
}

func finerText(k catalog.Kind) string {
	for text, policy := range FinerPolicies {
		if policy == k.FinerTime {
			return text
		}
	}
	return ""
}

var measureRules = memberRules[rollup.MeasureSpec]{
	list: "measures",
	name: func(m rollup.MeasureSpec) string { return m.Name },
	show: func(m rollup.MeasureSpec) string {
		return fmt.Sprintf("{scale: %d, percentiles: %t%s%s}",
			m.Scale, m.Percentiles, stepsText(m), unitText(m))
	},
	both: func(path string, a, b rollup.MeasureSpec) []Change {
		return slices.Concat(
			differ(Join(path, "scale"), fmt.Sprint(a.Scale), fmt.Sprint(b.Scale),
				lessOrMore("measures.scale", a.Scale, b.Scale)),
			differ(Join(path, "percentiles"), fmt.Sprint(a.Percentiles), fmt.Sprint(b.Percentiles),
				fmt.Sprintf("measures.percentiles.%t", b.Percentiles)),
			differ(Join(path, "type"), textFor(MeasureTypes, a.Counter), textFor(MeasureTypes, b.Counter),
				fmt.Sprintf("measures.counter.%t", b.Counter)),
			compareWrap(path, a, b),
			differ(Join(path, "mean"), textFor(Means, a.TimeMean), textFor(Means, b.TimeMean),
				fmt.Sprintf("measures.mean.%t", b.TimeMean)),
			differ(Join(path, "unit"), a.Unit, b.Unit, "measures.unit"))
	},
}

// compareWrap compares how two counters wrap around.
func compareWrap(path string, a, b rollup.MeasureSpec) []Change {
	if !a.Counter || !b.Counter {
		return nil
	}
	return differ(Join(path, "wrap"), fmt.Sprint(a.Wrap), fmt.Sprint(b.Wrap), "measures.wrap")
}

// textFor returns the text of a choice.
func textFor(choices map[string]bool, chosen bool) string {
	for text, value := range choices {
		if value == chosen {
			return text
		}
	}
	return ""
}

// stepsText returns the part of a declaration that is of steps between values; "" if nothing is.
func stepsText(m rollup.MeasureSpec) (text string) {
	if m.Counter {
		text += fmt.Sprintf(", type: counter, wrap: %d", m.Wrap)
	}
	if m.TimeMean {
		text += ", mean: time"
	}
	return text
}

// unitText returns the part of a declaration that is the unit; "" if there is none.
func unitText(m rollup.MeasureSpec) string {
	if m.Unit == "" {
		return ""
	}
	return ", unit: " + m.Unit
}

var dimensionRules = memberRules[rollup.DimensionSpec]{
	list: "dimensions",
	name: func(d rollup.DimensionSpec) string { return d.Name },
	show: func(d rollup.DimensionSpec) string { return fmt.Sprintf("{top: %d}", d.Top) },
	both: func(path string, a, b rollup.DimensionSpec) []Change {
		return slices.Concat(
			differ(Join(path, "top"), fmt.Sprint(a.Top), fmt.Sprint(b.Top), "dimensions.top"),
			differ(Join(path, "detail"), fmt.Sprint(a.Detail), fmt.Sprint(b.Detail), "dimensions.detail"),
			differ(Join(path, "of"), fmt.Sprint(a.Of), fmt.Sprint(b.Of), "dimensions.of"))
	},
}

// textRules returns the rules for a list of names.
func textRules(list string) memberRules[string] {
	return memberRules[string]{
		list: list,
		name: func(name string) string { return name }, show: func(string) string { return "declared" },
		both: func(string, string, string) []Change { return nil },
	}
}

var goalRules = memberRules[goal.Goal]{
	list: "goals",
	name: func(g goal.Goal) string { return g.Name },
	show: goal.Goal.String,
	both: func(path string, a, b goal.Goal) []Change {
		return differ(path, a.String(), b.String(), "goals.changed")
	},
}

// compareGroupTiers compares the finest tiers of a kind of groups.
func compareGroupTiers(path string, before, after catalog.Kind) []Change {
	if after.GroupsOf == "" || len(before.Retention.Tiers) == 0 || len(after.Retention.Tiers) == 0 {
		return nil
	}
	was, is := before.Retention.Finest().Unit.String(), after.Retention.Finest().Unit.String()
	return differ(Join(path, "tiers"), was, is, "groups.finest")
}

// withoutGoals returns the measures that do not belong to goals.
func withoutGoals(k catalog.Kind) []rollup.MeasureSpec {
	return slices.DeleteFunc(slices.Clone(k.Measures), func(m rollup.MeasureSpec) bool {
		return slices.ContainsFunc(k.Goals, func(g goal.Goal) bool { return slices.Contains(g.Fields(), m.Name) })
	})
}

// latestByText returns the indexes of latest items as text.
func latestByText(k catalog.Kind) string {
	return strings.Join(lists.Map(k.LatestBy, func(x catalog.LatestIndex) string {
		return fmt.Sprintf("%s by %s, sorted by %s, half %s", x.Index, strings.Join(x.By, " "),
			strings.Join(x.Sort, " "), x.Half)
	}), "; ")
}
