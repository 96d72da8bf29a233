package export

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
)

// Header names the columns of an export.
var Header = "kind,subject,stream,tier,bucket,measure," + strings.Join(httpapi.FigureColumns(), ",") + ",exact," + strings.Join(httpapi.ValueColumns(), ",") + ",wholeFrom"

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
	query.Figures
	Exact    bool   `json:"exact"`
	Events   int64  `json:"events"` // of the bucket, or those with Value
	Field    string `json:"field"`
	Value    string `json:"value"`
	Distinct *int64 `json:"distinct"`
	// WholeFrom is empty if the figures are whole: see httpapi.LineExact.
	WholeFrom string `json:"wholeFrom"`
}

// Format is a way to write rollups.
type Format struct {
	header string
	line   func(record) (string, error)
}

// Formats are the formats by name.
var Formats = map[string]Format{
	"csv":    {Header + "\n", csvLine},
	"ndjson": {"", jsonLine},
}

func csvLine(r record) (string, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	figures := make([]string, len(httpapi.FigureColumns()))
	if r.Measure != "" {
		figures = httpapi.FigureCells(r.Figures)
	}
	row := append([]string{r.Kind, r.Subject, r.Stream, r.Tier, r.Bucket, r.Measure}, figures...)
	row = append(row, strconv.FormatBool(r.Exact))
	value := httpapi.ValueRow{Events: r.Events, Field: r.Field, Value: r.Value, Distinct: r.Distinct}
	w.Write(httpapi.SafeCells(append(append(row, value.Cells()...), r.WholeFrom)))
	w.Flush()
	return text.String(), w.Error()
}

func jsonLine(r record) (string, error) {
	text, err := json.Marshal(r)
	return string(text) + "\n", err
}
