package envelope

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
)

// Table is an answer as rows of text under a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// List is an answer that has a form beside JSON: what a spreadsheet or a pipe of lines
// can take in.
type List interface {
	// Lines are what NDJSON has on a line each.
	Lines() []any
	// Table is the same as CSV has it.
	Table() Table
}

// Form is a way of writing an answer down.
type Form struct {
	Type  string // the media type
	write func(w io.Writer, answer any) error
	list  bool // only a List has it
}

// The forms of an answer, the first where nobody says which. The same over HTTP and on
// the command line.
var (
	FormJSON   = Form{"application/json", writeJSON, false}
	FormNDJSON = Form{"application/x-ndjson", writeLines, true}
	FormCSV    = Form{"text/csv", writeCSV, true}

	forms = []Form{FormJSON, FormNDJSON, FormCSV}
)

// Write writes an answer in a form that it has.
func (f Form) Write(w io.Writer, answer any) error { return f.write(w, answer) }

// has reports whether an answer has the form.
func (f Form) has(answer any) bool {
	_, list := answer.(List)
	return list || !f.list
}

func writeJSON(w io.Writer, answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func writeLines(w io.Writer, answer any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, line := range answer.(List).Lines() {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(w io.Writer, answer any) error {
	table := answer.(List).Table()
	out := csv.NewWriter(w)
	if err := out.Write(table.Header); err != nil {
		return err
	}
	return out.WriteAll(table.Rows)
}

// ProblemForm is an answer that is asked for in a form it does not have.
var ProblemForm = ProblemType{"/problems/not-acceptable", "The answer has no such form", 406}

// formOf is the form of answer that an Accept header asks for: the one of the highest
// weight, the earliest of equals; JSON where there is no header.
func formOf(accept string, answer any) (Form, *Problem) {
	if strings.TrimSpace(accept) == "" {
		return FormJSON, nil
	}
	var best Form
	weight := 0.0
	for _, f := range forms {
		if q := weightOf(accept, f.Type); f.has(answer) && q > weight {
			best, weight = f, q
		}
	}
	if weight == 0 {
		return FormJSON, ProblemForm.New("Accept is %s: want %s", clip(accept), formNames(answer))
	}
	return best, nil
}

func formNames(answer any) string {
	var names []string
	for _, f := range forms {
		if f.has(answer) {
			names = append(names, f.Type)
		}
	}
	return strings.Join(names, ", ")
}

// weightOf is how welcome a media type is, 0 to 1: the weight of the most exact range
// that holds it.
func weightOf(accept, mediaType string) (weight float64) {
	exactness := -1
	family, _, _ := strings.Cut(mediaType, "/")
	for _, part := range strings.Split(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		at := -1
		switch name {
		case mediaType:
			at = 2
		case family + "/*":
			at = 1
		case "*/*":
			at = 0
		}
		if at > exactness {
			exactness, weight = at, quality(params["q"])
		}
	}
	return weight
}

// quality reads a weight; none, or one that cannot be read, is 1.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q < 0 || q > 1 {
		return 1
	}
	return q
}

// written is an answer in a form, as bytes.
func written(f Form, answer any) ([]byte, error) {
	var body bytes.Buffer
	if err := f.Write(&body, answer); err != nil {
		return nil, fmt.Errorf("write the answer as %s: %w", f.Type, err)
	}
	return body.Bytes(), nil
}
