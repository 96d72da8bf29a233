package main

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxVerified is how many events a bucket may have that a request recounts: about 2 MB.
const maxVerified = 5000

// maxLate is how many late events a response names.
const maxLate = 20

// verificationView is a recounted bucket as JSON.
type verificationView struct {
	Tier   string        `json:"tier"`
	Bucket model.Time    `json:"bucket"`
	End    model.Time    `json:"end"`
	Status verify.Status `json:"status"`
	Exact  bool          `json:"exact"`
	Events int           `json:"events"`
	Detail string        `json:"detail,omitempty"`
	Cause  string        `json:"cause,omitempty"`
	Late   int           `json:"late"`
	// LateEvents are the first of the late events, in order of arrival.
	LateEvents []arrivalView `json:"lateEvents"`
}

// arrivalView is an event, and when it arrived.
type arrivalView struct {
	At        model.Time `json:"at"`
	ID        string     `json:"id"`
	ArrivedAt model.Time `json:"arrivedAt"`
}

// verify recounts one bucket from its events and compares it with its row.
func (h *Handler) verify(ctx context.Context, res resource, args params) (any, error) {
	unit, err := res.unit(res.tier)
	if err != nil {
		return nil, err
	}
	at := args.time("at", model.MinTime)
	if args.err() != nil {
		return nil, args.err()
	}
	if !args.values.Has("at") {
		return nil, problemBadTime.New("at is missing: want a time in the bucket")
	}
	if err := res.series.Check(); err != nil {
		return nil, err
	}
	series := model.Series{Subject: res.Subject(), Kind: res.series.Kind.Name, Stream: res.series.Stream}
	found, err := h.Buckets.Verify(ctx, res.series.Kind, series, unit, at)
	if errors.Is(err, verify.ErrManyEvents) {
		return nil, problemManyEvents.New(
			"it has more than %d: choose a finer tier, or run tidemark verify", maxVerified)
	}
	if err != nil {
		return nil, err
	}
	return verificationView{
		Tier: unit.String(), Bucket: found.Bucket.Start, End: found.Bucket.End, Status: found.Status,
		Exact: found.Exact, Events: found.Stored, Detail: found.Detail, Cause: found.Events,
		Late: len(found.Late),
		LateEvents: lists.Map(found.Late[:min(len(found.Late), maxLate)], func(e model.Event) arrivalView {
			return arrivalView{At: e.At, ID: e.ID, ArrivedAt: e.ArrivedAt}
		}),
	}, nil
}
