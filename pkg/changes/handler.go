package changes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Handler handles batches of the table stream. It is a handler of package lambda of aws-lambda-go: pass it to
// lambda.Start. It is safe for concurrent use if its functions are.
type Handler[T any] struct {
	// Events decodes the events of its kind. Changes of other kinds and items are skipped.
	Events *timeseries.Events[T]
	// Handle handles one change. After an error, Lambda delivers this record again, and all behind it. It
	// must bear that a change is delivered twice.
	Handle func(context.Context, Change[T]) error
	// Quarantine keeps a record that can never be handled, so that the stream goes on. After an error, or if
	// it is nil, Lambda delivers the record again until it expires or the mapping discards it.
	Quarantine func(context.Context, Poison) error
	// Log gets the error of each record that is delivered again; nil means slog.Default().
	Log *slog.Logger
}

var errPoison = errors.New("the record cannot be handled, and Quarantine is nil")

// Invoke handles one batch and returns the response of a mapping with ReportBatchItemFailures. The error is
// for a payload that is no batch of a table stream, and for a Handler without Events or Handle.
func (h *Handler[T]) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if h.Events == nil || h.Handle == nil {
		return nil, errors.New("changes: the handler has no Events or no Handle")
	}
	var decoder envelope.StreamDecoder
	batch, err := decoder.Decode(payload)
	if err != nil {
		return nil, err
	}
	response := envelope.FailedFrom()
	if seq, err := h.each(ctx, &batch); err != nil {
		h.log().ErrorContext(ctx, "changes are delivered again", "from", seq, "error", err.Error())
		response = envelope.FailedFrom(seq)
	}
	return json.Marshal(response)
}

// each handles the records in the order of the batch. It returns the first that failed.
func (h *Handler[T]) each(ctx context.Context, batch *envelope.StreamBatch) (failed string, _ error) {
	changed, poison := batch.Changes, batch.Poison
	for _, seq := range batch.Seqs {
		err := ctx.Err()
		switch {
		case err != nil:
		case len(poison) > 0 && poison[0].Seq == seq:
			err = h.quarantine(ctx, Poison{
				ID: poison[0].EventID, At: poison[0].At.Time(), Reason: poison[0].Reason, Record: poison[0].Record,
			})
			poison = poison[1:]
		case len(changed) > 0 && changed[0].Seq == seq:
			err = h.change(ctx, &changed[0])
			changed = changed[1:]
		}
		if err != nil {
			return seq, err
		}
	}
	return "", nil
}

// change handles one change of an event.
func (h *Handler[T]) change(ctx context.Context, c *storage.Change) error {
	if c.Key.Series.Kind != h.Events.Kind().Name {
		return nil
	}
	decoded, err := decode(h.Events, c)
	if err != nil {
		return h.quarantine(ctx, Poison{ID: c.EventID, At: decoded.At, Reason: err.Error()})
	}
	return h.Handle(ctx, decoded)
}

func (h *Handler[T]) quarantine(ctx context.Context, p Poison) error {
	if h.Quarantine == nil {
		return fmt.Errorf("%w: %s", errPoison, p.Reason)
	}
	return h.Quarantine(ctx, p)
}

func (h *Handler[T]) log() *slog.Logger {
	if h.Log == nil {
		return slog.Default()
	}
	return h.Log
}
