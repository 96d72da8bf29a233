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

// noPartition is the value of rows that have none.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// calendarPartitions are the titles of partitions that are parts of the time of each row.
var calendarPartitions = []string{"year", "month", "day", "hour", "minute", "week", "quarter", "date", "dt",
	"ds", "y", "m", "d", "h", "yyyy", "mm", "dd", "hh", "yearmonth", "eventdate", "ingestdate"}

// partitions returns the columns that the path of a file has, and no row of it. They are text, unless the
// user gives their type: 007 is a code. The parts of a time are not used, but where the user maps them; the
// files of this program have each field in their rows.
func (r *csvReader) partitions() (all []made) {
	folders := strings.Split(r.name, "/")
	for _, folder := range folders[:len(folders)-1] {
		m := partition.FindStringSubmatch(folder)
		if m == nil || slices.Contains(r.header, m[1]) || m[2] == noPartition ||
			findDialect(r.kind, r.header).name != "" {
			continue
		}
		isMapped := slices.ContainsFunc(r.columns, func(c column) bool { return c.header == m[1] })
		isOther := slices.Contains(calendarPartitions, title(m[1])) ||
			r.columns.isWhole(r.kind, r.shape.Constants)
		if isOther && !isMapped {
			unused := fmt.Sprintf("%s of the path: --map with its name uses it", Quote(m[1]))
			r.refused = append(r.refused, unused)
			continue
		}
		value := m[2]
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		all = append(all, made{name: m[1], from: "from the path, " + Quote(value),
			cell: func([]string) string { return value }})
		if _, isGiven := r.given[m[1]]; !isGiven {
			r.given = maps.Clone(r.given)
			if r.given == nil {
				r.given = map[string]columns.Type{}
			}
			r.given[m[1]] = columns.Text
		}
	}
	return all
}
