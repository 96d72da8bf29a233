package formats

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// next returns the observation of the next row.
func (r *csvReader) next() (Observation, error) {
	row, line, err := r.source()
	if wrong := new(rowError); errors.As(err, &wrong) && r.lenient {
		return Observation{Location: place(r.name, line), Problem: wrong.Error(), Body: wrong.text}, nil
	} else if err != nil {
		return Observation{}, err
	}
	o := Observation{Location: place(r.name, line), Body: []byte{'{'}}
	var subject, stream string
	for i, c := range r.columns {
		text := r.cell(row[r.indexes[i]])
		if text != "" && r.keepsText(r.indexes[i], c.field) {
			text = row[r.indexes[i]]
		}
		if c.whole {
			o.Body = appendMembers(o.Body, text)
			continue
		}
		switch c.field {
		case r.kind.Subject.Field:
			subject = text
		case catalog.StreamField:
			stream = text
		case catalog.TimeField:
			if text, err = r.readTime(&o, row, columns.Cell{Line: line, Text: text}); err != nil {
				return o, err
			}
		}
		if text != "" || !c.optional {
			r.addCell(&o, i, columns.Cell{Line: line, Text: text})
		}
	}
	o.Body, o.Series = append(o.Body, '}'), seriesName(subject, stream)
	return o, nil
}

// readTime sets the time of an observation from its cell, and returns the time as it is sent.
func (r *csvReader) readTime(o *Observation, row []string, cell columns.Cell) (text string, err error) {
	if err := r.contradicts(cell); err != nil {
		return "", err
	}
	o.At, text, err = r.clock.Read(r.dialect.time(r.header, row, cell.Text))
	o.Timed = err == nil
	switch {
	case err == nil || text == "":
	case r.isTimeTitle(text):
		return text, r.otherTable(cell.Line)
	case r.lenient:
		o.Problem = err.Error()
	case timetext.IsSmall(text): // the API would accept it, as a time of 1970
		return text, usererr.Errorf("%s: %w", o.Location, err)
	}
	return text, nil
}

// addCell adds the cell of a mapped column to an observation, and notes what is wrong or doubtful with it.
func (r *csvReader) addCell(o *Observation, mapped int, cell columns.Cell) {
	c, at := r.columns[mapped], r.indexes[mapped]
	r.decideLate(c, at, cell)
	body, stray := r.appendMember(o.Body, at, c.field, cell.Text)
	if o.Body = body; stray {
		o.Stray = append(o.Stray, c.field)
	} else if why := r.doubt(at, cell.Text); why != "" {
		o.Doubts = append(o.Doubts, Doubt{Field: c.field, Why: why})
	}
}
