package export

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const bucketLayout = "2006-01-02T15:04:05Z"

// record is one measure of one rollup, or one distinct count or value of a dimension. As
// JSON it is a line of NDJSON.
type record struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Stream  string `json:"stream"`
	Tier    string `json:"tier"`
	Bucket  string `json:"bucket"`
	Measure string `json:"measure"`
	figure.Figures
	Exact    bool   `json:"exact"`
	Events   *int64 `json:"events"` // of the bucket, or those with Value; nil if it is not known
	Field    string `json:"field"`
	Value    string `json:"value"`
	Distinct *int64 `json:"distinct"`
	// WholeFrom is empty if the figures are whole: see views.LineExact.
	WholeFrom string `json:"wholeFrom"`
	Truncated bool   `json:"truncated"`       // the bucket's row omits undeclared measures
	Event     string `json:"event,omitempty"` // the name of the events with Value, if Field is a property
	query.TopMembers
}

var _ entry = record{}

func (r record) json() ([]byte, error) { return json.Marshal(r) }

func (r record) cells() ([]string, error) {
	figures := r.figures()
	row := []string{r.Kind, r.Subject, r.Stream, r.Tier, r.Bucket, r.Measure}
	row = append(append(row, views.FigureCells(figure.Columns, figures)...), strconv.FormatBool(r.Exact))
	row = append(row, cell(r.Events), r.Field, r.Value, cell(r.Distinct), r.WholeFrom,
		strconv.FormatBool(r.Truncated))
	row = append(append(row, views.FigureCells(figure.Steps, figures)...), r.Event)
	members, err := r.members()
	for _, m := range members {
		text := ""
		if m != nil {
			text = fmt.Sprint(m)
		}
		row = append(row, text)
	}
	return views.SafeCells(row), err
}

// members returns the lists of members as JSON and how many places are known of each, nil if it is not known.
func (r record) members() ([]any, error) {
	all := make([]any, len(query.MemberColumns))
	for i, c := range query.MemberColumns {
		switch x := c.Value(r.TopMembers).(type) {
		case *int64:
			all[i] = present(x)
		case []query.Member:
			if x == nil {
				continue
			}
			text, err := json.Marshal(x)
			if err != nil {
				return nil, err
			}
			all[i] = string(text)
		}
	}
	return all, nil
}

// cell returns a count as text, "" if there is none.
func cell(count *int64) string {
	if count == nil {
		return ""
	}
	return strconv.FormatInt(*count, 10)
}

// figures returns the figures of the measure; nil if the record is of none.
func (r record) figures() *figure.Figures {
	if r.Measure == "" {
		return nil
	}
	return &r.Figures
}

// values returns the record with its decimals as floating-point numbers.
func (r record) values() ([]any, error) {
	row := []any{r.Kind, r.Subject, r.Stream, r.Tier, r.Bucket, r.Measure}
	row = append(row, r.figureValues(figure.Columns)...)
	row = append(row, r.Exact, present(r.Events), r.Field, r.Value, present(r.Distinct), r.WholeFrom,
		r.Truncated)
	row = append(append(row, r.figureValues(figure.Steps)...), r.Event)
	members, err := r.members()
	return append(row, members...), err
}

func (r record) figureValues(columns []figure.Column) []any {
	if r.Measure == "" {
		return make([]any, len(columns))
	}
	return lists.Map(columns, func(c figure.Column) any { return figureValue(c.Value(r.Figures)) })
}

// figureValue returns a figure as a whole or a floating-point number, nil if there is none.
func figureValue(figure any) any {
	switch x := figure.(type) {
	case *model.Decimal:
		return float(x)
	case *float64:
		return present(x)
	case *int64:
		return present(x)
	default:
		return x
	}
}

// present returns the value that p points to, nil if there is none.
func present[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// float returns the nearest floating-point number, nil if there is none.
func float(d *model.Decimal) any {
	if d == nil {
		return nil
	}
	x, err := strconv.ParseFloat(d.String(), 64)
	if err != nil {
		return nil // out of range
	}
	return x
}
