package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// processor brings rollups up to date with changes.
type processor interface {
	// Process reports the indexes of the changes that could not be processed.
	Process(ctx context.Context, changes []storage.Change) aggregate.Report
	// Quarantine stores a record that cannot be processed. It is idempotent.
	Quarantine(ctx context.Context, q storage.Quarantined) error
}

// progress detects that nothing was processed for as long as the table stream keeps records.
type progress interface {
	// Advance returns the gap before the change at a time, if there is one. It has already
	// stored the gap.
	Advance(ctx context.Context, at model.Time) (*storage.Gap, error)
}

// blockedBatches records which batches cannot be processed.
type blockedBatches interface {
	// Failed records a batch from its first record that failed on.
	Failed(ctx context.Context, batch storage.Blocked) error
	// Processed removes what is recorded of a batch that was processed, by its first record.
	Processed(ctx context.Context, seq string, at model.Time) error
}

var (
	_ processor      = (*aggregate.Aggregator)(nil)
	_ progress       = (*aggregate.StreamProgress)(nil)
	_ blockedBatches = (*aggregate.BlockedBatches)(nil)
	_ lambda.Handler = (*handler)(nil)
)

// handler processes batches of the table stream, scheduled events and handovers of sweeps.
type handler struct {
	decoder   tablestream.Decoder
	processor processor
	progress  progress       // nil records no progress
	blocked   blockedBatches // nil records no blocked batches
	pulse     pulse          // nil writes no heartbeats
	alerts    evaluator      // nil evaluates no alert rules
	sweeper   sweeper        // nil where no kind has deferred tiers
	self      invoker        // nil hands no queue shard over
	// refresh replaces processor, sweeper and alerts if the table's configuration has changed; nil in
	// tests. After an error nothing may be recomputed.
	refresh func(context.Context) error

	log      *slog.Logger
	metrics  *telemetry.Emitter
	units    func() (read, write float64) // capacity consumed since the process started
	function string                       // the deployed function's name
	tracer   *xray.Tracer                 // nil traces nothing
}

// headroom is kept free before the invocation's deadline, for the response. A batch that
// runs into the timeout is delivered again completely, although a part of it is processed.
const headroom = 2 * time.Second

// Invoke handles a batch, a scheduled event or a handover. Any other payload is an error: Lambda
// retries it and sends it to the on-failure queue.
func (h *handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if h.refresh != nil {
		if err := h.refresh(ctx); err != nil {
			return nil, err
		}
	}
	if envelope.IsScheduled(payload) {
		if work, ok := envelope.ParseHandover(payload); ok {
			return h.handleHandover(ctx, work)
		}
		return h.handleSchedule(ctx, payload)
	}
	batch, err := h.decoder.Decode(payload)
	if err != nil {
		return nil, err
	}
	traced := h.tracer.Arrivals(batch.Traced)
	readBefore, writeBefore := h.units()
	ctx, cancel := retry.WithHeadroom(ctx, headroom)
	defer cancel()
	failed, quarantined := h.quarantine(ctx, batch.Poison)
	report := h.processor.Process(ctx, batch.Changes)
	report.Quarantined += quarantined
	for _, f := range report.Failures {
		failed[batch.Changes[f.Change].Seq] = f.Err
	}
	alertCounts := h.evaluateAlerts(ctx, batch.Changes, failed)
	r := newResponse(batch.Seqs, failed)
	traced(len(failed) > 0)

	read, write := h.units()
	if len(batch.Seqs) > batch.Skipped { // a batch of only a heartbeat would add metrics to the bill
		h.logBatch(ctx, &batch, &report, failed)
		h.publish(&batch, &report, alertCounts, len(r.BatchItemFailures), read-readBefore, write-writeBefore)
	}
	if len(r.BatchItemFailures) == 0 {
		h.advanceProgress(ctx, &batch)
	}
	h.recordBlocked(ctx, &batch, failed)
	return json.Marshal(r)
}

// quarantine stores the records that cannot be decoded, so that the stream shard continues.
// It returns the errors of those that could not be stored, by sequence number.
func (h *handler) quarantine(ctx context.Context,
	poison []tablestream.Poison) (failed map[string]error, quarantined int) {
	failed = map[string]error{}
	for i := range poison {
		if err := h.processor.Quarantine(ctx, poison[i].Quarantined()); err != nil {
			failed[poison[i].Seq] = err
			continue
		}
		quarantined++
	}
	return failed, quarantined
}

// recordBlocked records a batch that failed, or that a failed one was processed now. An error is only logged:
// the batch is delivered again, or a processed one stays recorded until its range is redriven.
func (h *handler) recordBlocked(ctx context.Context, batch *tablestream.Batch, failed map[string]error) {
	if h.blocked == nil || len(batch.Seqs) == 0 {
		return
	}
	at := map[string]model.Time{}
	newest := model.MinTime
	for i := range batch.Changes {
		at[batch.Changes[i].Seq] = batch.Changes[i].At
		newest = max(newest, batch.Changes[i].At)
	}
	for i := range batch.Poison {
		at[batch.Poison[i].Seq] = batch.Poison[i].At
	}
	var err error
	first := slices.IndexFunc(batch.Seqs, func(seq string) bool { return failed[seq] != nil })
	switch began, known := at[batch.Seqs[max(first, 0)]]; {
	case !known: // a record of another item, which never fails
	case first < 0:
		err = h.blocked.Processed(ctx, batch.Seqs[0], began)
	default:
		err = h.blocked.Failed(ctx, storage.Blocked{
			Seq: batch.Seqs[first], Gap: storage.Gap{From: began, To: max(began, newest)},
		})
	}
	if err != nil {
		h.log.Error("blocked batch not recorded", telemetry.FieldError, err.Error())
	}
}

// advanceProgress records the newest change or heartbeat of a batch that was processed
// completely. A failure is only logged: the next batch records its own.
func (h *handler) advanceProgress(ctx context.Context, batch *tablestream.Batch) {
	newest := batch.Heartbeat
	for i := range batch.Changes {
		newest = max(newest, batch.Changes[i].At)
	}
	if h.progress == nil || newest == 0 {
		return
	}
	gap, err := h.progress.Advance(ctx, newest)
	if err != nil {
		h.log.Error("stream progress not recorded", telemetry.FieldError, err.Error())
	}
	h.reportGap(gap)
}

// reportGap logs and counts a gap that was stored; nil is none.
func (h *handler) reportGap(gap *storage.Gap) {
	if gap == nil {
		return
	}
	h.log.Error("gap in the table stream: rollups may miss changes", "from", gap.From.String(), "to",
		gap.To.String())
	h.emit("", telemetry.Counts{telemetry.StreamGaps: 1})
}

// newResponse names the first failed record in batch order; "" fails the complete batch. Sequence
// numbers are not ordered across shards, so they are not compared.
func newResponse(sequenceNumbers []string, failed map[string]error) tablestream.BatchResponse {
	for _, n := range sequenceNumbers {
		if _, ok := failed[n]; ok {
			return tablestream.FailedFrom(n)
		}
	}
	return tablestream.FailedFrom()
}
