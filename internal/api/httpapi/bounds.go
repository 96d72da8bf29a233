package httpapi

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The headers of NDJSON and CSV that have the bounds of a list: the fields of these names in JSON. Ranges are
// FROM/TO, separated by commas.
const (
	headerComplete    = "Tidemark-Complete-Through"
	headerProcessed   = "Tidemark-Processed-Through"
	headerSince       = "Tidemark-Unprocessed-Since"
	headerUnprocessed = "Tidemark-Unprocessed"
	headerMissing     = "Tidemark-Missing"
	headerWholeFrom   = "Tidemark-Whole-From"
)

// maxRanges is how many ranges a header has, because gateways limit the size of headers. One range from the
// first to the last replaces more.
const maxRanges = 20

// setBounds adds the headers of what is known of the bounds.
func setBounds(headers map[string]string, b views.Bounds) {
	setTime := func(name string, at *model.Time) {
		if at != nil {
			headers[name] = at.String()
		}
	}
	setTime(headerComplete, b.CompleteThrough)
	setTime(headerProcessed, b.ProcessedThrough)
	setTime(headerSince, b.UnprocessedSince)
	setTime(headerWholeFrom, b.WholeFrom)
	setRanges := func(name string, all []timeRange) {
		if len(all) > 0 {
			headers[name] = rangesText(all)
		}
	}
	setRanges(headerUnprocessed, lists.Map(b.Unprocessed, func(u views.Unprocessed) timeRange {
		return timeRange{from: u.From, to: u.To}
	}))
	setRanges(headerMissing, lists.Map(b.Missing, func(m views.Missing) timeRange {
		return timeRange{from: m.From, to: m.To}
	}))
}

type timeRange struct{ from, to model.Time }

func (r timeRange) String() string { return r.from.String() + "/" + r.to.String() }

func rangesText(all []timeRange) string {
	if len(all) > maxRanges {
		whole := all[0]
		for _, r := range all {
			whole.from, whole.to = min(whole.from, r.from), max(whole.to, r.to)
		}
		all = []timeRange{whole}
	}
	return strings.Join(lists.Map(all, timeRange.String), ", ")
}
