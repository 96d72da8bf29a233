package formats

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// accessLog is how a server writes a request on a line. Its columns have the names that CloudFront gives
// them; nil is CloudFront itself, which names them in the line "#Fields:" and separates cells by tabs.
type accessLog struct {
	columns    []string
	timeLayout string
}

var (
	combined = accessLog{strings.Fields(
		"c-ip identity user time request sc-status sc-bytes cs(Referer) cs(User-Agent)"),
		"02/Jan/2006:15:04:05 -0700"}
	vhostCombined = accessLog{append([]string{"x-host-header"}, combined.columns...), combined.timeLayout}
	cloudFront    = accessLog{nil, "2006-01-02 15:04:05"}
	loadBalancer  = accessLog{strings.Fields(
		"type time elb client:port target wait work reply sc-status target-status cs-bytes sc-bytes " +
			"request cs(User-Agent)"), time.RFC3339}
)

// lines reads one request a line. A line may have more cells than columns.
func (l accessLog) lines(_ *Web, name string, text *bufio.Reader) (func() (webLine, error), error) {
	lines, columns := ndjsonReader{name: name, lines: text}, l.columns
	return func() (webLine, error) {
		for {
			text, err := lines.text()
			if err != nil {
				return webLine{}, err
			}
			line := webLine{number: lines.number, text: string(text), row: map[string]string{}}
			cells := strings.Split(line.text, "\t")
			if l.columns != nil {
				cells = splitCells(line.text)
			} else if strings.HasPrefix(line.text, "#") {
				if names, found := strings.CutPrefix(line.text, "#Fields:"); found {
					columns = strings.Fields(names)
				}
				continue
			}
			if len(columns) == 0 || len(cells) < len(columns) {
				return line, &rowError{error: fmt.Errorf("%d fields, the format has %d", len(cells), len(columns))}
			}
			for i, name := range columns {
				if cells[i] != "-" {
					line.row[name] = cells[i]
				}
			}
			return line, nil
		}
	}, nil
}

// cell is a text in quotes or brackets, or one without spaces.
var cell = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|\[([^\]]*)\]|([^ "\[]\S*)`)

func splitCells(line string) (cells []string) {
	for _, m := range cell.FindAllStringSubmatch(line, -1) {
		cells = append(cells, m[1]+m[2]+m[3])
	}
	return cells
}

// event returns a page view, or of another kind the requests that are no page views.
func (l accessLog) event(w *Web, kind *catalog.Kind,
	row map[string]string) (at time.Time, _ map[string]any, err error) {
	if at, err = time.Parse(l.timeLayout, strings.TrimSpace(row["date"]+" "+row["time"])); err != nil {
		return at, nil, errors.New("the time is not in the form of the format")
	}
	method, target := cutRequest(row["request"])
	if l.columns == nil {
		method, target = row["cs-method"], strings.TrimSuffix(row["cs-uri-stem"]+"?"+row["cs-uri-query"], "?")
	}
	status := row["sc-status"]
	targetHost, path := collector.HostAndPath(target)
	if target == "" || isView(method, status, path) != (kind.Name == web.PageViews.Name) {
		return at, nil, nil
	}
	host, _, _ := strings.Cut(strings.ToLower(cmp.Or(row["x-host-header"], targetHost)), ":")
	sender := collector.Request{Site: cmp.Or(w.Site, host), Address: row["c-ip"],
		UserAgent: row["cs(User-Agent)"]}
	if client := row["client:port"]; client != "" {
		sender.Address = client[:max(0, strings.LastIndexByte(client, ':'))]
	}
	for range 2 { // CloudFront escapes texts, in older logs twice
		if plain, err := url.PathUnescape(sender.UserAgent); err == nil && l.columns == nil {
			sender.UserAgent = plain
		}
	}
	hit := collector.Hit{URL: target, Referrer: row["cs(Referer)"]}
	fields := attrFields(hit.Attrs(sender, keyed(w.Secret, "day\n"+at.UTC().Format(time.DateOnly))),
		sender.Stream())
	fields[kind.Subject.Field] = sender.Site
	fields[webfield.Status] = status
	fields[webfield.Method] = method
	if n, err := model.ParseDecimal(row["sc-bytes"]); err == nil {
		fields[webfield.Bytes] = n
	}
	return at, fields, nil
}

// firstLine is the first line of a request of HTTP. Its target may have spaces, by careless clients.
var firstLine = regexp.MustCompile(`^(\S+)\s+(\S.*?)\s+\S+$`)

// escapedByte is how servers write a byte outside ASCII.
var escapedByte = regexp.MustCompile(`\\x([0-9A-Fa-f]{2})`)

// cutRequest returns the method and the target of the first line of a request; "" if it is none.
func cutRequest(line string) (method, target string) {
	m := firstLine.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	method, target = m[1], escapedByte.ReplaceAllString(m[2], "%$1")
	if strings.HasPrefix(target, "/") { // not a host, also behind two slashes
		target = "/" + strings.TrimLeft(target, "/")
	}
	return method, target
}

// pageNames are endings of paths of pages; other files are none.
var pageNames, fileNames = regexp.MustCompile(`(?i)\.(s?html?|xhtml|php|aspx?|jsp|cgi)$`),
	regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,6}$|/\.`)

// isView reports whether a request was a view of a page: a GET with a response 200 or 304, of a path
// that does not name a file of another sort.
func isView(method, status, path string) bool {
	return method == http.MethodGet && (status == "200" || status == "304") &&
		(pageNames.MatchString(path) || !fileNames.MatchString(path))
}
