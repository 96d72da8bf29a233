package main

import (
	"cmp"
	"context"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func (h *handler) create(ctx context.Context, c command) (httpapi.Response, error) {
	fields, problem := c.ProfileFields(h.limits)
	if problem != nil {
		return httpapi.Response{}, problem
	}
	return changeResponse(h.profiles.Create(ctx, c.Subject(), fields))
}

func (h *handler) update(ctx context.Context, c command) (httpapi.Response, error) {
	fields, badFields := c.ProfileFields(h.limits)
	version, badVersion := c.ExpectedVersion()
	if problem := cmp.Or(badFields, badVersion); problem != nil {
		return httpapi.Response{}, problem
	}
	return changeResponse(h.profiles.Update(ctx, c.Subject(), fields, version))
}

// delete turns a profile into a tombstone, which can be restored. With ?forever=true it
// removes the profile permanently.
func (h *handler) delete(ctx context.Context, c command) (httpapi.Response, error) {
	version, badVersion := c.ExpectedVersion()
	forever, badFlag := c.query.Boolean("forever")
	if problem := cmp.Or(badVersion, badFlag); problem != nil {
		return httpapi.Response{}, problem
	}
	if forever {
		return changeResponse(h.profiles.Remove(ctx, c.Subject(), version))
	}
	return changeResponse(h.profiles.Delete(ctx, c.Subject(), version))
}

func (h *handler) restore(ctx context.Context, c command) (httpapi.Response, error) {
	version, problem := c.ExpectedVersion()
	if problem != nil {
		return httpapi.Response{}, problem
	}
	return changeResponse(h.profiles.Restore(ctx, c.Subject(), version))
}

func changeResponse(result lifecycle.Result, err error) (httpapi.Response, error) {
	if problem := httpapi.ChangeError(err); problem != nil {
		return httpapi.Response{}, problem
	}
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.ChangeResponse(result), nil
}
