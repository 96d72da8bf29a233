package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// request is the payload of a direct invocation, by a user or another program.
type request struct {
	Subject    string `json:"subject"` // devices/sensor_01
	By         string `json:"by"`      // who requests the purge, for the receipt
	GraceHours int    `json:"graceHours"`
	DryRun     bool   `json:"dryRun"`
	CallOff    bool   `json:"callOff"` // cancel a purge that has not started
}

// invokeDirectly counts what a purge would remove, cancels a purge, or requests and starts
// one. The schedule continues a purge that is not finished in this invocation.
func (i *invocation) invokeDirectly(ctx context.Context, payload []byte) (any, error) {
	var r request
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errPayload, err)
	}
	path, id, _ := strings.Cut(r.Subject, "/")
	subjectType, ok := i.catalog.SubjectByPath(path)
	if !ok || id == "" {
		return nil, fmt.Errorf(
			"subject %q is not valid: want the plural of a subject type and an id, as devices/sensor_01", r.Subject)
	}
	subject := model.Subject{Type: subjectType.Name, ID: id}
	switch {
	case r.CallOff:
		return views.Purge{}, i.purger.Cancel(ctx, subject)
	case r.DryRun:
		counts, err := i.purger.Count(ctx, subject)
		return views.Purge{Would: counts}, err
	}
	if _, err := i.purger.Request(ctx, subject, r.By, time.Duration(r.GraceHours)*time.Hour); err != nil {
		return nil, err
	}
	progress, err := i.purger.Advance(ctx, subject)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return views.NewPurge(progress), nil
}
