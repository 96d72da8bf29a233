package formats

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// partition is a folder of a table that Hive, Spark, Athena, DuckDB and others divide: device=d1. Its value
// is in no row of the files below it.
var partition = regexp.MustCompile(`^([A-Za-z_][\w.-]*)=(.+)$`)

// ownExport is the end of the path of a file that this program exports, which has each field in its rows.
var ownExport = regexp.MustCompile(`(?:^|/)kind=[^/]+/day=\d{4}-\d\d-\d\d/part[^/]*$`)

// noPartition is the value of rows that have none.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// calendarPartitions are the titles of partitions that are parts of the time of each row.
var calendarPartitions = []string{"year", "month", "day", "hour", "minute", "week", "quarter", "date", "dt",
	"ds", "y", "m", "d", "h", "yyyy", "mm", "dd", "hh", "yearmonth", "eventdate", "ingestdate"}

// folder is a partition in the path of a file, with its value.
type folder struct{ name, value string }

// findFolders returns the partitions in a path that have a value, and are not one of the columns or members
// of the rows, nor of the exports of this program.
func findFolders(path string, rows []string) (all []folder) {
	if ownExport.MatchString(path) {
		return nil
	}
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		m := partition.FindStringSubmatch(part)
		if m == nil || slices.Contains(rows, m[1]) || m[2] == noPartition {
			continue
		}
		value := m[2]
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		all = append(all, folder{m[1], value})
	}
	return all
}

// isCalendar reports whether a partition is a part of the time of each row.
func (f folder) isCalendar() bool { return slices.Contains(calendarPartitions, title(f.name)) }

// partitions returns the columns that the path of a file has, and no row of it. They are text, unless the
// user gives their type: 007 is a code. The parts of a time are not used, but where the user maps them; the
// files of this program have each field in their rows.
func (r *csvReader) partitions() (all []made) {
	for _, f := range findFolders(r.name, r.header) {
		if findDialect(r.kind, r.header).name != "" {
			continue
		}
		isMapped := slices.ContainsFunc(r.columns, func(c column) bool { return c.header == f.name })
		isOther := f.isCalendar() || r.columns.isWhole(r.kind, r.shape.Constants)
		if isOther && !isMapped {
			unused := fmt.Sprintf("%s of the path: --map with its name uses it", Quote(f.name))
			r.refused = append(r.refused, unused)
			continue
		}
		all = append(all, made{name: f.name, from: "from the path, " + Quote(f.value),
			cell: func([]string) string { return f.value }})
		if _, isGiven := r.given[f.name]; !isGiven {
			r.given = maps.Clone(r.given)
			if r.given == nil {
				r.given = map[string]columns.Type{}
			}
			r.given[f.name] = columns.Text
		}
	}
	return all
}
