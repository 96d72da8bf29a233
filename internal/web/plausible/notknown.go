package plausible

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file decides which figures are not known, and says so beside the metrics. Such a figure is null.

// checkSite returns an error for a site without a profile that never had an event: its name is probably
// misspelt, and figures of zero would hide that.
func (r *run) checkSite(ctx context.Context, table *query.Service) error {
	site := model.Subject{Type: web.Site.Name, ID: r.Site}
	profile, err := table.Profile(ctx, site, false)
	if profile != nil || err != nil {
		return err
	}
	for _, err := range table.EachSeries(ctx, query.SeriesList{Subject: site, Limit: 1}) {
		return err
	}
	if has, err := table.HasEvents(ctx, r.kinds, site); has || err != nil {
		return err
	}
	return refuse("site_id %.64q: the table has no such site: it has no profile and never had an event", r.Site)
}

// warn says beside a metric what its totals lack.
func (r *run) warn(metric string, totals []query.ZonedTotal, zone *time.Location) {
	var notes []string
	for i, total := range slices.Backward(totals) {
		if total.Zone != zone.String() {
			notes = append(notes,
				fmt.Sprintf("days before %s are of UTC: hours that could be cut at midnight in %s have expired",
					totals[i].End, zone))
			break
		}
	}
	for _, total := range totals {
		for _, m := range total.Missing {
			notes = append(notes,
				fmt.Sprintf("not known from %s to %s: %s", m.From, min(m.To, model.MaxTime), m.Reason()))
		}
	}
	inexact := func(t query.ZonedTotal) bool { return !t.Exact && len(t.Missing) == 0 || len(t.Partial) > 0 }
	if slices.ContainsFunc(totals, inexact) {
		notes = append(notes, "may lack events that arrived too late, or fields that were declared later")
	}
	if len(notes) > maxNotes {
		notes = append(notes[:maxNotes], fmt.Sprintf("and %d more", len(notes)-maxNotes))
	}
	if len(notes) > 0 {
		r.noteMetric(metric, strings.Join(notes, "; "))
	}
}

// maxNotes is how many things are said beside one metric.
const maxNotes = 5

// sumFigure returns the figures of the sum of the values that pass. If all values that are not stored pass,
// too, they are counted, and if some may pass, the sum is not known.
func (r *run) sumFigure(of summaries, c counted, sum int64) func(string) Figure {
	rest := r.passesRest(c)
	switch {
	case c.other == 0 || rest == no:
	case rest == yes:
		sum += c.other
	default:
		r.note(fmt.Sprintf("not known: from %d to %d, because only the most frequent values are stored, "+
			"and %d events have others",
			sum, sum+c.other, c.other))
		return unknownFigure
	}
	if c.other > 0 {
		r.note("only the most frequent values are stored: a value that was rare for a while may be counted too low")
	}
	return func(metric string) Figure {
		if slices.Contains(r.partMetrics(), metric) {
			return r.partFigure(of, metric, r.passes, c.other > 0 && rest == yes, sum)
		}
		return r.share(c, metric, sum)
	}
}

// passesRest returns whether values that are not stored pass all filters.
func (r *run) passesRest(c counted) outcome {
	rest := yes
	for _, k := range r.keep {
		rest = min(rest, k.other(c.of))
	}
	return rest
}

// noteProgress says which changes may be missing at a time. Events are read as they are stored: only what
// rollups, or the list of series, have of them may be behind.
func (r *run) noteProgress(now model.Time) {
	for _, text := range r.progress.Warnings(now) {
		r.note(text)
	}
}

// note says something beside each metric.
func (r *run) note(text string) {
	for _, metric := range r.Metrics {
		r.noteMetric(metric, text)
	}
}

// noteMetric says something beside a metric, once.
func (r *run) noteMetric(metric, text string) {
	if before := r.warnings[metric]; before == "" {
		r.warnings[metric] = text
	} else if !strings.Contains(before, text) {
		r.warnings[metric] = before + "; " + text
	}
}
