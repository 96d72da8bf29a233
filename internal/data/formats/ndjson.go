package formats

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ndjsonReader reads one JSON object a line. A line that is no object is returned as it
// is: the API rejects it and says why.
type ndjsonReader struct {
	name   string
	kind   *catalog.Kind
	lines  *bufio.Reader
	number int // of the line
	clock  timetext.Clock
	titled timeTitle // of the member that is the time
	// members says which members become which fields.
	members memberMap
	// lenient returns an object whose time cannot be read as an observation with a problem.
	lenient bool
}

func (r *ndjsonReader) next() (Observation, error) {
	line, err := r.text()
	if err != nil {
		return Observation{}, err
	}
	return r.observation(line), nil
}

func (r *ndjsonReader) observation(line []byte) Observation {
	line, _ = jsonscan.ReplaceNotNumbers(line)
	line = r.members.apply(withoutTypes(line))
	o := Observation{Body: line, Location: fmt.Sprintf("%s:%d", r.name, r.number)}
	var subject, stream string
	for _, f := range ingest.DecodeObject(line).Fields {
		switch f.Name {
		case r.kind.Subject.Field:
			subject = f.Text
		case catalog.StreamField:
			stream = f.Text
		case catalog.TimeField:
			r.time(&o, f)
		}
	}
	o.Series = seriesName(subject, stream)
	return o
}

// time reads a time that the API accepts, or one in another form as the cells of a table have it, which is
// then written as the API accepts it.
func (r *ndjsonReader) time(o *Observation, f ingest.Field) {
	parse := model.ParseTime
	if f.Form == ingest.NumberForm {
		parse = model.ParseEpoch
	}
	at, err := parse(f.Text, r.kind.FinerTime)
	if err == nil && r.clock.Format == "" {
		o.At, o.Timed = at, true
		return
	}
	at, text, err := r.clock.Read(f.Text)
	if err == nil {
		err = r.titled.check(r.clock, f.Text, at.Time())
	}
	switch {
	case err == nil:
		o.At, o.Timed = at, true
		o.Body = withTime(o.Body, text)
	case r.lenient && f.Text != "":
		o.Problem = err.Error()
	}
}

// withTime returns an object with another time.
func withTime(object []byte, text string) []byte {
	at, more := jsonscan.Sibling(object, jsonscan.Space(object, 0)+1, true, '}')
	for more {
		name, value := jsonscan.Name(object, at)
		end := jsonscan.Skip(object, value)
		if bytes.Equal(name.Bytes, []byte(catalog.TimeField)) {
			return slices.Concat(object[:value], []byte(strconv.Quote(text)), object[end:])
		}
		at, more = jsonscan.Sibling(object, end, false, '}')
	}
	return object // the name is written with escapes: the API says what it does not accept
}

// seriesName identifies a series within one kind. Neither part can contain a newline that
// would make two series one: JSON strings and CSV cells of ids have none.
func seriesName(subject, stream string) string { return subject + "\n" + stream }
