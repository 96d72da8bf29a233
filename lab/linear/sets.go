package linear

import (
	"fmt"
	"math/bits"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// appendsAndDeletes are the appends and deletes of one series. A correction is both.
type appendsAndDeletes struct {
	appends [Payloads + 1][]*Operation // by payload: those that stored it, or may have
	deletes [Slots + 1][]*Operation    // by slot
}

// storing are the outcomes of appends that stored the event.
var storing = map[model.Outcome]bool{model.Applied: true, model.Late: true}

func (l *Log) seriesWrites(series string) *appendsAndDeletes {
	w := &appendsAndDeletes{}
	for i := range l.Operations {
		switch o := &l.Operations[i]; {
		case o.Series != series:
		case o.Verb == Append && (o.Lost || o.Unsure || storing[o.Outcome]):
			w.appends[o.Payload] = append(w.appends[o.Payload], o)
		case o.Verb == Correct && (o.Lost || o.Found):
			w.appends[o.Payload] = append(w.appends[o.Payload], o)
			w.deletes[o.Slot] = append(w.deletes[o.Slot], o)
		case o.Verb == Delete || o.Verb == Erase:
			w.deletes[o.Slot] = append(w.deletes[o.Slot], o)
		}
	}
	return w
}

// promised are the changes that a result has: those that were acknowledged before since, and those on time
// that were acknowledged before the call of the read.
type promised struct{ since, call int64 }

func (p promised) has(o *Operation) bool {
	return !o.Lost && (o.Return < p.since || o.OnTime && o.Return < p.call)
}

// mustHave reports whether a result has the payload: an append stored it, and no delete may have removed it
// by the end of the read.
func (w *appendsAndDeletes) mustHave(payload, slot uint8, by promised, end int64) bool {
	for _, a := range w.appends[payload] {
		if !storing[a.Outcome] && !a.Found || !by.has(a) {
			continue
		}
		deleted := false
		for _, d := range w.deletes[slot] {
			deleted = deleted || d != a && d.Return >= a.Call && d.Call <= end
		}
		if !deleted {
			return true
		}
	}
	return false
}

// mayHave reports whether a result may have the payload: an append of it was sent by the end of the
// read, and was not over before a delete that is in the result.
func (w *appendsAndDeletes) mayHave(payload, slot uint8, by promised, end int64) bool {
	for _, a := range w.appends[payload] {
		deleted := false
		for _, d := range w.deletes[slot] {
			deleted = deleted || a.Return < d.Call && by.has(d)
		}
		if a.Call <= end && !deleted {
			return true
		}
	}
	return false
}

// checkReads returns what is wrong with the first rollup that is not the fold of a possible set;
// "" if all are.
func (l *Log) checkReads(series string) string {
	w := l.seriesWrites(series)
	for i := range l.Reads {
		if r := &l.Reads[i]; r.Series == series {
			if reason := l.checkRead(w, r); reason != "" {
				return fmt.Sprintf("client %d reads the %ss from %s between %d and %d: %s", r.Client, r.Tier, r.From,
					r.Call, r.Return, reason)
			}
		}
	}
	return ""
}

func (l *Log) checkRead(w *appendsAndDeletes, r *Read) string {
	unit, _ := tier.ParseUnit(r.Tier)
	slots := l.sent(r.Series)
	sets := map[model.Time]uint64{}
	unknown := map[model.Time]bool{}
	for _, row := range r.Rows {
		if unknown[row.Start] = !row.Exact; row.Exact && row.Problem != "" {
			return row.Problem
		}
		sets[row.Start] = row.Sum
	}
	for i, slot := range slots {
		start, payload := unit.BucketAt(l.At(slot)).Start, uint8(i+1)
		if unknown[start] || start < r.From || start >= r.To {
			continue
		}
		by, has := promised{since: r.Since, call: r.Call}, sets[start]>>i&1 == 1
		if r.Live>>slot&1 == 1 {
			by.since = r.Call
		}
		switch {
		case has && !w.mayHave(payload, slot, by, r.Return):
			return fmt.Sprintf("bucket %s has event %d@%d, which was not sent or is deleted", start, payload, slot)
		case !has && w.mustHave(payload, slot, by, r.Return):
			return fmt.Sprintf("bucket %s has not event %d@%d, which was acknowledged", start, payload, slot)
		}
		sets[start] &^= 1 << i
	}
	for start, rest := range sets {
		if rest != 0 && !unknown[start] {
			return fmt.Sprintf("bucket %s has payloads of other buckets, or of no event: %b", start, rest)
		}
	}
	return ""
}

// size returns the number of payloads in a set.
func size(set uint64) int64 { return int64(bits.OnesCount64(set)) }
