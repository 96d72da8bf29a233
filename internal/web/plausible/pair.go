package plausible

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// pair are two dimensions whose pairs of values rollups count. A value of the query is then both values, with
// rollup.PairSeparator between them.
type pair [2]string

// half returns the value of one of the two dimensions.
func (p *pair) half(value, dimension string) string {
	first, second, _ := strings.Cut(value, rollup.PairSeparator)
	if dimension == p[1] {
		return second
	}
	return first
}

// usePair sets the pair of dimensions that the query names, if it names two and rollups count their pairs.
func (r *run) usePair() {
	var names []string
	for _, name := range r.Dimensions {
		if !isTime(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, raw := range r.Filters {
		for _, name := range filtered(raw) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) != 2 {
		return
	}
	first, second := groupNamed(names[0]), groupNamed(names[1])
	if !first.isField() || !second.isField() || first.of[0].kind != second.of[0].kind {
		return
	}
	kind, ok := r.kinds.Kind(first.of[0].kind)
	if !ok {
		return
	}
	of := [2]string{first.of[0].fields[0], second.of[0].fields[0]}
	for _, d := range kind.Dimensions {
		switch d.Of {
		case of:
			r.pair = &pair{names[0], names[1]}
		case [2]string{of[1], of[0]}:
			r.pair = &pair{names[1], names[0]}
		default:
			continue
		}
		r.by = strings.Join(r.pair[:], " and ")
		r.grouped = group{[]source{{kind: kind.Name, fields: []string{d.Name}}}, first.metrics}
		r.sum = !slices.ContainsFunc(r.Dimensions, r.inPair)
	}
}

// inPair reports whether a dimension is one of the pair.
func (r *run) inPair(name string) bool { return r.pair != nil && slices.Contains(r.pair[:], name) }

// isField reports whether g has the values of one field as they are stored.
func (g group) isField() bool {
	return len(g.of) == 1 && len(g.of[0].fields) == 1 && g.of[0].value == nil
}

// filtered returns the dimensions that a filter names.
func filtered(raw json.RawMessage) (names []string) {
	var head string
	var parts, nested []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &head) != nil {
		return nil
	}
	switch head {
	case "not":
		return filtered(parts[1])
	case "and", "or":
		_ = json.Unmarshal(parts[1], &nested) // the filter is read, and refused, by plan
		for _, inner := range nested {
			names = append(names, filtered(inner)...)
		}
		return names
	}
	_ = json.Unmarshal(parts[1], &head)
	return []string{head}
}

// shown returns the name of a stored value.
func (r *run) shown(value string) string {
	if r.pair == nil {
		return shownAs(r.by, value)
	}
	first, second := r.pair.half(value, r.pair[0]), r.pair.half(value, r.pair[1])
	return shownAs(r.pair[0], first) + rollup.PairSeparator + shownAs(r.pair[1], second)
}

// key returns what rows group a value by: itself, one of a pair, or nothing.
func (r *run) key(value string) string {
	switch {
	case r.sum:
		return ""
	case r.pair == nil || slices.Contains(r.Dimensions, r.pair[0]) && slices.Contains(r.Dimensions, r.pair[1]):
		return value
	case slices.Contains(r.Dimensions, r.pair[0]):
		return r.pair.half(value, r.pair[0])
	}
	return r.pair.half(value, r.pair[1])
}

// valueFor returns the value of a dimension of the query, of a row's key.
func (r *run) valueFor(dimension, key string) string {
	if r.pair != nil && strings.Contains(key, rollup.PairSeparator) {
		return r.pair.half(key, dimension)
	}
	return key
}
