package plausible

import (
	"encoding/json"
	"slices"
	"strings"
)

// This file counts, from events, which percentage of visits met a goal.

// rates are the metrics of conversions in percent, and whether the visits that they are of have the values of
// the row in the other dimensions. Of conversion_rate, they are all visits of the period.
var rates = map[string]bool{"conversion_rate": false, "group_conversion_rate": true}

func isRate(metric string) bool {
	_, is := rates[metric]
	return is
}

// checkRate returns an error if a query with a rate has no goal, or has one in a filter of filters: the rate
// is of visits that pass all filters but the ones of conversions.
func (r *recount) checkRate(metric string) error {
	named := slices.Contains(r.Dimensions, goals)
	for _, raw := range r.Filters {
		switch isOf := isOfGoals(raw); {
		case isOf:
			named = true
		case strings.Contains(string(raw), `"`+goals+`"`):
			r.unmet = refuse("metric %q: want a filter by %s that is not in another one", metric, goals)
			return r.unmet
		}
	}
	if !named {
		return refuse("metric %q: want the dimension %s, or a filter by it", metric, goals)
	}
	return nil
}

// passesOthers reports whether a hit passes the filters that are not of conversions.
func (r *recount) passesOthers(h *hit) bool {
	for i, raw := range r.Filters {
		if !isOfConversions(raw) && !r.pass[i](h) {
			return false
		}
	}
	return true
}

// isOfConversions reports whether a filter is by a goal or a property alone. As in Plausible, it says which
// conversions are counted, and not which visits the rates are of.
func isOfConversions(raw json.RawMessage) bool {
	l, err := parseLeaf(raw)
	return err == nil && (l.dimension == goals || strings.HasPrefix(l.dimension, properties))
}

// totals are the visits that rates are of.
type totals map[position]map[*visit]bool

// add counts a visit in its period, under some keys.
func (t totals) add(period int, v *visit, keys ...string) {
	for _, key := range keys {
		at := position{period, key}
		if t[at] == nil {
			t[at] = map[*visit]bool{}
		}
		t[at][v] = true
	}
}

// The keys of the totals of a period; no values have them.
const (
	allVisits     = "\x00\x00"     // that pass the filters that are not of conversions
	passingVisits = "\x00\x00\x00" // that pass all filters
)

// percentage is the metric of how many of the visits that pass have the values of the row.
const percentage = "percentage"

// percentage returns it of a row.
func (t totals) percentage(period int, c *cell) float64 {
	all := len(t[position{period, passingVisits}])
	return round(100*float64(len(c.visits))/float64(max(1, all)), 1)
}

// rate returns a rate of the visits of a row.
func (r *recount) rate(t totals, metric string, at position, c *cell) float64 {
	of := position{at.period, allVisits}
	if rates[metric] {
		of.value = r.groupKey(at.value)
	}
	return round(100*float64(len(c.visits))/float64(max(1, len(t[of]))), 2)
}

// groupKey returns the key of a row without its goal.
func (r *recount) groupKey(key string) string {
	values, i := strings.Split(key, keySeparator), slices.Index(r.values(), goals)
	if i < 0 {
		return key
	}
	return strings.Join(slices.Delete(values, i, i+1), keySeparator)
}

// groupKeys returns the keys of the groups in which a hit counts.
func (r *recount) groupKeys(h *hit) []string {
	return r.valueKeys(h, slices.DeleteFunc(r.values(), func(name string) bool { return name == goals }))
}
