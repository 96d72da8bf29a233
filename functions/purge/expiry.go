package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// streamResponse reports to the event source mapping which records failed: Lambda delivers the
// batch again from the first of them.
type streamResponse struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	SequenceNumber string `json:"itemIdentifier"`
}

// cleanUp removes what is left of the generations whose tombstones TTL removed. It stops at
// the first failure, so that this record and the rest are delivered again.
func (i *invocation) cleanUp(ctx context.Context, payload []byte) (any, error) {
	expiries, err := envelope.Expiries(payload)
	if err != nil {
		return nil, err
	}
	for _, e := range expiries {
		err := e.Err
		if err == nil && e.Tombstone != nil {
			if err = i.profiles.CleanUpExpired(ctx, e.Tombstone); err == nil {
				i.counts[telemetry.GenerationsEnded]++
			}
		}
		if err != nil {
			i.counts[telemetry.StepFailures]++
			i.log.Error("cleanup after an expiry failed", "sequence_number", e.Seq, telemetry.FieldError, err.Error())
			return streamResponse{[]failure{{e.Seq}}}, nil
		}
	}
	return streamResponse{[]failure{}}, nil
}
