package replay

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/collector"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// csvLines reads the rows of an export below its header.
func csvLines(text *bufio.Reader) (func() (webLine, error), []string, error) {
	rows := csv.NewReader(text)
	header, err := rows.Read()
	if err != nil {
		return nil, nil, usage.Errorf("read the header: %w", err)
	}
	return func() (webLine, error) {
		cells, err := rows.Read()
		line := webLine{text: strings.TrimSpace(string(csvLine(cells...))), row: make(map[string]string, len(cells))}
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

// goatCounterPath is the first column of the version of exports that is read.
const goatCounterPath = "2Path"

func goatCounterLines(name string, text *bufio.Reader) (func() (webLine, error), error) {
	lines, header, err := csvLines(text)
	if err == nil && header[0] != goatCounterPath {
		err = usage.Errorf("%s: not an export of GoatCounter in version 2: the header begins with %s", name, quote(header[0]))
	}
	return lines, err
}

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
	event := row["Event"] == "true"
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
	hit.Width, _ = strconv.Atoi(width) // 0 is unknown
	country, _, _ := strings.Cut(row["Location"], "-")
	fields := attrFields(hit.Attrs(collector.Request{Site: w.Site, Country: country}, nil), stream)
	fields[webfield.Visitor] = collector.Visitor(w.Secret, w.Site, row["Session"], "")
	delete(fields, webfield.Device) // the export does not name it
	if event {
		delete(fields, webfield.Path)
	} else {
		fields[webfield.Browser], fields[webfield.OS] = versions.ReplaceAllString(row["Browser"], ""), versions.ReplaceAllString(row["System"], "")
	}
	return at, fields, nil
}

// plausibleFile is the name of a file of an export, with that of the report.
var plausibleFile = regexp.MustCompile(`^(?:imported_)?([a-z_]+?)(?:_\d{8}_\d{8})?\.csv(?:\.gz)?$`)

func plausibleLines(name string, text *bufio.Reader) (func() (webLine, error), error) {
	found := plausibleFile.FindStringSubmatch(path.Base(name))
	if found == nil {
		return nil, usage.Errorf("%s: not a file of an export of Plausible: want imported_visitors_20240101_20241231.csv and such", name)
	}
	next, _, err := csvLines(text)
	return func() (webLine, error) {
		line, err := next()
		line.row[catalog.StreamField] = found[1]
		return line, err
	}, err
}

// plausibleTexts are the columns that are no numbers.
var plausibleTexts = strings.Fields("source referrer utm_source utm_medium utm_campaign utm_content utm_term hostname page entry_page exit_page name link_url path country region city device browser browser_version operating_system operating_system_version")

// mostStream is the length in bytes to which the name of a series is cut, which then ends in a hash.
const mostStream = 200

// plausibleEvent returns the figures of a day, in a series of its own for each row of a report.
func plausibleEvent(_ *Web, _ *catalog.Kind, row map[string]string) (time.Time, map[string]any, error) {
	at, err := time.Parse(time.DateOnly, row["date"])
	if err != nil {
		return at, nil, errors.New("date is not a day")
	}
	stream, fields := row[catalog.StreamField], map[string]any{}
	for _, name := range plausibleTexts {
		if text := row[name]; text != "" {
			stream, fields[name] = stream+" "+text, text
		}
		row[name] = ""
	}
	row["date"], row[catalog.StreamField] = "", ""
	if sum := sha256.Sum256([]byte(stream)); len(stream) > mostStream {
		stream = strings.ToValidUTF8(stream[:mostStream], "") + " " + hex.EncodeToString(sum[:8])
	}
	fields[catalog.StreamField] = stream
	for name, text := range row {
		if text == "" || text == `\N` {
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
