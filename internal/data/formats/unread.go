package formats

import (
	"errors"
	"io"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// aheadReader returns observations that were read ahead, and then the others.
type aheadReader struct {
	reader
	ahead []Observation
	end   error // of reading ahead
}

func (r *aheadReader) next() (Observation, error) {
	switch {
	case len(r.ahead) > 0:
		o := r.ahead[0]
		r.ahead = r.ahead[1:]
		return o, nil
	case r.end != nil:
		return Observation{}, r.end
	}
	return r.reader.next()
}

// sampled reads a sample of the observations of a file ahead. The error is for a declared measure of which no
// value in the sample is a number, as in a column of a table; a pipe is read as it comes.
func (in Input) sampled(name string, r reader, err error) (reader, error) {
	if err != nil || name == StdinName {
		return r, err
	}
	all := &aheadReader{reader: r}
	for len(all.ahead) < sampleRows && all.end == nil {
		o, err := r.next()
		if err != nil {
			all.end = err
			break
		}
		all.ahead = append(all.ahead, o)
	}
	if len(all.ahead) > 0 {
		if err := isListed(all.ahead[0]); err != nil {
			return nil, err
		}
	}
	if len(all.ahead) == 1 && errors.Is(all.end, io.EOF) {
		if err := in.isWrapped(all.ahead[0]); err != nil {
			return nil, err
		}
	}
	if all.end == nil || errors.Is(all.end, io.EOF) {
		err = in.unread(all.ahead)
	}
	return all, err
}

// unread returns an error for a declared measure of which observations have values and no number, unless its
// type is given.
func (in Input) unread(sample []Observation) error {
	names := lists.Map(in.Kind.Measures, func(m rollup.MeasureSpec) string { return m.Name })
	seen := make([]struct {
		numbers, others int
		first           string // place and text of the first of the others
	}, len(names))
	for _, o := range sample {
		if o.Problem != "" {
			continue
		}
		for _, f := range ingest.DecodeObject(o.Body).Fields {
			switch at := slices.Index(names, f.Name); {
			case at < 0, f.Form == ingest.NullForm, f.Form == ingest.TextForm && columns.Missing(f.Text):
			case f.Form == ingest.NumberForm:
				seen[at].numbers++
			default:
				if seen[at].others++; seen[at].others == 1 {
					seen[at].first = o.Location + ": " + Quote(f.Text)
				}
			}
		}
	}
	for i, name := range names {
		if _, given := in.Types[name]; seen[i].others > 0 && seen[i].numbers == 0 && !given {
			return usererr.Errorf(
				"none of %d values of %s is a number, the first at %s: nothing of the field could be "+
					"stored as a measure; correct it, or leave it out; --types %s=text stores it as it is",
				seen[i].others, name, seen[i].first, name)
		}
	}
	return nil
}
