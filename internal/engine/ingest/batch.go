package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// errNoFailedCondition reports that the table returned ConditionFailed although every
// condition that it named holds.
var errNoFailedCondition = errors.New("the table rejected the write, but all of its conditions hold")

// batch appends the events of one series in as few transactions as possible, with the
// outcomes of appending them one by one in their order.
//
// It never reads. It sends the transaction that is right if the latest item is as last
// known. If a condition fails, the result contains the item that made it fail, and with
// it the present latest item. The order of the latest item only grows, so the remaining
// entries are classified again and sent, and few rounds are needed.
type batch struct {
	*Service
	kind      *catalog.Kind
	condition model.Condition      // the caller's own; only with a single event
	results   []model.AppendResult // Unknown until decided
	// latest is the latest item as last known, from a failed condition or from our own
	// write. latestKnown distinguishes "there is none", or none with an order, from "not known yet".
	latest      *model.Latest
	latestKnown bool
	purging     bool          // the subject is being purged: nothing more is sent
	taken       map[int]taken // by entry index: what was found under an identity that is taken
}

// taken is what was found under an identity: the event itself, or, if it has expired, the
// latest item, which keeps its hash.
type taken struct {
	hash       model.Hash
	fromLatest bool
}

// append decides the results of entries. Those that are not decided stay Unknown, with the
// cause. The error is permanent.
func (b *batch) append(ctx context.Context, entries []entry) error {
	err := b.appendInParts(ctx, entries)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("append %s: %w", entries[0].event.Series, err)
	markUndecided(entries, b.results, err)
	return unlessUndecided(err)
}

// appendInParts sends as many transactions as entries need. A transaction may contain an identity only once,
// so repetitions of an identity are decided after their first entry, or sent in the next transaction.
func (b *batch) appendInParts(ctx context.Context, entries []entry) error {
	once, repeats := entries, []repeat(nil)
	if !merges(b.kind) { // a repetition with other fields must be sent, to be merged
		once, repeats = firstOfEach(entries)
	}
	var err error
	for rest := once; len(rest) > 0 && err == nil && !b.purging; {
		n := fit(rest)
		err = b.appendPart(ctx, rest[:n])
		rest = rest[n:]
	}
	if b.purging {
		b.decide(b.undecided(once), model.Gone)
	}
	if again := b.decideRepeats(entries, repeats); err == nil && len(again) > 0 {
		return b.appendInParts(ctx, again)
	}
	return err
}

// appendPart sends the entries of one transaction until all of them are decided.
func (b *batch) appendPart(ctx context.Context, entries []entry) error {
	defer b.fillLatest(entries)
	for pending := entries; len(pending) > 0; {
		p, err := b.plan(pending)
		if err != nil {
			return err
		}
		stored, err := b.send(ctx, func(ctx context.Context) (storage.StoreResult, error) {
			return b.Store.Append(ctx, p.tx)
		})
		if isTooLarge(err) {
			return b.splitTooLarge(ctx, pending)
		}
		if err != nil {
			return err
		}
		if stored.Result == storage.Written {
			b.written(p)
			return nil
		}
		if pending, err = b.conditionFailed(p, stored); err != nil {
			return err
		}
		if i, event := p.firstCollision(stored); i >= 0 && merges(b.kind) && !b.purging {
			return b.mergeAt(ctx, p.pending, i, event)
		}
	}
	return nil
}

// splitTooLarge appends entries in two halves, because together they would make the latest
// item too large. One entry alone that does is rejected.
func (b *batch) splitTooLarge(ctx context.Context, entries []entry) error {
	if half := len(entries) / 2; half > 0 {
		if err := b.appendPart(ctx, entries[:half]); err != nil || b.purging {
			return err
		}
		return b.appendPart(ctx, entries[half:])
	}
	b.rejectTooLarge(entries[0])
	return nil
}

func isTooLarge(err error) bool { return errors.Is(err, storage.ErrTooLarge) }

func (b *batch) rejectTooLarge(e entry) {
	r := &b.results[e.index]
	r.Outcome, r.Errors = model.Rejected, []model.FieldError{*fieldError("", CodeLatestTooLarge,
		"the latest item of the series would be larger than 400 KB, because it holds each field that a "+
			"stored event of the series has: send fewer different fields, or send them as several streams")}
}

// written decides the entries of a transaction that was stored.
func (b *batch) written(p plan) {
	if w := p.tx.Latest; w != nil {
		b.latest = asWritten(w)
	}
	b.decide(p.advancing, model.Applied)
	b.decide(p.late, lateOutcomes[b.kind.Late])
	for _, e := range p.remembered {
		b.decideIdentity(e, taken{hash: p.rememberedAs, fromLatest: true})
	}
}

// conditionFailed decides the entries that a failed condition decides, and returns the entries to send again.
func (b *batch) conditionFailed(p plan, failed storage.StoreResult) ([]entry, error) {
	latestLocked := failed.Latest != nil && failed.Latest.PurgeLocked
	if failed.LatestFailed {
		b.latest, b.latestKnown = failed.Latest, true
	}
	if failed.PurgeLockFailed || latestLocked {
		b.purging = true
		return nil, nil
	}
	b.decideTaken(p.identities, failed.Stored)
	rest := b.undecided(p.pending)
	switch {
	case !failed.LatestFailed && len(rest) == len(p.pending):
		return nil, errNoFailedCondition
	case !failed.LatestFailed || p.orderFailed(failed.Latest):
		return rest, nil
	case len(b.condition) == 0:
		return nil, errNoFailedCondition
	}
	b.decide(rest, model.Conflict)
	return nil, nil
}

// decideTaken decides the entries whose identity is already stored.
func (b *batch) decideTaken(entries []entry, stored []*model.Event) {
	for i, e := range entries {
		if i < len(stored) && stored[i] != nil {
			b.decideIdentity(e, taken{hash: stored[i].Hash})
		}
	}
}

// decideIdentity decides an entry whose identity is taken.
func (b *batch) decideIdentity(e entry, by taken) {
	if b.taken == nil {
		b.taken = make(map[int]taken)
	}
	b.taken[e.index] = by
	b.results[e.index].Outcome = duplicateOrCollision(e.event.Hash, by.hash)
}

func (b *batch) decide(entries []entry, o model.Outcome) {
	for _, e := range entries {
		b.results[e.index].Outcome = o
		b.results[e.index].Latest = b.latest
	}
}

func (b *batch) undecided(entries []entry) []entry {
	return lists.Filter(entries, func(e entry) bool { return b.results[e.index].Outcome == model.Unknown })
}

// fillLatest sets the latest item, as last known, in results that were decided before it was known.
func (b *batch) fillLatest(entries []entry) {
	for _, e := range entries {
		if r := &b.results[e.index]; r.Outcome != model.Unknown && r.Outcome != model.Rejected && r.Latest == nil {
			r.Latest = b.latest
		}
	}
}

// fit returns how many of entries one transaction can hold: at least one.
func fit(entries []entry) int {
	size := 0
	names := make(map[string]bool)
	orders := make(map[model.Order]bool)
	limit := min(len(entries), maxTransactionEvents)
	for i, e := range entries[:limit] {
		key := keys.Event(e.event.Key())
		size += itemSize(len(key.PK)+len(key.SK), e.event.Attrs)
		for _, a := range e.event.Attrs {
			names[a.Name] = true
		}
		if i > 0 && (size > maxTransactionBytes || len(names) > maxTransactionFields || orders[e.event.Order]) {
			return i
		}
		orders[e.event.Order] = true
	}
	return limit
}
