package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Web is how logs of web servers, and what other programs for web analytics export, are read.
type Web struct {
	Format string // one of WebFormats
	Site   string // id of the site; "" takes the host from the lines of a log
	Secret []byte // keys the pseudonyms of visitors and the ids of events
	tables tables // of the archive that is read
}

// webFormat is what a line becomes: the time and the fields of an event; none if the kind has no such
// events. After a rowError the next line can be read.
type webFormat struct {
	kind  string // of the events, unless the user names another
	hosts bool   // a line names the host of the site
	other string // the path of a kind that takes lines which are no events of the usual kind; "" if none does
	lines func(w *Web, name string, text *bufio.Reader) (func() (webLine, error), error)
	event func(w *Web, kind *catalog.Kind, row map[string]string) (time.Time, map[string]any, error)
	reads func(file string) bool // whether an archive's file is read, by fileName; nil reads all
}

type webLine struct {
	number   int
	text     string
	identity string // by which the line is the same in a later export; "" is the text
	row      map[string]string
}

var webFormats = map[string]webFormat{
	"combined": {
		kind: web.PageViews.Name, other: web.Requests.Path, lines: combined.lines, event: combined.event,
	},
	"vhost_combined": {
		kind: web.PageViews.Name, other: web.Requests.Path, hosts: true,
		lines: vhostCombined.lines, event: vhostCombined.event,
	},
	"cloudfront": {
		kind: web.PageViews.Name, other: web.Requests.Path, hosts: true,
		lines: cloudFront.lines, event: cloudFront.event,
	},
	"alb": {
		kind: web.PageViews.Name, other: web.Requests.Path, hosts: true,
		lines: loadBalancer.lines, event: loadBalancer.event,
	},
	"goatcounter": {
		kind: web.PageViews.Name, other: web.CustomEvents.Path,
		lines: goatCounterLines, event: goatCounterEvent, reads: isCSVFile,
	},
	"goatcounter-json": {
		kind: webfield.ImportedDays, lines: goatCounterJSONLines, event: goatCounterCounts,
		reads: isGoatCounterFile,
	},
	"plausible": {
		kind: webfield.ImportedDays, lines: plausibleLines, event: plausibleEvent, reads: isCSVFile,
	},
}

// WebFormats returns the names of the formats.
func WebFormats() string { return strings.Join(slices.Sorted(maps.Keys(webFormats)), ", ") }

//go:embed importedday.yaml
var importedDay string

// Kind returns the name of the kind that the events of a format have by default.
func (w *Web) Kind(kinds *catalog.Catalog) (string, error) {
	f, ok := webFormats[w.Format]
	switch _, declared := kinds.Kind(f.kind); {
	case !ok:
		all := slices.Sorted(maps.Keys(webFormats))
		return "", usererr.Errorf("--format %s: want one of %s; CSV, JSON and Parquet need no format%s",
			w.Format, WebFormats(), names.DidYouMean(w.Format, all))
	case !f.hosts && w.Site == "":
		return "", usererr.Errorf("--format %s: its lines do not name the site: pass --site", w.Format)
	case !declared && f.kind == webfield.ImportedDays:
		return "", usererr.Errorf(
			"the days of --format %s are of a kind of their own: declare it in tidemark.yaml, "+
				"and update the deployment or restart \"tidemark dev\":\n\n%s", w.Format, importedDay)
	}
	return f.kind, nil
}

// webReader reads the events of one kind.
type webReader struct {
	Input
	name         string
	lines        func() (webLine, error)
	equal, older map[string]int // how often each id was used, of the newest lines
	left         int            // lines that are no events of the kind
}

func (in Input) openWeb(name string, text *bufio.Reader) (reader, error) {
	if in.Kind.Subject.Field != web.Site.Field {
		return nil, usererr.Errorf("--format %s has events of websites, and %s are none", in.Web.Format,
			in.Kind.Path)
	}
	lines, err := webFormats[in.Web.Format].lines(in.Web, name, text)
	return &webReader{Input: in, name: name, lines: lines, equal: map[string]int{}}, err
}

func (r *webReader) next() (o Observation, _ error) {
	for {
		line, err := r.lines()
		if wrong := new(rowError); err != nil && !errors.As(err, &wrong) {
			r.noteLeft()
			return o, err
		}
		var at time.Time
		var fields map[string]any
		if err == nil {
			at, fields, err = webFormats[r.Web.Format].event(r.Web, r.Kind, line.row)
		}
		o = Observation{Location: place(r.name, line.number)}
		switch {
		case err != nil && !r.Lenient:
			return o, usererr.Errorf("%s: %w", o.Location, err)
		case err != nil:
			o.Problem, o.Body = err.Error(), []byte(line.text)
			return o, nil
		case fields != nil:
			o.At, o.Timed = model.NewTime(at), true
			return r.observation(o, cmp.Or(line.identity, line.text), fields)
		default:
			r.left++
		}
	}
}

// noteLeft says at the end of a file how many lines were left out, and what takes them.
func (r *webReader) noteLeft() {
	format := webFormats[r.Web.Format]
	if r.left == 0 || r.Notice == nil || format.other == "" || r.Kind.Name != format.kind {
		return
	}
	r.Notice(fmt.Sprintf(
		"%s: %s of its lines are no %s and are left out: import it again with --kind %s for them\n",
		r.name, terminal.Grouped(r.left), r.Kind.Path, format.other))
	r.left = 0
}

// observation adds the identity of an event to its fields.
func (r *webReader) observation(o Observation, text string, fields map[string]any) (Observation, error) {
	if r.Web.Site != "" {
		fields[r.Kind.Subject.Field] = r.Web.Site
	}
	fields[catalog.TimeField] = o.At.String()
	if r.Kind.IDs == catalog.RequiredID {
		fields[catalog.IDField] = r.id(text)
	}
	o.Series = seriesName(fmt.Sprint(fields[r.Kind.Subject.Field]), fmt.Sprint(fields[catalog.StreamField]))
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(fields)
	o.Body = bytes.TrimSpace(b.Bytes())
	return o, err
}

// distinctLines is after how many lines a reader forgets ids: equal lines have the same time, so
// they are near each other.
const distinctLines = 1 << 17

// id returns the identity of a line: a keyed hash of its text, which does not reveal the address in it,
// and its number among the equal lines of the file.
func (r *webReader) id(text string) string {
	id := base64.RawURLEncoding.EncodeToString(keyed(r.Web.Secret, "line\n"+text)[:12])
	n := max(r.equal[id], r.older[id])
	if len(r.equal) >= distinctLines {
		r.older, r.equal = r.equal, map[string]int{}
	}
	if r.equal[id] = n + 1; n > 0 {
		id += "." + strconv.Itoa(n)
	}
	return id
}

func keyed(secret []byte, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// attrFields returns the fields of an event, and its stream, as members of a JSON object.
func attrFields(attrs model.Attrs, stream string) map[string]any {
	fields := make(map[string]any, len(attrs)+4)
	for _, a := range attrs {
		if fields[a.Name] = a.Value.Text; a.Value.Kind == model.Number {
			fields[a.Name] = a.Value.Number
		}
	}
	if stream != "" {
		fields[catalog.StreamField] = stream
	}
	return fields
}
