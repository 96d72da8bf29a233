package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// tables are the lists of names that an archive of GoatCounter has beside its counts, by file and id.
type tables map[string]map[string]map[string]string

// counted is a file of counts: the report that it becomes, and the lists that its ids refer to.
type counted struct {
	report string
	lists  []listed
	column string // that is a text itself, and the field that it becomes; "" is none
	field  string
	events string // the report that the counts of an event become; "" leaves them out
}

// listed is an id in a row of counts, and the fields that the members of its entry in a list become.
type listed struct {
	id, list string
	fields   map[string]string
}

// isGoatCounterFile reports whether a file of an archive is one of this version. A later one may add files.
func isGoatCounterFile(file string) bool {
	name, _, _ := strings.Cut(file, ".")
	_, isCount := goatCounts[name]
	return isCount || slices.Contains(goatLists, name)
}

// goatLists are the files beside the counts.
var goatLists = []string{"info", "paths", "refs", "browsers", "systems", "languages", "locations"}

var ofPath = listed{id: "path_id", list: "paths", fields: map[string]string{"path": "page"}}

// goatCounts are the files of counts of version 1 of the export, as its documentation has them
// (github.com/arp242/goatcounter, tpl/help/export-json.md at c957f51c).
var goatCounts = map[string]counted{
	"hit_stats": {report: "pages", events: "custom_events", lists: []listed{
		ofPath, {id: "ref_id", list: "refs", fields: map[string]string{"ref": "referrer"}},
	}},
	"browser_stats": {report: "browsers", lists: []listed{
		ofPath, {id: "browser_id", list: "browsers", fields: map[string]string{
			"name": "browser", "version": "browser_version",
		}},
	}},
	"system_stats": {report: "operating_systems", lists: []listed{
		ofPath, {id: "system_id", list: "systems", fields: map[string]string{
			"name": "operating_system", "version": "operating_system_version",
		}},
	}},
	"location_stats": {report: "locations", lists: []listed{ofPath}, column: "location", field: "region"},
	"language_stats": {report: "languages", lists: []listed{ofPath}, column: "language", field: "language"},
	"size_stats":     {report: "widths", lists: []listed{ofPath}, column: "width", field: "width"},
	siteHours:        {report: "visitors"},
}

// siteHours is the report that is added: the views of all pages in an hour.
const siteHours = "site_hours"

// goatCounterJSONLines reads the lines of one file. Behind all counts of pages are their sums by hour.
func goatCounterJSONLines(w *Web, name string, text *bufio.Reader) (func() (webLine, error), error) {
	file, _, _ := strings.Cut(fileName(name), ".")
	lines := countLines{web: w, file: file, text: text, sums: map[model.Time]float64{}}
	switch file {
	case "info":
		return func() (webLine, error) { return webLine{}, io.EOF }, nil
	case "hit_stats":
		return lines.withSums, nil
	}
	return lines.next, nil
}

// countLines reads a file of an archive.
type countLines struct {
	web    *Web
	file   string
	text   *bufio.Reader
	number int                    // of the line
	sums   map[model.Time]float64 // by hour, which may be in any order
}

func (c *countLines) next() (webLine, error) {
	line, err := jsonRow(c.text)
	c.number++
	line.number = c.number
	if err == nil {
		line.row[catalog.StreamField] = c.file
	}
	return line, err
}

// withSums returns the lines, and behind them one with the sum of each hour.
func (c *countLines) withSums() (webLine, error) {
	line, err := c.next()
	if errors.Is(err, io.EOF) && len(c.sums) > 0 {
		return c.total(), nil
	}
	if err != nil || c.web.isEvent(line.row) {
		return line, err
	}
	hour, wrongHour := time.Parse(time.RFC3339, line.row["hour"])
	count, wrongCount := strconv.ParseFloat(line.row["count"], 64)
	if cmp.Or(wrongHour, wrongCount) == nil && count > 0 { // another text is a problem of its own line
		c.sums[model.NewTime(hour)] += count
	}
	return line, nil
}

// total returns a line with the sum of the first hour that is left.
func (c *countLines) total() webLine {
	hour := slices.Min(slices.Collect(maps.Keys(c.sums)))
	row := map[string]string{catalog.StreamField: siteHours, "hour": hour.Time().UTC().Format(time.RFC3339),
		"count": strconv.FormatFloat(c.sums[hour], 'f', -1, 64)}
	delete(c.sums, hour)
	return webLine{number: c.number, text: row["hour"], row: row}
}

// jsonRow reads one object a line; each member becomes a text.
func jsonRow(text *bufio.Reader) (line webLine, err error) {
	raw, err := text.ReadBytes('\n')
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		if err == nil {
			return jsonRow(text)
		}
		return line, err
	}
	members := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return webLine{text: string(raw)}, &rowError{error: errors.New("the line is no JSON object")}
	}
	line = webLine{text: string(raw), row: map[string]string{}}
	for name, value := range members {
		if value != nil { // null is as a member that is not there
			line.row[name] = fmt.Sprint(value)
		}
	}
	return line, nil
}

// goatCounterCounts returns the figures of a row of counts. A row of a list is remembered, and is no event.
func goatCounterCounts(
	w *Web, _ *catalog.Kind, row map[string]string,
) (at time.Time, _ map[string]any, err error) {
	file := row[catalog.StreamField]
	of, known := goatCounts[file]
	if !known {
		w.remember(file, row)
		return at, nil, nil
	}
	if at, err = time.Parse(time.RFC3339, row["hour"]); err != nil {
		at, err = time.Parse(time.DateOnly, row["day"])
	}
	if err != nil {
		return at, nil, errors.New("hour or day is not a time")
	}
	count, err := model.ParseDecimal(row["count"])
	if err != nil {
		return at, nil, errors.New("count is not a number")
	}
	c := goatCount{isEvent: w.isEvent(row), fields: map[string]any{}}
	report := of.report
	if c.isEvent {
		report = of.events
		c.fields[webfield.EventsOfDay] = count
	} else {
		c.fields[webfield.ViewsOfDay] = count
	}
	if report == "" {
		return at, nil, nil // the row is one of a report without events
	}
	for _, l := range of.lists {
		entry, ok := w.tables[l.list][row[l.id]]
		if !ok {
			return at, nil, usererr.Errorf("%s %s is not in %s.jsonl of the archive", l.id, row[l.id], l.list)
		}
		c.putEntry(l, entry)
	}
	if of.column != "" {
		c.putColumn(of.field, row[of.column])
	}
	c.fields[catalog.StreamField] = rowStream(report, c.texts)
	return at, c.fields, nil
}

// goatCount collects the fields of a row of counts.
type goatCount struct {
	isEvent bool
	fields  map[string]any
	texts   []string // of the dimensions, also empty ones: rows of one hour differ in them
}

func (c *goatCount) put(name, text string) {
	c.texts = append(c.texts, text)
	if text != "" {
		c.fields[name] = text
	}
}

// putEntry puts what an entry of a list says of the row.
func (c *goatCount) putEntry(l listed, entry map[string]string) {
	for _, member := range []string{"path", "ref", "name", "version"} {
		name := l.fields[member]
		switch {
		case c.isEvent && member == "path" && name != "":
			name = webfield.Name
		case name == webfield.Referrer && entry["ref_scheme"] == "c":
			c.put(name, "") // a campaign and a referrer may have one name
			name = "utm_source"
		}
		if name != "" {
			c.put(name, entry[member])
		}
	}
	if id := entry[sameTexts]; id != "" {
		c.texts = append(c.texts, id)
	}
}

// putColumn puts the value that the row has itself. A region such as DE-BE has its country too.
func (c *goatCount) putColumn(field, text string) {
	country, _, within := strings.Cut(text, "-")
	if field == webfield.Region {
		c.put(webfield.Country, country)
	}
	if field != webfield.Region || within {
		c.put(field, text)
	}
}

// isEvent reports whether a row counts an event and no page view.
func (w *Web) isEvent(row map[string]string) bool {
	return isEvent(w.tables[ofPath.list][row[ofPath.id]]["event"])
}

// isEvent reports whether a path of GoatCounter is the name of an event: its versions write true or 1.
func isEvent(text string) bool { return text == "true" || text == "1" }

// sameTexts is a member that is added to an entry if an earlier one of its list has the same texts, such as a
// referrer that GoatCounter named and one that a page sent. It has the entry's id: rows of both are series.
const sameTexts = "same texts"

func (w *Web) remember(list string, row map[string]string) {
	if w.tables == nil {
		w.tables = tables{}
	}
	first := "first " + list
	for _, name := range []string{list, first} {
		if w.tables[name] == nil {
			w.tables[name] = map[string]map[string]string{}
		}
	}
	id := row["id"]
	w.tables[list][id] = row
	texts := fmt.Sprintf("%q", []string{row["path"], row["ref"], row["name"], row["version"],
		strconv.FormatBool(row["ref_scheme"] == "c"), strconv.FormatBool(isEvent(row["event"]))})
	if entry := w.tables[first][texts]; entry == nil {
		w.tables[first][texts] = row
	} else if entry["id"] != id {
		row[sameTexts] = id
	}
}
