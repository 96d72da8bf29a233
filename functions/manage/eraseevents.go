package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// eraseStore is the part of the table from which events are removed.
type eraseStore interface {
	latest.Store
	tablescan.PartitionReader
	lifecycle.EventStore
}

// erasure is how far the removal of events came: the series, and the time from which it has events left.
type erasure struct {
	Series string     `json:"series"`
	From   model.Time `json:"from"`
}

// The parameters of a purge that removes some events.
const (
	eventsWhere = "eventsWhere"
	eventsKind  = "eventsKind"
)

// eraseEvents removes the events of a subject that meet ?eventsWhere=visitor=abc, of all kinds or of
// ?eventsKind=pageviews. It reads all events of these kinds, so a request may end before it is done: the
// caller repeats it with the cursor.
func (h *handler) eraseEvents(ctx context.Context, c command, dry bool) (httpapi.Response, error) {
	selection := lifecycle.EventSelection{
		Catalog: h.catalog, Latest: h.erasing, DryRun: dry, To: model.MaxTime + 1,
		Queue: h.events.Service.Queue, OnUnqueued: h.events.Service.OnUnqueued,
	}
	for _, text := range c.query.Values[eventsWhere] {
		term, err := httpapi.ParseWhere(text)
		if err != nil {
			return httpapi.Response{}, httpapi.ProblemQuery.New("%s: %v", eventsWhere, err)
		}
		selection.Where = append(selection.Where, term)
	}
	at, err := decodeErasure(c.query.Get("cursor"))
	if err != nil {
		return httpapi.Response{}, httpapi.ProblemQuery.New("cursor: want next of an earlier response: %v", err)
	}
	all, err := h.erasable(ctx, c)
	if err != nil {
		return httpapi.Response{}, err
	}
	done := views.ErasedEvents{Remains: h.purges.EventCopies()}
	for _, series := range all {
		if name := seriesName(series); name < at.Series {
			continue
		} else if name > at.Series {
			at = erasure{Series: name, From: model.MinTime}
		}
		selection.Series, selection.From = series, at.From
		from := &resumable{EventStore: h.erasing, reached: at.From}
		result, err := h.purges.EraseEvents(ctx, from, selection)
		done.Add(result)
		if ctx.Err() != nil {
			at.From = from.reached
			done.Next = at.encode()
			break
		}
		if err != nil {
			return httpapi.Response{}, err
		}
	}
	return httpapi.JSON(http.StatusOK, views.Purge{Events: &done}), nil
}

// erasable returns the stored series of the kinds that a request chooses, with shards, in the order of their
// names. The error may be a problem.
func (h *handler) erasable(ctx context.Context, c command) (all []model.Series, _ error) {
	chosen, problem := h.kindOfSubject(c, eventsKind)
	if problem != nil {
		return nil, problem
	}
	stored, err := tablescan.SubjectSeries(ctx, h.erasing, h.catalog, c.Subject())
	for _, s := range stored {
		kind, ok := h.catalog.Kind(s.Kind)
		if ok && kind.HasEvents() && (chosen == nil || chosen == kind) {
			all = append(all, kind.ShardSeries(s)...)
		}
	}
	slices.SortFunc(all, func(a, b model.Series) int { return cmp.Compare(seriesName(a), seriesName(b)) })
	return all, err
}

// kindOfSubject returns the kind that a parameter names by its path, nil if there is no such parameter.
func (h *handler) kindOfSubject(c command, parameter string) (*catalog.Kind, *httpapi.Problem) {
	if !c.query.Has(parameter) {
		return nil, nil
	}
	var paths []string
	for i := range h.catalog.Kinds {
		if k := &h.catalog.Kinds[i]; k.Subject.Name == c.Subject().Type {
			if k.Path == c.query.Get(parameter) {
				return k, nil
			}
			paths = append(paths, k.Path)
		}
	}
	return nil, httpapi.ProblemQuery.New("%s: %.64q is no kind of these subjects: want one of %s%s", parameter,
		c.query.Get(parameter), strings.Join(paths, ", "), names.DidYouMean(c.query.Get(parameter), paths))
}

// seriesName names a series with its shard, for the order in which the series of a subject are read.
func seriesName(s model.Series) string { return fmt.Sprintf("%s %d %s", s.Kind, s.Shard, s.Stream) }

// resumable notes how far the events of a series were removed.
type resumable struct {
	lifecycle.EventStore
	reached, last model.Time
}

// Events reads a page. The events of the page before it were removed.
func (r *resumable) Events(ctx context.Context, q storage.Range) (storage.EventPage, error) {
	r.reached = max(r.reached, r.last)
	page, err := r.EventStore.Events(ctx, q)
	if n := len(page.Events); n > 0 {
		r.last = page.Events[n-1].At
	}
	return page, err
}

func (e erasure) encode() *string {
	text, _ := json.Marshal(e) // plain data: cannot fail
	return new(base64.RawURLEncoding.EncodeToString(text))
}

// decodeErasure reads a cursor; "" is the beginning. It is not signed: it only says which events of the
// caller's own request are left out.
func decodeErasure(cursor string) (e erasure, err error) {
	if cursor == "" {
		return e, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, err
}
