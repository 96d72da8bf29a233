package query

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Progress says which changes of the table a result has. Both times are read before any row.
type Progress struct {
	// CompleteThrough is the low watermark of the series: buckets that closed until then are stored rows, and
	// later buckets of deferred tiers are folded as they are read. Either way they have every event that was
	// stored before its bucket closed. It is nil if no kind has deferred tiers.
	CompleteThrough *model.Time
	// AllSeries is set if CompleteThrough is the least of all series of the table.
	AllSeries bool
	// ProcessedThrough is the time through which the table stream is processed: late events, changes by other
	// programs, and all changes of immediate tiers, are in the result if they were stored until then, except
	// in Unprocessed. It is nil if the store does not tell. One shard of the table stream that is slower than
	// the others may be behind it.
	ProcessedThrough *model.Time
	// Begun is the time of the first heartbeat of the table stream, while nothing was processed; 0 before it.
	Begun model.Time
	// Unprocessed are ranges of the table's clock. Changes that were stored in them may be missing.
	Unprocessed []Unprocessed
}

// Unprocessed is a range of the table's clock whose changes may be in no result.
type Unprocessed struct {
	storage.Gap
	Reason UnprocessedReason
}

// UnprocessedReason says why changes may be missing.
type UnprocessedReason string

// The reasons.
const (
	// StreamGap: the table stream may have lost the changes before they were delivered.
	StreamGap UnprocessedReason = "gap"
	// BlockedBatch: a batch of the table stream fails. It is repeated, or was given up and waits to be
	// redriven.
	BlockedBatch UnprocessedReason = "blocked"
)

// StreamStates reads what is stored about the table stream, by one request.
type StreamStates interface {
	StreamState(ctx context.Context) (storage.StreamState, error)
}

// BehindAfter is the lag of the table stream, or of groups behind it, above which a result has a warning. A
// heartbeat passes the stream each minute, and the progress is stored once a minute.
const BehindAfter = 10 * time.Minute

// Lag returns how far the processed changes are behind a clock; 0 if that is not known.
func (p Progress) Lag(now model.Time) time.Duration {
	if p.ProcessedThrough == nil || *p.ProcessedThrough == model.MinTime {
		return 0
	}
	return max(0, now.Sub(*p.ProcessedThrough))
}

// KnownThrough returns the time through which the table is known, at a time: MinTime if nothing was processed
// yet, and now if the store does not tell.
func (p Progress) KnownThrough(now model.Time) model.Time {
	if p.ProcessedThrough == nil {
		return now
	}
	return min(now, *p.ProcessedThrough)
}

// Warnings returns a sentence for each reason why changes may be missing from a result at a time; none if
// only changes of the last minutes may be.
func (p Progress) Warnings(now model.Time) (all []string) {
	switch lag := p.Lag(now); {
	case lag > BehindAfter:
		all = append(all, fmt.Sprintf("changes since %s may be missing: their processing is %s behind",
			*p.ProcessedThrough, lag.Round(time.Minute)))
	case p.Begun != 0 && now.Sub(p.Begun) > BehindAfter:
		all = append(all, fmt.Sprintf("changes may be missing: nothing of the table stream was processed since "+
			"its first heartbeat at %s", p.Begun))
	}
	for _, u := range p.Unprocessed {
		why := "the table stream may have lost them"
		if u.Reason == BlockedBatch {
			why = "a batch of the table stream fails, and later changes may wait for it"
		}
		all = append(all, fmt.Sprintf("changes from %s to %s may be missing: %s", u.From, u.To, why))
	}
	return all
}

// Text returns both times in words, at a time.
func (p Progress) Text(now model.Time) string {
	processed := "nothing was processed yet"
	if p.ProcessedThrough != nil && *p.ProcessedThrough > model.MinTime {
		processed = fmt.Sprintf("changes processed through %s (%s ago)",
			*p.ProcessedThrough, p.Lag(now).Round(time.Second))
	}
	switch {
	case p.CompleteThrough == nil:
		return processed
	case *p.CompleteThrough == model.MinTime:
		return "no bucket was written yet; " + processed
	}
	return p.completeText() + "; " + processed
}

// completeText returns CompleteThrough, which is known, in words.
func (p Progress) completeText() string {
	text := fmt.Sprintf("complete through %s for events on time", *p.CompleteThrough)
	if p.AllSeries {
		text = "all series " + text
	}
	return text
}

// Reached reports whether both times have reached a time.
func (p Progress) Reached(at model.Time) bool {
	return (p.CompleteThrough == nil || *p.CompleteThrough >= at) &&
		p.ProcessedThrough != nil && *p.ProcessedThrough >= at
}

// addStream adds what is known of the table stream.
func (p *Progress) addStream(state storage.StreamState) {
	p.ProcessedThrough = new(state.Through())
	if state.Begun {
		p.Begun = state.Progress
	}
	for _, g := range state.Gaps {
		p.Unprocessed = append(p.Unprocessed, Unprocessed{g, StreamGap})
	}
	for _, b := range state.Blocked {
		p.Unprocessed = append(p.Unprocessed, Unprocessed{b.Gap, BlockedBatch})
	}
}

// TableStore is what TableProgress reads.
type TableStore interface {
	LowWatermarks
	StreamStates
}

// TableProgress returns the progress of all series of a table: each bucket that ended at or before
// CompleteThrough has closed, and is a row.
func TableProgress(ctx context.Context, store TableStore, kinds *catalog.Catalog) (p Progress, err error) {
	state, err := store.StreamState(ctx)
	if err != nil {
		return p, err
	}
	p.addStream(state)
	delay, deferred := closingDelay(kinds)
	if !deferred {
		return p, nil
	}
	marks, err := store.Sweeps(ctx)
	through := marks.Least()
	if kinds.HasGroups() {
		through = min(through, marks.ForShard(storage.GroupShard))
	}
	if through > model.MinTime {
		through = through.Add(-delay)
	}
	p.CompleteThrough, p.AllSeries = &through, true
	return p, err
}

// LateDelay returns how far CompleteThrough must be past the time at which a late change was processed, for
// the change to be in the rollups. It is negative where buckets close later than late changes wait. coalesced
// is false if the late changes of no kind wait.
func LateDelay(kinds *catalog.Catalog) (delay time.Duration, coalesced bool) {
	var longest time.Duration
	for i := range kinds.Kinds {
		longest = max(longest, storage.LateMargin(kinds.Kinds[i].Retention.LateEvery))
	}
	closing, _ := closingDelay(kinds) // CompleteThrough is so far behind the low watermark
	return longest - closing, longest > 0
}

// closingDelay returns how long after its end a bucket of any kind may close.
func closingDelay(kinds *catalog.Catalog) (longest time.Duration, deferred bool) {
	for i := range kinds.Kinds {
		p := kinds.Kinds[i].Retention
		for _, t := range p.Tiers {
			if t.Deferred {
				longest, deferred = max(longest, t.Grace+p.Jitter), true
			}
		}
	}
	return longest, deferred
}

// progress returns the progress of some series; nothing if the store does not tell.
func (s *Service) progress(ctx context.Context, of []model.Series) (p Progress, err error) {
	live, ok := s.Store.(*Live)
	if !ok {
		return p, nil
	}
	if live.Stream != nil {
		state, err := live.stream.get(ctx, live.Now(), live.Stream.StreamState)
		if err != nil {
			return p, err
		}
		p.addStream(state)
	}
	for _, series := range of {
		if err := live.addSeries(ctx, &p, series); err != nil {
			return p, err
		}
	}
	return p, nil
}

// StreamProgress returns the progress of the table stream alone, by which the list of series is known.
func (s *Service) StreamProgress(ctx context.Context) (Progress, error) { return s.progress(ctx, nil) }

// addSeries lowers a progress to the one of a series. A late change may wait for a tick after it was
// processed.
func (l *Live) addSeries(ctx context.Context, p *Progress, series model.Series) error {
	kind, err := l.Kind(ctx, series.Kind)
	if err != nil || kind == nil || !kind.Retention.HasDeferred() {
		return err
	}
	at, err := l.CompleteThrough(ctx, series)
	if err != nil {
		return err
	}
	late := storage.LateMargin(kind.Retention.LateEvery)
	if at > model.MinTime {
		at = at.Add(-late)
	}
	if p.CompleteThrough == nil || at < *p.CompleteThrough {
		p.CompleteThrough = &at
	}
	if late > 0 && p.ProcessedThrough != nil {
		p.ProcessedThrough = new(min(at, *p.ProcessedThrough))
	}
	return nil
}

// recent is a value that was read, for storage.WatermarkAge. It is safe for concurrent use.
type recent[T any] struct {
	mu    sync.Mutex // guards what follows
	value T
	known bool
	at    model.Time
}

// get returns the value that was read recently, or reads it.
func (r *recent[T]) get(
	ctx context.Context, now model.Time, read func(context.Context) (T, error),
) (T, error) {
	r.mu.Lock()
	value, fresh := r.value, r.known && now >= r.at && now.Sub(r.at) < storage.WatermarkAge
	r.mu.Unlock()
	if fresh {
		return value, nil
	}
	value, err := read(ctx)
	if err != nil {
		return value, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.value, r.at = value, now
	r.known = true
	return value, nil
}
