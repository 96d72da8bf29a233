package main

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
)

// exportHeader names the columns of an export: those of a rollup's figures are as
// everywhere.
var exportHeader = "kind,subject,stream,tier,bucket,measure," + strings.Join(envelope.FigureColumns(), ",") + ",exact"

const bucketLayout = "2006-01-02T15:04:05Z"

// exportRecord is one measure of one rollup; its JSON is a line of NDJSON.
type exportRecord struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Stream  string `json:"stream"`
	Tier    string `json:"tier"`
	Bucket  string `json:"bucket"`
	Measure string `json:"measure"`
	query.Figures
	Exact bool `json:"exact"`
}

// exportFormat is a way to write records.
type exportFormat struct {
	header string
	line   func(exportRecord) (string, error)
}

var exportFormats = map[string]exportFormat{
	"csv":    {exportHeader + "\n", csvLine},
	"ndjson": {"", jsonLine},
}

func csvLine(r exportRecord) (string, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	row := append([]string{r.Kind, r.Subject, r.Stream, r.Tier, r.Bucket, r.Measure}, envelope.FigureCells(r.Figures)...)
	w.Write(append(row, strconv.FormatBool(r.Exact)))
	w.Flush()
	return text.String(), w.Error()
}

func jsonLine(r exportRecord) (string, error) {
	text, err := json.Marshal(r)
	return string(text) + "\n", err
}
