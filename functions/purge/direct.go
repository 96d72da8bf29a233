package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// request is how somebody invokes the function by hand, or another program does.
type request struct {
	Subject    string `json:"subject"` // devices/sensor_01
	By         string `json:"by"`      // who asks, for the receipt
	GraceHours int    `json:"graceHours"`
	DryRun     bool   `json:"dryRun"`
	CallOff    bool   `json:"callOff"`
}

// state is how far a purge is, as callers read it.
type state struct {
	Purge   string             `json:"purge,omitempty"` // its id
	Step    model.PurgeStep    `json:"step,omitempty"`
	Due     *model.Time        `json:"due,omitempty"`
	Resume  *model.Time        `json:"resume,omitempty"` // nothing is to be done before
	Removed []model.PurgeCount `json:"removed,omitempty"`
	Receipt *lifecycle.Receipt `json:"receipt,omitempty"` // once it is done
	// Would is what a dry run counted.
	Would []model.PurgeCount `json:"would,omitempty"`
}

func stateOf(p model.Purge) state {
	return state{Purge: p.ID, Step: p.Step, Due: &p.Due, Removed: p.Counts}
}

// direct answers a request by hand: it counts, calls off, or asks and begins.
func (i *invocation) direct(ctx context.Context, payload []byte) (any, error) {
	var r request
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	path, id, _ := strings.Cut(r.Subject, "/")
	of, ok := i.catalog.SubjectByPath(path)
	if !ok || id == "" {
		return nil, fmt.Errorf("subject %q: want the plural of a subject type and an id, as devices/sensor_01", r.Subject)
	}
	subject := model.Subject{Type: of.Name, ID: id}
	switch {
	case r.CallOff:
		return state{}, i.purger.CallOff(ctx, subject)
	case r.DryRun:
		would, err := i.purger.Count(ctx, subject)
		return state{Would: would}, err
	}
	if _, err := i.purger.Ask(ctx, subject, r.By, time.Duration(r.GraceHours)*time.Hour); err != nil {
		return nil, err
	}
	at, err := i.purger.Advance(ctx, subject)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return progressOf(at), nil // what time ended, the schedule takes up
}

func progressOf(at lifecycle.Progress) state {
	s := stateOf(at.Purge)
	if at.Done {
		return state{Purge: at.Receipt.Purge, Step: model.PurgeDone, Receipt: &at.Receipt}
	}
	s.Resume = &at.Resume
	return s
}
