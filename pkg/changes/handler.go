package changes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Handler handles batches of the table stream. It is a handler of package lambda of aws-lambda-go: pass it to
// lambda.Start. It is safe for concurrent use if its functions are.
type Handler[T any] struct {
	// Events decodes the events of its kind. Changes of other kinds are skipped, as are all changes of events
	// if it is nil.
	Events *timeseries.Events[T]
	// Handle handles one change. After an error, Lambda delivers this record again, and all behind it. It
	// must bear that a change is delivered twice.
	Handle func(context.Context, Change[T]) error
	// Profile handles one change of the profile of any subject, and Alert one of any alert, as Handle does;
	// nil skips them.
	Profile func(context.Context, ProfileChange) error
	Alert   func(context.Context, AlertChange) error
	// Quarantine keeps a record that can never be handled, so that the stream goes on. After an error, or if
	// it is nil, Lambda delivers the record again until it expires or the mapping discards it.
	Quarantine func(context.Context, Poison) error
	// Log gets the error of each record that is delivered again; nil means slog.Default().
	Log *slog.Logger
}

var errPoison = errors.New("the record cannot be handled, and Quarantine is nil")

// Invoke handles one batch and returns the response of a mapping with ReportBatchItemFailures. The error is
// for a payload that is no batch of a table stream, and for a Handler that handles nothing.
func (h *Handler[T]) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if (h.Events == nil) != (h.Handle == nil) || h.Handle == nil && h.Profile == nil && h.Alert == nil {
		return nil, errors.New("changes: the handler has no Events with Handle, and no Profile or Alert")
	}
	decoder := tablestream.Decoder{Keep: h.keeps}
	batch, err := decoder.Decode(payload)
	if err != nil {
		return nil, err
	}
	response := tablestream.FailedFrom()
	if seq, err := h.each(ctx, &batch); err != nil {
		h.log().ErrorContext(ctx, "changes are delivered again", "from", seq, "error", err.Error())
		response = tablestream.FailedFrom(seq)
	}
	return json.Marshal(response)
}

// each handles the records in the order of the batch. It returns the first that failed.
func (h *Handler[T]) each(ctx context.Context, batch *tablestream.Batch) (failed string, _ error) {
	changed, poison := batch.Changes, batch.Poison
	kept := batch.Kept
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
		case len(kept) > 0 && kept[0].Seq == seq:
			err = h.other(ctx, &kept[0])
			kept = kept[1:]
		}
		if err != nil {
			return seq, err
		}
	}
	return "", nil
}

// change handles one change of an event.
func (h *Handler[T]) change(ctx context.Context, c *storage.Change) error {
	if h.Events == nil || c.Key.Series.Kind != h.Events.Kind().Name {
		return nil
	}
	decoded, err := decode(h.Events, c)
	if err != nil {
		return h.quarantine(ctx, Poison{ID: c.EventID, At: decoded.At, Reason: err.Error()})
	}
	return h.Handle(ctx, decoded)
}

// keeps reports whether changes of items with a key are handled.
func (h *Handler[T]) keeps(k keys.Key) bool {
	if strings.HasPrefix(k.SK, tablekeys.NotificationPrefix) {
		return h.Alert != nil
	}
	return h.Profile != nil && (k.SK == keys.ClassMetadata || strings.HasPrefix(k.SK, tablekeys.DeletedPrefix))
}

// other handles one change of a profile or of an alert.
func (h *Handler[T]) other(ctx context.Context, k *tablestream.Kept) error {
	isProfile := k.Key.SK == keys.ClassMetadata
	if !isProfile && k.Name != "INSERT" {
		return nil // a tombstone that goes, or a notification that was delivered
	}
	stored, err := parseImages(k.Record)
	switch {
	case err != nil:
	case strings.HasPrefix(k.Key.SK, tablekeys.NotificationPrefix):
		var c *AlertChange
		if c, err = alertChange(k, stored); err == nil {
			return h.Alert(ctx, *c)
		}
	default:
		var c *ProfileChange
		if c, err = profileChange(k, stored); err == nil && c == nil {
			return nil
		}
		if err == nil {
			return h.Profile(ctx, *c)
		}
	}
	return h.quarantine(ctx, Poison{
		ID: k.EventID, At: k.At.Time(), Reason: "table stream record: " + err.Error(),
		Record: slices.Clone(k.Record),
	})
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
