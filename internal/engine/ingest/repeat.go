package ingest

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// repeat is an entry with the identity of an earlier entry of the same call.
type repeat struct {
	entry
	first entry
}

// firstOfEach separates the first entry of each identity from the entries that repeat one.
func firstOfEach(entries []entry) (once []entry, repeats []repeat) {
	first := make(map[model.Order]entry, len(entries))
	for _, e := range entries {
		if f, ok := first[e.event.Order]; ok {
			repeats = append(repeats, repeat{e, f})
			continue
		}
		first[e.event.Order] = e
		once = append(once, e)
	}
	return once, repeats
}

// decideRepeats derives the outcome of each repetition from the outcome of its first entry. It
// returns the entries for which that is not possible and that must be sent: the latest item had
// their identity, and a newer event has replaced it since.
func (b *batch) decideRepeats(entries []entry, repeats []repeat) (again []entry) {
	for _, r := range repeats {
		first := b.results[r.first.index]
		by, wasTaken := b.taken[r.first.index]
		if by.fromLatest && newerBefore(entries, r.entry) {
			again = append(again, r.entry)
			continue
		}
		result := &b.results[r.index]
		result.Outcome, result.Latest = first.Outcome, first.Latest
		switch {
		case wasTaken:
			b.decideIdentity(r.entry, by)
		case first.Outcome == model.Applied || first.Outcome == model.Late:
			result.Outcome = duplicateOrCollision(r.event.Hash, r.first.event.Hash)
		}
	}
	return again
}

// newerBefore reports whether a newer event precedes e in the call. That event replaced
// the latest item that had the identity of e.
func newerBefore(entries []entry, e entry) bool {
	return slices.ContainsFunc(entries, func(x entry) bool {
		return x.index < e.index && e.event.Before(x.event.Order)
	})
}
