package replay

import (
	"bufio"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
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
}

func (r *ndjsonReader) next() (Observation, error) {
	line, err := r.text()
	if err != nil {
		return Observation{}, err
	}
	return r.observation(line), nil
}

func (r *ndjsonReader) observation(line []byte) Observation {
	o := Observation{Body: line, Location: fmt.Sprintf("%s:%d", r.name, r.number)}
	var subject, stream string
	for _, f := range ingest.DecodeObject(line).Fields {
		switch f.Name {
		case r.kind.Subject.Field:
			subject = f.Text
		case catalog.StreamField:
			stream = f.Text
		case catalog.TimeField:
			o.At, o.Timed = eventTime(f)
		}
	}
	o.Series = seriesName(subject, stream)
	return o
}

// eventTime reads a time as the API does, except that a time finer than milliseconds is always truncated.
func eventTime(f ingest.Field) (model.Time, bool) {
	parse := model.ParseTime
	if f.Form == ingest.NumberForm {
		parse = model.ParseEpoch
	}
	at, err := parse(f.Text, model.TruncateFinerTime)
	return at, err == nil
}

// seriesName identifies a series within one kind. Neither part can contain a newline that
// would make two series one: JSON strings and CSV cells of ids have none.
func seriesName(subject, stream string) string { return subject + "\n" + stream }
