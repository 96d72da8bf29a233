package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// valuesShown are the values of a dimension in a line; top shows more.
const valuesShown = 3

// printDimensions shows what buckets count by value and by distinct value; nothing
// where they count neither.
func printDimensions(w io.Writer, found []query.Rollup) error {
	g := newGrid(w, 1, 3)
	g.add("BUCKET", "EVENTS", "FIELD", "DIFFERENT", "MOST FREQUENT")
	for _, r := range found {
		bucket, events := r.Bucket.Label(), strconv.FormatInt(r.Summary.Events(), 10)
		for _, name := range r.Summary.DistinctNames() {
			g.add(bucket, events, name, different(r.Summary.Distinct(name)), "")
		}
		for _, name := range r.Summary.DimensionNames() {
			d, _ := r.Summary.Dimension(name)
			g.add(bucket, events, name, roomFor(d), frequent(d))
		}
	}
	if len(g.rows) == 1 {
		return nil
	}
	fmt.Fprintln(w)
	return g.print(w)
}

// different is a distinct count; an estimate says so.
func different(n int64, exact bool) string {
	if exact {
		return strconv.FormatInt(n, 10)
	}
	return "about " + strconv.FormatInt(n, 10)
}

// roomFor is how many values a row holds; where it had no room for all there are more.
func roomFor(d rollup.Dimension) string {
	if d.Exact {
		return strconv.Itoa(len(d.Values))
	}
	return "over " + strconv.Itoa(len(d.Values))
}

func frequent(d rollup.Dimension) string {
	var parts []string
	for _, v := range d.Values[:min(valuesShown, len(d.Values))] {
		parts = append(parts, fmt.Sprintf("%s %d", v.Value, v.Count))
	}
	return strings.Join(parts, "  ")
}
