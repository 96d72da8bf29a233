package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
)

const (
	exportHeader = "kind,subject,stream,tier,bucket,measure,count,invalid,sum,min,max,avg,stddev,first,last,p50,p95,p99,exact"
	bucketLayout = "2006-01-02T15:04:05Z"
)

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
	w.Write([]string{
		r.Kind, r.Subject, r.Stream, r.Tier, r.Bucket, r.Measure,
		strconv.FormatInt(r.Count, 10), strconv.FormatInt(r.Invalid, 10),
		exactText(r.Sum), exactText(r.Min), exactText(r.Max), floatText(r.Avg), floatText(r.Stddev),
		exactText(r.First), exactText(r.Last), floatText(r.P50), floatText(r.P95), floatText(r.P99),
		strconv.FormatBool(r.Exact),
	})
	w.Flush()
	return text.String(), w.Error()
}

func jsonLine(r exportRecord) (string, error) {
	text, err := json.Marshal(r)
	return string(text) + "\n", err
}

// exactText is every digit of a decimal, "" where there is none.
func exactText(d *model.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// floatText is the shortest text that reads back as the same number, with an exponent
// only where that spares many zeros.
func floatText(x *float64) string {
	if x == nil {
		return ""
	}
	if abs := math.Abs(*x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(*x, 'e', -1, 64)
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
