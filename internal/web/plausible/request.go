// Package stats serves queries of websites in the form of Plausible's Stats API v2, from rollups.
// What rollups do not have, such as pairs of values of two dimensions, is refused by name.
package plausible

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ErrRequest is the error of a query that is not valid, or that rollups cannot serve.
var ErrRequest = errors.New("the query cannot be served")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRequest, fmt.Sprintf(format, args...))
}

// Request is a query.
type Request struct {
	Site       string            `json:"site_id"`
	Metrics    []string          `json:"metrics"`
	DateRange  json.RawMessage   `json:"date_range"`
	Dimensions []string          `json:"dimensions"`
	Filters    []json.RawMessage `json:"filters"`
	OrderBy    []ordering        `json:"order_by"`
	Timezone   string            `json:"timezone,omitempty"` // of days and hours; "" is the site's
	Pagination struct {
		Limit  int `json:"limit"`
		Offset int `json:"offset"`
	} `json:"pagination"`
	Include struct {
		Imports    bool `json:"imports"` // what was imported from other programs, too
		TimeLabels bool `json:"time_labels"`
		TotalRows  bool `json:"total_rows"` // is in each response

		Comparisons *comparisons `json:"comparisons,omitempty"`
	} `json:"include"`
}

// ordering is a metric or dimension of a query, and asc or desc.
type ordering [2]string

// UnmarshalJSON implements json.Unmarshaler. An array of Go would take a list of any length.
func (o *ordering) UnmarshalJSON(text []byte) error {
	var parts []string
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) != len(o) {
		return fmt.Errorf("order_by: want pairs [metric or dimension, asc or desc], not %.100s", text)
	}
	*o = ordering(parts)
	return nil
}

// comparisons adds to each row the figures of an earlier range.
type comparisons struct {
	Mode string `json:"mode"` // previous_period
}

// maxRows is how many rows a response has at most, and by default.
const maxRows = 10_000

// maxNames is how many metrics a query has at most, and how many dimensions, filters and orders.
const maxNames = 50

// The limits of what is parsed.
const (
	maxBody    = 64 << 10 // bytes of a query
	maxDepth   = 48       // nested brackets: filters nest to a third of it
	maxPattern = 2 << 10  // bytes of the regular expressions of a filter
)

// depth returns how deep the brackets of a query are nested. Brackets in texts count too.
func depth(body []byte) (deepest int) {
	open := 0
	for _, c := range body {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open--
		}
		deepest = max(deepest, open)
	}
	return deepest
}

// repeated returns a name that occurs twice, "" if none does.
func repeated(names []string) string {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

// form says what a query has.
const form = `send {"site_id": …, "metrics": […], "date_range": …}, with dimensions, filters, ` +
	`order_by, timezone, pagination {limit, offset} and include {imports, time_labels, total_rows, ` +
	`comparisons {mode}}`

// Decode reads a query. The error wraps ErrRequest.
func Decode(body []byte) (r Request, err error) {
	if len(body) > maxBody {
		return r, refuse("it has %d bytes, at most %d: name fewer values in its filters", len(body), maxBody)
	}
	r.Dimensions = []string{}
	r.Filters = []json.RawMessage{}
	r.Pagination.Limit = maxRows
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&r)
	if typed := new(json.UnmarshalTypeError); errors.As(err, &typed) {
		err = fmt.Errorf("%s has the wrong type: %s", cmp.Or(typed.Field, "the query"), typed.Value)
	}
	if _, after := decoder.Token(); err == nil && !errors.Is(after, io.EOF) {
		err = errors.New("there is more behind the query")
	}
	switch {
	case err != nil:
		return r, refuse("%s: %s", strings.TrimPrefix(err.Error(), "json: "), form)
	case r.Site == "" || len(r.Metrics) == 0 || len(r.DateRange) == 0:
		return r, refuse("site_id, metrics and date_range are required")
	}
	return r, cmp.Or(strict(body), r.check())
}

// check returns an error for what no query may have.
func (r *Request) check() error {
	switch {
	case len(r.Metrics) > maxNames || len(r.Dimensions) > maxNames || len(r.Filters) > maxNames ||
		len(r.OrderBy) > maxNames:
		return refuse("want at most %d metrics, dimensions, filters and orders", maxNames)
	case repeated(r.Metrics) != "":
		return refuse("metrics: %.64q is repeated", repeated(r.Metrics))
	case repeated(r.Dimensions) != "":
		return refuse("dimensions: %.64q is repeated", repeated(r.Dimensions))
	case r.Pagination.Limit < 1 || r.Pagination.Limit > maxRows || r.Pagination.Offset < 0:
		return refuse("pagination: want a limit from 1 to %d, and an offset from 0", maxRows)
	case r.Include.Comparisons != nil && r.Include.Comparisons.Mode != "previous_period":
		return refuse("include.comparisons: mode %.64q: want previous_period", r.Include.Comparisons.Mode)
	}
	for _, o := range r.OrderBy {
		if !slices.Contains(slices.Concat(r.Metrics, r.Dimensions), o[0]) || o[1] != "asc" && o[1] != "desc" {
			return refuse("order_by [%.64q %.64q]: want a metric or dimension of the query, and asc or desc",
				o[0], o[1])
		}
	}
	return nil
}
