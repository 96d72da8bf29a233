package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// streamAnswer is what the mapping reads: everything before the identifier is
// acknowledged, everything from it on comes again.
type streamAnswer struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	Seq string `json:"itemIdentifier"`
}

// cleanUp ends the lives whose tombstones TTL took away. At the first that cannot be
// ended it stops: the rest comes again with it.
func (i *invocation) cleanUp(ctx context.Context, payload []byte) (any, error) {
	expiries, err := envelope.Expiries(payload)
	if err != nil {
		return nil, err
	}
	for _, e := range expiries {
		err := e.Err
		if err == nil && e.Tombstone != nil {
			if err = i.life.Expired(ctx, e.Tombstone); err == nil {
				i.counts[telemetry.LivesEnded]++
			}
		}
		if err != nil {
			i.counts[telemetry.StepFailures]++
			i.log.Error("not cleaned up after an expiry", "sequence_number", e.Seq, telemetry.FieldError, err.Error())
			return streamAnswer{[]failure{{e.Seq}}}, nil
		}
	}
	return streamAnswer{[]failure{}}, nil
}
