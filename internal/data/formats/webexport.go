package formats

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// csvLines reads the rows of an export below its header. An empty file has no header and no rows.
func csvLines(text *bufio.Reader) (func() (webLine, error), []string, error) {
	rows := newCSVRows(text)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return func() (webLine, error) { return webLine{row: map[string]string{}}, io.EOF }, nil, nil
	}
	if err != nil {
		return nil, nil, usererr.Errorf("read the header: %w", err)
	}
	return func() (webLine, error) {
		cells, err := rows.Read()
		line := webLine{text: strings.TrimSpace(string(CSVLine(cells...))),
			row: make(map[string]string, len(cells))}
		if syntax := new(csv.ParseError); errors.As(err, &syntax) {
			line.number = syntax.StartLine
			return line, &rowError{error: syntax.Err}
		} else if err != nil {
			return line, err
		}
		line.number, _ = rows.FieldPos(0)
		for i, name := range header {
			line.row[name] = cells[i]
		}
		return line, nil
	}, header, nil
}

// fileName returns the name of a file without its folder, in small letters.
func fileName(place string) string { return strings.ToLower(path.Base(place)) }

func isCSVFile(file string) bool {
	return strings.HasSuffix(withoutCompression(file), ".csv")
}

// goatCounterPath ends the title of the first column, which begins with the version of the export.
const goatCounterPath = "Path"

func goatCounterLines(_ *Web, name string, text *bufio.Reader) (func() (webLine, error), error) {
	lines, header, err := csvLines(text)
	if err != nil || header == nil {
		return lines, err
	}
	if header[0] != "1"+goatCounterPath && header[0] != "2"+goatCounterPath {
		return nil, usererr.Errorf("%s: not a CSV of GoatCounter in version 1 or 2: the header begins with %s; "+
			"--format goatcounter-json reads its other export", name, Quote(header[0]))
	}
	isFirst := header[0] == "1"+goatCounterPath
	header[0] = goatCounterPath
	if i := slices.Index(header, "Browser"); isFirst && i >= 0 {
		header[i] = goatCounterAgent
	}
	if err := requireColumns(name, header, goatCounterPath, "Event", "Session", "Bot", "Date"); err != nil {
		return nil, err
	}
	return func() (webLine, error) {
		line, err := lines()
		var lasting []string
		for _, column := range slices.Sorted(maps.Keys(line.row)) {
			if column != "Title" { // a page may get another one, and all its lines of a later export have it
				lasting = append(lasting, column, line.row[column])
			}
		}
		line.identity = string(CSVLine(lasting...))
		return line, err
	}, nil
}

// requireColumns returns an error if a header lacks a column, or has one twice: its rows would be others.
func requireColumns(name string, header []string, required ...string) error {
	for i, column := range header {
		if slices.Contains(header[:i], column) {
			return usererr.Errorf("%s: two columns are named %s", name, Quote(column))
		}
	}
	for _, column := range required {
		if !slices.Contains(header, column) {
			return usererr.Errorf("%s: no column %s; the header has %s", name, column,
				Quote(strings.Join(header, ",")))
		}
	}
	return nil
}

// goatCounterAgent is the column Browser of version 1, which has the user agent.
const goatCounterAgent = "User agent"

var (
	// versions end the names of browsers and systems.
	versions = regexp.MustCompile(` [0-9].*$`)
	// campaigns are the parameters that name a source, by the scheme of a referrer: a text of
	// a campaign, and the name of a source.
	campaigns = map[string]string{"c": "?utm_source=", "g": "?source="}
)

// goatCounterEvent returns a page view, or of the kind of custom events an event. They are in streams
// of their own, so that no figure of the site includes them unless its reader asks for it.
func goatCounterEvent(w *Web, kind *catalog.Kind, row map[string]string) (time.Time, map[string]any, error) {
	at, err := time.Parse(time.RFC3339, row["Date"])
	event := isEvent(row["Event"])
	switch {
	case err != nil:
		return at, nil, errors.New("the column Date is not a time")
	case event != (kind.Name == web.CustomEvents.Name):
		return at, nil, nil
	}
	stream := webfield.ImportedStream
	if bot := row["Bot"]; bot != "0" && bot != "" {
		stream += " " + web.BotStream
	}
	pagePath, _, _ := strings.Cut(row[goatCounterPath], "?")
	hit := collector.Hit{URL: pagePath, Referrer: "https://" + row["Referrer"]}
	if name := campaigns[row["Referrer scheme"]]; name != "" {
		hit.URL, hit.Referrer = pagePath+name+url.QueryEscape(row["Referrer"]), ""
	}
	if event {
		hit.Name = row[goatCounterPath]
	}
	width, _, _ := strings.Cut(row["Screen size"], ",")
	hit.Width, _ = strconv.ParseInt(width, 10, 64) // 0 is unknown
	country, region, _ := strings.Cut(row["Location"], "-")
	from := collector.Request{
		Site: w.Site, Country: country, Region: region, UserAgent: row[goatCounterAgent],
	}
	fields := attrFields(hit.Attrs(from, nil), stream)
	delete(fields, webfield.Visitor)
	if session := row["Session"]; session != "" {
		fields[webfield.Visitor] = collector.Visitor(w.Secret, w.Site, session, "")
	}
	if from.UserAgent == "" { // version 2 names no device
		delete(fields, webfield.Device)
		putName(fields, webfield.Browser, row["Browser"])
		putName(fields, webfield.OS, row["System"])
	}
	if event {
		for _, field := range []string{webfield.Path, webfield.Browser, webfield.OS} {
			delete(fields, field)
		}
	}
	return at, fields, nil
}

// putName sets a field to the name of a browser or system without its version; one without a name has none.
func putName(fields map[string]any, field, name string) {
	if fields[field] = versions.ReplaceAllString(name, ""); name == "" {
		delete(fields, field)
	}
}

// plausibleFile matches the name of a file of an export, and captures the name of its report.
// Browsers number a second copy: (1).
var plausibleFile = regexp.MustCompile(
	`^(?:imported_)?([a-z_]+?)(?:_\d{8}_\d{8})?(?: ?\(\d+\))?\.csv(?:\.gz)?$`)

func plausibleLines(_ *Web, name string, text *bufio.Reader) (func() (webLine, error), error) {
	found := plausibleFile.FindStringSubmatch(fileName(name))
	if found == nil {
		return nil, usererr.Errorf(
			"%s: not a file of an export of Plausible: want imported_visitors_20240101_20241231.csv and such", name)
	}
	next, header, err := csvLines(text)
	if err != nil {
		return nil, err
	}
	for i, column := range header {
		header[i] = strings.ToLower(strings.TrimSpace(column))
	}
	if header != nil {
		if err := requireColumns(name, header, "date"); err != nil {
			return nil, err
		}
	}
	return func() (webLine, error) {
		line, err := next()
		line.row[catalog.StreamField] = found[1]
		return line, err
	}, nil
}

// plausibleTexts are the columns that are no numbers.
var plausibleTexts = strings.Fields(`source referrer utm_source utm_medium utm_campaign utm_content utm_term
	hostname page entry_page exit_page name link_url path country region city device browser browser_version
	operating_system operating_system_version property value channel`)

// rowStream returns the name of the series of a row, which its report and its texts name; a text is "" if the
// row has none. Rows with other texts have other names: where the names alone do not tell which text is
// where, a hash follows them.
func rowStream(report string, texts []string) string {
	filled := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	stream := strings.Join(append([]string{report}, filled...), " ")
	hasSpace := func(text string) bool { return strings.Contains(text, " ") }
	shown := readable(stream)
	isPlain := shown == stream && slices.Equal(filled, texts[:len(filled)])
	if !isPlain || slices.ContainsFunc(filled, hasSpace) {
		shown += " " + textHash(strings.Join(texts, "\x00"))
	}
	return shortened(shown)
}

// readable returns a text with spaces in place of newlines and of all else that a reader cannot see, which no
// name of a series has.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		if plaintext.Hidden(r) {
			return ' '
		}
		return r
	}, text)
}

func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// mostStream is the length in bytes to which the name of a series is cut, which then ends in a hash.
const mostStream = 200

// shortened returns the name of a series of at most mostStream bytes, and a hash behind it if it was longer.
func shortened(stream string) string {
	if len(stream) <= mostStream {
		return stream
	}
	return strings.ToValidUTF8(stream[:mostStream], "") + " " + textHash(stream)
}

// noValue is how an export of Plausible writes that a row has no value in a column.
const noValue = `\N`

// plausibleEvent returns the figures of a day, in a series of its own for each row of a report.
func plausibleEvent(_ *Web, _ *catalog.Kind, row map[string]string) (time.Time, map[string]any, error) {
	at, err := time.Parse(time.DateOnly, row["date"])
	if err != nil {
		return at, nil, errors.New("date is not a day")
	}
	fields := map[string]any{}
	var texts []string
	for _, name := range plausibleTexts {
		text, isColumn := row[name]
		if text == noValue {
			text = ""
		}
		if isColumn {
			texts = append(texts, text)
		}
		if text != "" {
			fields[name] = text
		}
		row[name] = ""
	}
	fields[catalog.StreamField] = rowStream(row[catalog.StreamField], texts)
	row["date"], row[catalog.StreamField] = "", ""
	for name, text := range row {
		if text == "" || text == noValue {
			continue
		}
		number, err := model.ParseDecimal(text)
		if err != nil {
			return at, nil, fmt.Errorf("%s is not a number", name)
		}
		if name == "visitors" {
			name = webfield.VisitorsOfDay
		}
		fields[name] = number
	}
	return at, fields, nil
}
