package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromStreamProgress returns the stored form of the stream progress: the newest change of
// the table stream that is processed.
func FromStreamProgress(at model.Time) Item {
	it := newItem(tablekeys.StreamProgress(), 1)
	it[tablekeys.AttrAt] = timeValue(at)
	return it
}

// FromBegunProgress returns the stored form of the stream progress that begins at a time, before any change
// is processed.
func FromBegunProgress(at model.Time) Item {
	it := FromStreamProgress(at)
	it[tablekeys.AttrBegun] = Value{Type: Bool, Bool: true}
	return it
}

// IsBegun reports whether a stream progress was begun, and no change is processed.
func IsBegun(it Item) bool { return it[tablekeys.AttrBegun].Bool }

// StreamProgress is the inverse of FromStreamProgress. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func StreamProgress(it Item) (model.Time, error) {
	if k := it.Key(); k != tablekeys.StreamProgress() {
		return 0, fmt.Errorf("read stream progress under %.80q: %w", k.SK, keys.ErrKeyForm)
	}
	r := newReader(it)
	at := r.time(tablekeys.AttrAt, required)
	if r.err != nil {
		return 0, fmt.Errorf("read stream progress: %w", r.err)
	}
	return at, nil
}

// FromHeartbeat returns the stored form of a heartbeat at a time. Each replaces the one
// before; the time makes it a change, which the table stream records.
func FromHeartbeat(at model.Time) Item {
	it := newItem(tablekeys.Heartbeat(), 1)
	it[tablekeys.AttrAt] = timeValue(at)
	return it
}

// FromGap returns the stored form of g. It is kept until the gap is repaired.
func FromGap(g storage.Gap) Item {
	it := newItem(tablekeys.Gap(g.From), 1)
	it[tablekeys.AttrGapEnd] = timeValue(g.To)
	return it
}

// Gap is the inverse of FromGap. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Gap(it Item) (storage.Gap, error) {
	from, err := tablekeys.ParseGap(it.Key())
	if err != nil {
		return storage.Gap{}, err
	}
	r := newReader(it)
	g := storage.Gap{From: from, To: r.time(tablekeys.AttrGapEnd, required)}
	return decoded(&r, g, "gap from %s", from)
}

// FromBlocked returns the stored form of b. It is kept until the batch was processed or repaired.
func FromBlocked(b storage.Blocked) Item {
	it := newItem(tablekeys.Blocked(b.Seq), 1)
	it[tablekeys.AttrAt], it[tablekeys.AttrGapEnd] = timeValue(b.From), timeValue(b.To)
	return it
}

// Blocked is the inverse of FromBlocked. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Blocked(it Item) (storage.Blocked, error) {
	seq, err := tablekeys.ParseBlocked(it.Key())
	if err != nil {
		return storage.Blocked{}, err
	}
	r := newReader(it)
	b := storage.Blocked{Seq: seq, Gap: storage.Gap{
		From: r.time(tablekeys.AttrAt, required), To: r.time(tablekeys.AttrGapEnd, required),
	}}
	return decoded(&r, b, "blocked batch %s", seq)
}

// FromVerification returns the stored form of v. Each replaces the one before.
func FromVerification(v storage.Verification) Item {
	it := newItem(tablekeys.Verification(), 2)
	it[tablekeys.AttrAt], it[tablekeys.AttrDiffer] = timeValue(v.At), Number(int64(v.Differ))
	return it
}

// Verification is the inverse of FromVerification. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Verification(it Item) (storage.Verification, error) {
	if k := it.Key(); k != tablekeys.Verification() {
		return storage.Verification{}, fmt.Errorf("read verification under %.80q: %w", k.SK, keys.ErrKeyForm)
	}
	r := newReader(it)
	v := storage.Verification{
		At: r.time(tablekeys.AttrAt, required), Differ: int(r.int(tablekeys.AttrDiffer, required)),
	}
	return decoded(&r, v, "verification at %s", v.At)
}
