// Package stats serves queries of websites in the form of Plausible's Stats API v2, from rollups.
// What rollups do not have, such as pairs of values of two dimensions, is refused by name.
package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/pkg/model"
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
	OrderBy    [][2]string       `json:"order_by"`
	Pagination struct {
		Limit  int `json:"limit"`
		Offset int `json:"offset"`
	} `json:"pagination"`
}

// maxRows is how many rows a response has at most, and by default.
const maxRows = 10_000

// Decode reads a query. The error wraps ErrRequest.
func Decode(body []byte) (r Request, err error) {
	r.Dimensions, r.Filters, r.Pagination.Limit = []string{}, []json.RawMessage{}, maxRows
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&r); {
	case err != nil:
		return r, refuse("%v: send {\"site_id\": …, \"metrics\": […], \"date_range\": …}, with dimensions, filters, order_by and pagination", err)
	case r.Site == "" || len(r.Metrics) == 0 || len(r.DateRange) == 0:
		return r, refuse("site_id, metrics and date_range are required")
	case r.Pagination.Limit < 1 || r.Pagination.Limit > maxRows || r.Pagination.Offset < 0:
		return r, refuse("pagination: want a limit from 1 to %d, and an offset from 0", maxRows)
	}
	for _, o := range r.OrderBy {
		if !slices.Contains(slices.Concat(r.Metrics, r.Dimensions), o[0]) || o[1] != "asc" && o[1] != "desc" {
			return r, refuse("order_by %q: want a metric or dimension of the query, and asc or desc", o)
		}
	}
	return r, nil
}

// periods returns the range that the query names in a zone, cut at the unit of a time dimension, if
// there is one. Dates include the last one, and named ranges include today.
func (r *Request) periods(zone *time.Location, unit string, now model.Time) (all []localday.Period, err error) {
	const most = 400
	day := func(y int, m time.Month, d int) model.Time {
		noon := model.TimeOf(time.Date(y, m, d, 12, 0, 0, 0, zone))
		return localday.Periods(zone, localday.Day, noon, noon+1, 1)[0].Start
	}
	y, m, d := now.Time().In(zone).Date()
	name, to := strings.Trim(string(r.DateRange), `"`), day(y, m, d+1)
	from, named := map[string]model.Time{"day": day(y, m, d), "month": day(y, m, 1), "year": day(y, 1, 1), "all": day(2000, 1, 1)}[name]
	var dates [2]string
	_ = json.Unmarshal(r.DateRange, &dates) // a value of another type has no dates
	first, errFirst := time.Parse(time.DateOnly, dates[0])
	last, errLast := time.Parse(time.DateOnly, dates[1])
	n, err := strconv.Atoi(strings.TrimRight(name, "dmo"))
	switch valid := err == nil && n > 0 && n < 1000; {
	case named:
	case errFirst == nil && errLast == nil && !last.Before(first):
		from, to = day(first.Date()), day(last.AddDate(0, 0, 1).Date())
	case valid && strings.HasSuffix(name, "d"):
		from = day(y, m, d+1-n)
	case valid && strings.HasSuffix(name, "mo"):
		from = day(y, m+1-time.Month(n), 1)
	default:
		return nil, refuse("date_range %.64s: want day, 7d, 30d, month, 6mo, 12mo, year, all, or two dates, the earlier one first", r.DateRange)
	}
	r.DateRange, _ = json.Marshal([]time.Time{from.Time().In(zone), to.Time().In(zone)}) // plain data: cannot fail
	switch known, err := localday.ParseUnit(unit); {
	case unit == "":
		return []localday.Period{{Start: from, End: to}}, nil
	case err != nil:
		return nil, refuse("dimension time:%.64s: want time:day, time:week or time:month", unit)
	default:
		all = localday.Periods(zone, known, from, to, most+1)
	}
	if len(all) > most {
		return nil, refuse("the range has more than %d %ss: ask for longer ones, or for a shorter range", most, unit)
	}
	for i := range all {
		p := &all[i]
		p.Start, p.End = max(p.Start, from), min(p.End, to)
		p.Label = p.Start.Time().In(zone).Format(time.DateOnly)
	}
	return all, nil
}
