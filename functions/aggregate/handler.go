package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// settler brings rollups up to date with changes; aggregate.Aggregator is one.
type settler interface {
	// Settle reports the places of the changes it could not settle.
	Settle(ctx context.Context, changes []model.Change) aggregate.Report
	// SetAside keeps a record that nobody can settle; a repeat changes nothing.
	SetAside(ctx context.Context, q model.Quarantined) error
}

// handler answers the table stream's mapping: a lambda.Handler, so that the payload's
// bytes are decoded once, by us.
type handler struct {
	decoder  envelope.StreamDecoder
	settler  settler
	log      *slog.Logger
	metrics  *telemetry.Emitter
	units    func() (read, write float64) // capacity consumed by this process so far
	function string                       // the deployed function's name
	now      func() model.Time
	// watermark keeps how far the table stream has been settled; nil keeps nothing.
	watermark watermark
	alerts    watcher // nil tests no alert rules
}

// watermark notices when nothing was settled for as long as the table stream
// remembers; aggregate.Watermark is one.
type watermark interface {
	// Settled answers the gap before the change, where there is one; it is kept already.
	Settled(ctx context.Context, at model.Time) (*model.Gap, error)
}

// answer is what the mapping reads: everything before the lowest identifier is
// acknowledged, everything from it on comes again. It is never absent on failure,
// for no answer acknowledges all.
type answer struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	Seq string `json:"itemIdentifier"` // "" fails the batch whole
}

// Invoke settles a batch, or does what the schedule is for. The error is for a payload that is no batch at all: it
// fails whole and ends, after the mapping's retries, in the on-failure queue.
func (h *handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if scheduled(payload) {
		return h.catchUp(ctx)
	}
	batch, err := h.decoder.Decode(payload)
	if err != nil {
		return nil, err
	}
	readBefore, writeBefore := h.units()
	ctx, cancel := h.withRoom(ctx)
	defer cancel()
	unsettled, setAside := h.setAside(ctx, batch.Poison)
	report := h.settler.Settle(ctx, batch.Changes)
	report.Quarantined += setAside
	for _, f := range report.Failures {
		unsettled[batch.Changes[f.Change].Seq] = f.Err
	}
	alerts := h.look(ctx, batch.Changes, unsettled)
	a := answerOf(batch.Seqs, unsettled)

	read, write := h.units()
	h.tell(ctx, &batch, &report, unsettled)
	h.count(&batch, &report, alerts, len(a.Failures), read-readBefore, write-writeBefore)
	if len(a.Failures) == 0 {
		h.mark(ctx, batch.Changes)
	}
	return json.Marshal(a)
}

// withRoom ends the work early enough to answer: a batch that runs into the timeout
// comes again whole, though its first records were settled.
func (h *handler) withRoom(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	left := deadline.Sub(h.now().Time())
	return context.WithDeadline(ctx, deadline.Add(-min(2*time.Second, left/10)))
}

// setAside quarantines what cannot be read, so that the stream shard moves on, and
// answers what could not even be kept.
func (h *handler) setAside(ctx context.Context, poison []envelope.Poison) (unsettled map[string]error, kept int) {
	unsettled = map[string]error{}
	for i := range poison {
		if err := h.settler.SetAside(ctx, poison[i].Quarantined()); err != nil {
			unsettled[poison[i].Seq] = err
			continue
		}
		kept++
	}
	return unsettled, kept
}

// mark moves the watermark to the newest change of a batch that was settled whole.
// That it cannot be moved fails no batch: the next one moves it.
func (h *handler) mark(ctx context.Context, changes []model.Change) {
	if h.watermark == nil || len(changes) == 0 {
		return
	}
	newest := changes[0].At
	for i := range changes {
		newest = max(newest, changes[i].At)
	}
	gap, err := h.watermark.Settled(ctx, newest)
	if err != nil {
		h.log.Error("watermark not moved", telemetry.FieldError, err.Error())
	}
	if gap == nil {
		return
	}
	h.log.Error("gap in the table stream: changes may be gone that no rollup has", "from", gap.From.String(), "to", gap.To.String())
	if err := h.metrics.Emit(h.function, "", telemetry.Counts{telemetry.StreamGaps: 1}); err != nil {
		h.log.Error("metrics not written", telemetry.FieldError, fmt.Sprint(err))
	}
}

// answerOf names the first unsettled record in batch order. Sequence numbers are not
// compared: only their place in the batch has a meaning.
func answerOf(seqs []string, unsettled map[string]error) answer {
	for _, seq := range seqs {
		if _, failed := unsettled[seq]; failed {
			return answer{[]failure{{seq}}}
		}
	}
	return answer{[]failure{}}
}

// told is how many rows that need attention are named in the log of one batch.
const told = 20

func (h *handler) tell(ctx context.Context, batch *envelope.StreamBatch, r *aggregate.Report, unsettled map[string]error) {
	log := h.log
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		log = log.With(telemetry.FieldRequestID, lc.AwsRequestID)
	}
	for _, p := range batch.Poison {
		log.Error("record set aside", "sequence_number", p.Seq, telemetry.FieldError, p.Reason)
	}
	for _, n := range r.Notes[:min(told, len(r.Notes))] {
		log.Warn("row needs attention", telemetry.FieldKind, n.Key.Series.Kind, telemetry.FieldSeries, n.Key.Series.String(),
			"tier", n.Key.Tier, "bucket", n.Key.Start.String(), "note", n.Text)
	}
	for _, seq := range batch.Seqs {
		if err := unsettled[seq]; err != nil {
			log.Error("batch not settled", "from", seq, "failed", len(unsettled), telemetry.FieldError, err.Error())
			break
		}
	}
	log.Info("batch", telemetry.FieldCount, len(batch.Seqs), telemetry.FieldKind, kindOf(batch.Changes),
		"looks", r.Looks, "written", r.Written, "unchanged", r.Unchanged, "lost", r.Lost, "uncertain", r.Uncertain,
		"marked", r.Marked, "not_made", r.NotMade, telemetry.FieldLag, r.Lag.Milliseconds())
}

// count writes the invocation's metrics: one line on standard output.
func (h *handler) count(batch *envelope.StreamBatch, r *aggregate.Report, alerts telemetry.Counts, failures int, read, write float64) {
	counts := telemetry.Counts{
		telemetry.Looks:            float64(r.Looks),
		telemetry.RowsWritten:      float64(r.Written),
		telemetry.RowsUnchanged:    float64(r.Unchanged),
		telemetry.LostLocks:        float64(r.Lost),
		telemetry.SealedMarks:      float64(r.Marked),
		telemetry.RowsInexact:      float64(r.Inexact),
		telemetry.UnreadableEvents: float64(r.Unreadable),
		telemetry.OversizeRows:     float64(r.Oversize),
		telemetry.CrowdedBuckets:   float64(r.Crowded),
		telemetry.Quarantined:      float64(r.Quarantined),
		telemetry.Retries:          float64(r.Lost + r.Uncertain + r.Throttled),
		telemetry.Throttles:        float64(r.Throttled),
		telemetry.BatchFailures:    float64(failures),
		telemetry.ReadUnits:        read,
		telemetry.WriteUnits:       write,
	}
	maps.Copy(counts, alerts)
	if r.Lag > 0 {
		counts[telemetry.Lag] = r.Lag.Seconds()
	}
	for i := range batch.Changes {
		if m, ok := telemetry.OfChange(batch.Changes[i].What); ok {
			counts[m]++
		}
	}
	if err := h.metrics.Emit(h.function, kindOf(batch.Changes), counts); err != nil {
		h.log.Error("metrics not written", telemetry.FieldError, fmt.Sprint(err))
	}
}

// kindOf is the kind that all changes are of; "" where they are of several.
func kindOf(changes []model.Change) string {
	kind := ""
	for i := range changes {
		if next := changes[i].Key.Series.Kind; kind == "" {
			kind = next
		} else if next != kind {
			return ""
		}
	}
	return kind
}
