package status

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// stream says how far the table stream is processed, and which changes may be lost or wait.
func (r *Reader) stream(ctx context.Context) ([]Line, error) {
	state, err := r.Table.StreamState(ctx)
	if err != nil {
		return nil, err
	}
	now := r.Now()
	var all []Line
	switch lag := now.Sub(state.Progress); {
	case state.Progress == 0, state.Begun && lag <= query.BehindAfter:
		all = only(NotKnown, "", "nothing was processed yet")
	case (repair.StreamState{StreamState: state}).Stalled(now):
		all = only(Act, r.mapping(), "processed through %s (%s), and nothing since: changes may be lost; when it "+
			"is processed again, run tidemark rebuild --gap recorded", state.Progress, ago(state.Progress, now))
	case state.Begun:
		all = only(Act, r.mapping(), "nothing was processed since the first heartbeat at %s (%s)",
			state.Progress, ago(state.Progress, now))
	case lag > query.BehindAfter:
		all = only(Act, r.mapping(), "processed through %s (%s), and nothing since",
			state.Progress, ago(state.Progress, now))
	default:
		all = only(Well, "", "processed through %s (%s)", state.Progress, ago(state.Progress, now))
	}
	for _, g := range state.Gaps {
		all = append(all, only(Act, "tidemark rebuild --gap recorded --dry-run",
			"gap: changes from %s to %s may be lost", g.From, g.To)...)
	}
	for _, b := range state.Blocked {
		all = append(all, only(Act, r.logs("aggregate"), "blocked: a batch of changes from %s to %s fails and "+
			"is repeated, or waits in the on-failure queue", b.From, b.To)...)
	}
	return all, nil
}

// mapping returns the command that shows or ends why nothing is delivered to aggregate.
func (r *Reader) mapping() string {
	if r.Stack != nil && r.Stack.Mapping != "" {
		return "aws lambda get-event-source-mapping --uuid " + r.Stack.Mapping
	}
	if r.Local != nil && r.Local.MappingOff {
		return "tidemark dev mapping on"
	}
	return r.logs("aggregate")
}

// watermark says through which time closed buckets are rows, or names the oldest bucket that waits.
func (r *Reader) watermark(ctx context.Context) ([]Line, error) {
	progress, err := query.TableProgress(ctx, r.Table, r.Kinds)
	switch {
	case err != nil:
		return nil, err
	case progress.CompleteThrough == nil:
		return only(Well, "", "no kind has deferred tiers: rows follow the table stream"), nil
	}
	marks, err := r.Table.Sweeps(ctx)
	if err != nil {
		return nil, err
	}
	shard, through := oldest(marks)
	name, now := fmt.Sprintf("queue shard %d of generation %d", shard.Number, shard.Generation), r.Now()
	if r.Kinds.HasGroups() && now.Sub(through) <= query.BehindAfter { // groups follow their members
		shard, name = storage.GroupShard, "the queue of groups"
		through = marks.ForShard(shard)
	}
	switch {
	case through == model.MinTime && (len(marks.Through) == 0 || shard == storage.GroupShard):
		return only(NotKnown, "", "no bucket was written yet"), nil
	case now.Sub(through) <= query.BehindAfter:
		const text = "all series complete through %s for events on time"
		return only(Well, "", text, progress.CompleteThrough), nil
	}
	why, err := r.whyItStands(ctx, shard)
	if err != nil {
		return nil, err
	}
	stands := "was never swept"
	if through > model.MinTime {
		stands = fmt.Sprintf("stands at %s (%s)", through, ago(through, now))
	}
	return only(Act, r.logs("aggregate"), "%s %s: %s", name, stands, why), nil
}

// oldest returns the queue shard with the least low watermark.
func oldest(marks storage.LowWatermarks) (shard storage.QueueShard, through model.Time) {
	through = model.MaxTime
	for _, s := range marks.Generations.Swept() {
		if at := marks.ForShard(s); at < through {
			shard, through = s, at
		}
	}
	return shard, through
}

// whyItStands names the first invalidation that is due in a queue shard.
func (r *Reader) whyItStands(ctx context.Context, shard storage.QueueShard) (string, error) {
	page, err := r.Table.Invalidations(ctx, shard, r.Now(), "")
	if err != nil {
		return "", err
	}
	if len(page.Invalidations) == 0 {
		return "no bucket waits there, so the sweeps do not run", nil
	}
	first, more := page.Invalidations[0], ""
	if n := len(page.Invalidations) - 1; page.Next != "" {
		more = fmt.Sprintf(", and more than %s others", terminal.Grouped(n))
	} else if n > 0 {
		more = fmt.Sprintf(", and %s others", terminal.Grouped(n))
	}
	return fmt.Sprintf("the %s of %s at %s was due at %s and is not written%s: "+
		"its recomputation fails, or no sweep ran", first.Key.Tier,
		first.Key.Series, first.Key.Start, first.Due, more), nil
}

// watchedFor is how old the result of a watch may be: it stores one each minute, or after a long series.
const watchedFor = time.Hour

// rows says how many rows differ from their events, as far as a watch of the table counted them.
func (r *Reader) rows(ctx context.Context) ([]Line, error) {
	state, err := r.Table.StreamState(ctx)
	if err != nil {
		return nil, err
	}
	now, found := r.Now(), state.Verified
	differ := fmt.Sprintf("%s rows differed from their events", terminal.Grouped(found.Differ))
	switch {
	case found == storage.Verification{}:
		return only(NotKnown, "tidemark verify --quick",
			"no watch compared rows with events (tidemark verify --watch)"), nil
	case found.Differ > 0:
		return only(Act, "tidemark verify", "%s at %s (%s)", differ, found.At, ago(found.At, now)), nil
	case now.Sub(found.At) > watchedFor:
		return only(NotKnown, "tidemark verify --watch",
			"the watch of rows stopped at %s (%s); no row differed then", found.At, ago(found.At, now)), nil
	}
	return only(Well, "", "%s (%s)", differ, ago(found.At, now)), nil
}
