package printing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Rollups prints a line for each bucket and measure, of one measure if only names it. A bucket without a
// value has one line, which says what it has.
func (f Times) Rollups(w io.Writer, found []query.Rollup, only string, units Units) error {
	counters := slices.ContainsFunc(found, func(r query.Rollup) bool { return hasCounter(r, only) })
	table := terminal.NewTable(w, 2, 3, 4, 5, 6, 7, 8)
	header := []string{"BUCKET", "MEASURE", "COUNT", "INVALID", "MIN", "AVG", "MAX", "STDDEV", "P95", "NOTE"}
	if counters {
		table = terminal.NewTable(w, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
		header = slices.Insert(header, len(header)-1, counterHeader...)
	}
	table.Add(header...)
	changes, ofMost := markedChanges(found)
	for _, r := range found {
		bucket := f.bucket(r)
		if r.Gap {
			table.Add(slices.Concat([]string{bucket, "", "0"}, make([]string, len(header)-4), []string{"none"})...)
		}
		named := measureNames(r, only)
		if len(named) == 0 && !r.Gap {
			note := f.note(r, "", changes, eventsWithout(r, only))
			table.Add(slices.Concat([]string{bucket}, make([]string, len(header)-2), []string{note})...)
		}
		for _, name := range named {
			m := figure.New(r.Measure(name))
			line := []string{bucket, units.label(name),
				strconv.FormatInt(m.Count, 10), strconv.FormatInt(m.Invalid, 10),
				views.DecimalText(m.Min), floatText(m.Avg), views.DecimalText(m.Max), floatText(m.Stddev),
				terminal.Percentile(m.P95)}
			if counters {
				line = append(line, counterCells(m)...)
			}
			table.Add(append(line, f.note(r, name, changes, ""))...)
		}
	}
	if err := table.Print(); err != nil {
		return err
	}
	for _, text := range ofMost {
		fmt.Fprintln(w, text)
	}
	return nil
}

// measureNames returns the measures of a rollup: one or none if only is set.
func measureNames(r query.Rollup, only string) []string {
	return slices.DeleteFunc(r.Summary.Names(), func(name string) bool { return only != "" && name != only })
}

// eventsWithout says how many events a rollup has, none of them with a measure, or with any if only is "".
func eventsWithout(r query.Rollup, only string) string {
	switch n := r.Summary.Events(); n {
	case 0:
		return ""
	case 1:
		return "1 event without " + cmp.Or(only, "a number")
	default:
		return fmt.Sprintf("%d events without %s", n, cmp.Or(only, "a number"))
	}
}

// counterHeader has the columns of counters and means over time; a table without these has none of them.
var counterHeader = []string{"INCREASE", "PER SECOND", "TIME MEAN"}

func counterCells(f figure.Figures) []string {
	return []string{views.DecimalText(f.Increase), floatText(f.Rate), floatText(f.TimeMean)}
}

// hasCounter reports whether one of these figures of a measure is known, of one measure if only names it.
func hasCounter(r query.Rollup, only string) bool {
	return slices.ContainsFunc(r.Summary.Names(), func(name string) bool {
		f := figure.New(r.Measure(name))
		return f.Covered != nil && (only == "" || name == only)
	})
}

// bucket returns the label of a bucket, or its first moment where times are shown otherwise.
func (f Times) bucket(r query.Rollup) string {
	if f == (Times{}) || r.Local.Label != "" {
		return r.Label()
	}
	return f.Text(r.Bucket.Start)
}

// floatText returns a derived number to six digits, "" for nil.
func floatText(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', 6, 64)
}

func (f Times) note(r query.Rollup, measure string, changes []change, first string) string {
	var notes []string
	if first != "" {
		notes = append(notes, first)
	}
	if r.Open {
		notes = append(notes, "open")
	}
	if !r.Exact {
		notes = append(notes, "inexact")
	}
	if r.Summary.Truncated() {
		notes = append(notes, "truncated")
	}
	if r.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("%d unreadable", r.Unreadable))
	}
	for _, c := range changes {
		if at := c.at(r.Changes); at != 0 {
			notes = append(notes, c.name+" "+f.Text(at))
		}
	}
	if partial := partialText(r, rollup.MeasureRole, measure); partial != "" {
		notes = append(notes, partial)
	}
	if m := r.Measure(measure); m.Rounded > 0 && isTiny(m) {
		notes = append(notes, fmt.Sprintf("%d rounded to %d decimals: set scale", m.Rounded, m.Scale))
	}
	return strings.Join(notes, ", ")
}

// leastDigits is how many digits the greatest value of a measure has if rounding is not worth a note.
const leastDigits = 3

// isTiny reports whether rounding leaves few digits of the values of a measure: they need a finer scale.
func isTiny(m rollup.Measure) bool {
	most := max(math.Abs(m.Min.Float64()), math.Abs(m.Max.Float64()))
	return most < math.Pow10(leastDigits-m.Scale)
}

// partialText says from when a field is whole; "" if it is whole in the bucket.
func partialText(r query.Rollup, role rollup.FieldRole, name string) string {
	_, wholeFrom := views.LineExact(r.Exact, r.Partial, role, name)
	if wholeFrom == "" {
		return ""
	}
	return "partial, whole from " + wholeFrom
}

func fieldLabel(name, partial string) string {
	if partial != "" {
		return name + " (" + partial + ")"
	}
	return name
}

// shownValues is how many values of a dimension a line shows; "tidemark top" shows more.
const shownValues = 3

// Dimensions prints the dimensions and distinct counts of the buckets, if any.
func Dimensions(w io.Writer, found []query.Rollup) error {
	table := terminal.NewTable(w, 1, 3)
	table.Add("BUCKET", "EVENTS", "FIELD", "DISTINCT", "MOST FREQUENT")
	for _, r := range found {
		bucket, events := r.Label(), strconv.FormatInt(r.Summary.Events(), 10)
		for _, name := range r.Summary.DistinctNames() {
			partial := partialText(r, rollup.DistinctRole, name)
			table.Add(bucket, events, fieldLabel(name, partial), distinctText(r.Summary.Distinct(name)), "")
		}
		for _, d := range r.Dimensions() {
			partial := partialText(r, rollup.DimensionRole, d.Field)
			table.Add(bucket, events, fieldLabel(d.Name, partial), valuesText(d), frequentText(d))
		}
	}
	if table.Len() == 1 {
		return nil
	}
	fmt.Fprintln(w)
	return table.Print()
}

// distinctText returns a distinct count, with "about" if it is an estimate.
func distinctText(n int64, exact, _ bool) string {
	if exact {
		return strconv.FormatInt(n, 10)
	}
	return "about " + strconv.FormatInt(n, 10)
}

// valuesText returns how many values a dimension has, with "over" if the row does not hold all of them.
func valuesText(d query.Dimension) string {
	if d.Exact {
		return strconv.Itoa(len(d.Values))
	}
	return "over " + strconv.Itoa(len(d.Values))
}

func frequentText(d query.Dimension) string {
	parts := lists.Map(d.Values[:min(shownValues, len(d.Values))], func(v query.Counted) string {
		return fmt.Sprintf("%s %d", v, v.Count)
	})
	return strings.Join(parts, "  ")
}
