// Package receiver serves the routes on which senders of other databases write: InfluxDB line
// protocol and OTLP. A sender cannot be taught this API, so each route responds as its protocol
// says. Data that cannot be stored is never a server error, because senders repeat a request
// after one for ever; what may not be stored yet always is, and a repeated point is stored once.
package receiver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Receiver appends the points of senders. Its fields are set before the first call; it is safe
// for concurrent use.
type Receiver struct {
	Mapping  points.Mapping
	Service  *ingest.Service
	Limits   config.Limits
	Appended func(r *httpapi.Request, kind string, results []model.AppendResult, err error)
	Rejected func(r *httpapi.Request, p *httpapi.Problem)
}

// rejection is why a point was not stored.
type rejection struct {
	line   int
	reason string
}

// result is what happened to the points of a request.
type result struct {
	points   int
	rejected []rejection // by line
	parts    []rejection // parts of stored points that are not stored as they were sent
	open     bool        // some points may not be stored: the sender must repeat the request
	all      []model.AppendResult
}

// group are the points of one kind.
type group struct {
	kind         *catalog.Kind
	observations []ingest.Observation
	lines        []int
}

// append appends points, one kind after another. Points without a tag that names their subject
// have the subject otherwise.
func (r *Receiver) append(ctx context.Context, q *httpapi.Request, by access.Scope, batch []points.Point,
	otherwise string) result {
	out := result{points: len(batch)}
	for _, g := range r.groups(by, batch, otherwise) {
		if g.kind == nil {
			for i, o := range g.observations {
				out.add(g.lines[i], &model.AppendResult{
					Outcome: model.Rejected, Errors: []model.FieldError{*o.DecodeError},
				})
			}
			continue
		}
		results, err := r.Service.Append(ctx, g.kind, g.observations...)
		r.Appended(q, g.kind.Name, results, err)
		for i := range results {
			out.add(g.lines[i], &results[i])
		}
	}
	slices.SortStableFunc(out.rejected, func(a, b rejection) int { return cmp.Compare(a.line, b.line) })
	return out
}

// groups returns the observations of points by kind, in the order in which the kinds first
// occur. Those that cannot be appended are in a group without a kind.
func (r *Receiver) groups(by access.Scope, batch []points.Point, otherwise string) (all []*group) {
	of := map[*catalog.Kind]*group{}
	for i := range batch {
		kind, o := r.Mapping.Observation(&batch[i], otherwise)
		if kind != nil && !by.Allows(kind, o.Subject) {
			o.DecodeError = &model.FieldError{Code: points.CodeForeign,
				Message: fmt.Sprintf("the write key does not allow %s of %.64q: it is for %s", kind.Name, o.Subject, by)}
			kind = nil
		}
		g := of[kind]
		if g == nil {
			g = &group{kind: kind}
			of[kind], all = g, append(all, g)
		}
		parts := []ingest.Observation{o}
		if kind != nil {
			parts = points.Split(kind, o, r.Limits.Measures)
		}
		for _, part := range parts {
			g.observations, g.lines = append(g.observations, part), append(g.lines, batch[i].Line)
		}
	}
	return all
}

// add adds the result of one point.
func (out *result) add(line int, r *model.AppendResult) {
	out.all = append(out.all, *r)
	if r.Outcome != model.Rejected {
		for _, part := range r.NotStored {
			out.parts = append(out.parts, rejection{line, part.Error()})
		}
	}
	switch r.Outcome {
	case model.Unknown:
		out.open = true
	case model.Rejected:
		if r.Errors[0].Code == points.CodeNothing { // such as a message that is no measurement
			out.parts = append(out.parts, rejection{line, r.Errors[0].Error()})
			return
		}
		reasons := lists.Map(r.Errors, func(e model.FieldError) string { return e.Error() })
		out.reject(line, strings.Join(reasons, "; "))
	case model.Collision:
		out.reject(line, "a point of this series and time is stored with another value of the same field")
	case model.Gone:
		out.reject(line, "the subject is being purged")
	}
}

// reject adds why a point is not stored. Several parts of a point that is divided are one rejection, with
// each reason once.
func (out *result) reject(line int, reason string) {
	n := len(out.rejected)
	if n == 0 || out.rejected[n-1].line != line {
		out.rejected = append(out.rejected, rejection{line, reason})
		return
	}
	if last := &out.rejected[n-1]; !strings.Contains(last.reason, reason) {
		last.reason += "; " + reason
	}
}
