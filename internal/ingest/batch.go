package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// errUnreasoned says that the table refused a request for no reason that could be.
var errUnreasoned = errors.New("the table refused the write, but every condition it names holds")

// batch appends the events of one series in as few transactions as they fit, and
// means exactly what appending them one by one in their order means.
//
// It never reads. It sends what would be right by all it knows of current; a refusal
// names what was otherwise, and teaches the current that stood in the way. Current
// only grows, so what is left is classified again and sent, and few rounds do.
type batch struct {
	*Service
	kind     *catalog.Kind
	where    Condition       // the caller's own; of a single event only
	outcomes []model.Outcome // Unknown until settled here
	// seen is current as a refusal showed it or a transaction of ours wrote it; looked
	// tells "there is none" from "not known yet".
	seen   *model.Current
	looked bool
	gone   bool          // the subject is being purged: nothing more is sent
	taken  map[int]taken // by place: what was found at an identity that was taken
}

// taken is what stood at an identity: the event itself, or, where that has expired,
// current's memory of it.
type taken struct {
	hash      model.Hash
	byCurrent bool
}

// append settles the outcomes of entries. Those it cannot settle in time stay
// Unknown; the error is what no repeat can mend.
func (b *batch) append(ctx context.Context, entries []entry) error {
	err := b.run(ctx, entries)
	if err == nil || errors.Is(err, retry.ErrUndecided) {
		return nil
	}
	return fmt.Errorf("append %s: %w", entries[0].event.Series, err)
}

func (b *batch) run(ctx context.Context, entries []entry) error {
	once, again := firstOfEach(entries)
	var err error
	for rest := once; len(rest) > 0 && err == nil && !b.gone; {
		n := fit(rest)
		err = b.settle(ctx, rest[:n])
		rest = rest[n:]
	}
	if b.gone {
		b.verdict(b.unsettled(once), model.Gone)
	}
	if anew := b.repeats(entries, again); err == nil && len(anew) > 0 {
		return b.run(ctx, anew)
	}
	return err
}

// settle sends one transaction's worth of entries until every one has its verdict.
func (b *batch) settle(ctx context.Context, entries []entry) error {
	defer b.fillCurrent(entries)
	for pending := entries; len(pending) > 0; {
		p, err := b.plan(pending)
		if err != nil {
			return err
		}
		reply, err := b.send(ctx, func(ctx context.Context) (Reply, error) { return b.Store.Append(ctx, p.tx) })
		if err != nil {
			return err
		}
		if reply.Answer == model.Written {
			b.written(p)
			return nil
		}
		if pending, err = b.refused(p, reply); err != nil {
			return err
		}
	}
	return nil
}

// written settles what a transaction stored.
func (b *batch) written(p plan) {
	if w := p.tx.Current; w != nil {
		b.seen, b.looked = asWritten(w), true
	}
	b.verdict(p.highs, model.Applied)
	b.verdict(p.lows, lateVerdicts[b.kind.Late])
}

// refused settles what a refusal decides and answers the entries to send again.
func (b *batch) refused(p plan, reply Reply) ([]entry, error) {
	fenced := reply.Current != nil && reply.Current.Fenced
	if reply.CurrentFailed {
		b.seen, b.looked = reply.Current, true
	}
	if reply.GateFailed || fenced {
		b.gone = true
		return nil, nil
	}
	b.settleTaken(p.asked, reply.Stored)
	rest := b.unsettled(p.pending)
	switch {
	case !reply.CurrentFailed && len(rest) == len(p.pending):
		return nil, errUnreasoned
	case !reply.CurrentFailed:
		return rest, nil
	case p.orderFailed(reply.Current):
		b.likeCurrent(rest)
		return b.unsettled(rest), nil
	case len(b.where) == 0:
		return nil, errUnreasoned
	}
	b.verdict(rest, model.Conflict)
	return nil, nil
}

// settleTaken settles the entries whose identity was found stored.
func (b *batch) settleTaken(asked []entry, stored []*model.Event) {
	for i, e := range asked {
		if i < len(stored) && stored[i] != nil {
			b.collide(e, taken{hash: stored[i].Hash})
		}
	}
}

// likeCurrent settles the entry with current's own identity: its event may have
// expired, and current remembers it. But behind a newer entry current would have
// moved on, and have forgotten it.
func (b *batch) likeCurrent(entries []entry) {
	if b.seen == nil || !b.seen.Ordered {
		return
	}
	for _, e := range entries {
		switch c := e.event.Compare(b.seen.Order); {
		case c > 0:
			return
		case c == 0:
			b.collide(e, taken{hash: b.seen.Hash, byCurrent: true})
		}
	}
}

func (b *batch) collide(e entry, by taken) {
	if b.taken == nil {
		b.taken = make(map[int]taken)
	}
	b.taken[e.place] = by
	b.outcomes[e.place].Verdict = sameOrNot(e.event.Hash, by.hash)
}

func (b *batch) verdict(entries []entry, v model.Verdict) {
	for _, e := range entries {
		b.outcomes[e.place].Verdict = v
		b.outcomes[e.place].Current = b.seen
	}
}

func (b *batch) unsettled(entries []entry) []entry {
	var open []entry
	for _, e := range entries {
		if b.outcomes[e.place].Verdict == model.Unknown {
			open = append(open, e)
		}
	}
	return open
}

// fillCurrent shows current as last known to outcomes settled before it was.
func (b *batch) fillCurrent(entries []entry) {
	for _, e := range entries {
		if o := &b.outcomes[e.place]; o.Verdict != model.Unknown && o.Current == nil {
			o.Current = b.seen
		}
	}
}

// repeat is an entry whose identity came before in the same call.
type repeat struct {
	entry
	first entry
}

// firstOfEach parts entries into the first of each identity and those that repeat
// one: a transaction may name an item once.
func firstOfEach(entries []entry) (once []entry, again []repeat) {
	first := make(map[model.Order]entry, len(entries))
	for _, e := range entries {
		if f, ok := first[e.event.Order]; ok {
			again = append(again, repeat{e, f})
			continue
		}
		first[e.event.Order] = e
		once = append(once, e)
	}
	return once, again
}

// repeats settles what follows from the verdict on the first of the same identity.
// It answers those for which nothing follows, because what stood in the first one's
// way was forgotten before their turn.
func (b *batch) repeats(entries []entry, again []repeat) (anew []entry) {
	for _, r := range again {
		first := b.outcomes[r.first.place]
		by, wasTaken := b.taken[r.first.place]
		if by.byCurrent && movedOn(entries, r.entry) {
			anew = append(anew, r.entry)
			continue
		}
		out := &b.outcomes[r.place]
		out.Verdict, out.Current = first.Verdict, first.Current
		switch {
		case wasTaken:
			b.collide(r.entry, by)
		case first.Verdict == model.Applied || first.Verdict == model.Late:
			out.Verdict = sameOrNot(r.event.Hash, r.first.event.Hash)
		}
	}
	return anew
}

// movedOn reports whether a newer event came before e, so that current, whose
// identity e has, was another by then.
func movedOn(entries []entry, e entry) bool {
	return slices.ContainsFunc(entries, func(x entry) bool { return x.place < e.place && e.event.Before(x.event.Order) })
}

// fit is how many of entries one transaction holds: at least one.
func fit(entries []entry) int {
	size, names := 0, make(map[string]bool)
	most := min(len(entries), maxTransactionEvents)
	for i, e := range entries[:most] {
		key := keys.Event(e.event.Key())
		size += sizeOf(len(key.PK)+len(key.SK), e.event.Attrs)
		for _, a := range e.event.Attrs {
			names[a.Name] = true
		}
		if i > 0 && (size > maxTransactionBytes || len(names) > maxTransactionFields) {
			return i
		}
	}
	return most
}
