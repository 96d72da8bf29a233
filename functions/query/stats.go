package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
)

// isStats reports whether the clients of a path are made for Plausible, whose errors are in a member "error".
func isStats(path string) bool {
	return path == access.PathStats || strings.HasPrefix(path, access.PathReports)
}

// stats performs a query of a website, in the form of version 2.
func (h *Handler) stats(ctx context.Context, r *httpapi.Request) (any, error) {
	if r.Method != http.MethodPost {
		problem := httpapi.ProblemMethod.New("%.16s: use POST, with the query as the body", r.Method)
		return nil, problem.With("Allow", "POST")
	}
	body, problem := r.Bytes(h.Limits)
	if problem != nil {
		return nil, problem
	}
	q, err := plausible.Decode(body)
	if err == nil {
		err = h.checkReader(r, q.Site)
	}
	if err != nil {
		return nil, err
	}
	return plausible.Serve(ctx, h.Query, h.Catalog, q)
}

// report makes a report of a website, in the form of version 1.
func (h *Handler) report(ctx context.Context, r *httpapi.Request) (any, error) {
	if r.Method != http.MethodGet {
		return nil, methodNotAllowed(r.Method)
	}
	if len(r.RawQuery) > httpapi.MaxQuery {
		return nil, httpapi.ProblemQuery.New("%d bytes, at most %d", len(r.RawQuery), httpapi.MaxQuery)
	}
	// Clients send the semicolon between filters as it is.
	params, err := url.ParseQuery(strings.ReplaceAll(r.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plausible.ErrRequest, err)
	}
	q, err := plausible.DecodeReport(strings.TrimPrefix(r.Path, access.PathReports), params)
	if err == nil {
		err = h.checkReader(r, q.Site)
	}
	if err != nil {
		return nil, err
	}
	return plausible.ServeReport(ctx, h.Query, h.Catalog, q)
}

// checkReader returns a problem if the caller may not read a website: a read key is of other sites, or the
// caller is bound to an owner that does not own it.
func (h *Handler) checkReader(r *httpapi.Request, site string) error {
	sites, ok := access.ReadSites(r.Authorizer)
	_, foreign := r.CheckOwner(h.OwnerClaim, httpapi.OwnerSubject, site)
	switch {
	case !ok && foreign != nil:
		return foreign
	case ok && !slices.Contains(sites, site):
		return httpapi.ProblemForeign.New(
			"the key reads %s: make one for %.64q with tidemark access key create --read",
			strings.Join(sites, ", "), site)
	}
	return nil
}
