package oracle

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// Line is one line of the log.
type Line struct {
	Seq       int    `json:"seq"`
	EventID   string `json:"event_id"`
	Site      string `json:"site"`
	At        string `json:"ts"`
	Visitor   string `json:"visitor"`
	Type      string `json:"type"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Status    int    `json:"status"`
	Bytes     int64  `json:"bytes"`
	Referrer  string `json:"referrer"`
	UserAgent string `json:"ua"`
	Duration  *int64 `json:"duration_ms"`
}

// Kinds are the kinds of event for each type of line.
var Kinds = map[string]string{
	"pageview":  web.PageViews.Name,
	"request":   web.Requests.Name,
	"malformed": web.Malformed.Name,
}

// Observation returns the line as an observation for the HTTP API. Its id has the line number, so
// that events of one second keep their order.
func (l Line) Observation() map[string]any {
	o := map[string]any{
		web.Site.Field: l.Site, "timestamp": l.At, "id": fmt.Sprintf("%08d-%s", l.Seq, l.EventID),
		webfield.Visitor: l.Visitor, webfield.Status: strconv.Itoa(l.Status), webfield.Bytes: l.Bytes,
		webfield.Device: collector.ParseDevice(l.UserAgent),
	}
	if l.Type != "malformed" {
		o[webfield.Path], o[webfield.Method] = l.Path, l.Method
	}
	if from := l.referrer(); from != "" && from != l.Site {
		o[webfield.Referrer] = from
	}
	if l.Duration != nil {
		o[webfield.Duration] = *l.Duration
	}
	return o
}

// referrer returns the host of the referrer. The oracle counts each host but the site's own: also localhost,
// and www.a.example on a.example, which the collector does not.
func (l Line) referrer() string {
	link, err := url.Parse(l.Referrer)
	if err != nil {
		return ""
	}
	return strings.ToLower(link.Hostname())
}

// Each calls do for every line of a gzipped log, in order of arrival.
func Each(path string, do func(Line) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read web log: %w", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	lines := json.NewDecoder(bufio.NewReader(unzipped))
	for {
		var l Line
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		if err := do(l); err != nil {
			return fmt.Errorf("line %d of %s: %w", l.Seq, path, err)
		}
	}
}

// ByKind returns the lines of a log by kind, in order of arrival.
func ByKind(path string) (map[string][]Line, error) {
	lines := map[string][]Line{}
	return lines, Each(path, func(l Line) error {
		kind, ok := Kinds[l.Type]
		if !ok {
			return fmt.Errorf("type %q is unknown", l.Type)
		}
		lines[kind] = append(lines[kind], l)
		return nil
	})
}
