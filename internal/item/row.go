package item

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// FromRow is the stored form of r, in our version whatever r.V says. It refuses a
// row that a newer version wrote (ErrNewer), and one past rollup.MaxRowBytes
// (ErrRowTooLarge): limits on names and dimensions bound a row, so that is a fault
// to be told, not a row to be split.
func FromRow(r *rollup.Row) (Item, error) {
	if r.V > Version {
		return nil, fmt.Errorf("store rollup %s %s: %w", r.Key.Series, r.Key.Tier, ErrNewer)
	}
	it := under(keys.Row(r.Key), 10)
	it[keys.AttrRev] = bytesOf(r.Rev[:])
	it[keys.AttrDigest] = bytesOf(r.Digest[:])
	it[keys.AttrExact] = boolOf(r.Exact)
	it[keys.AttrWritten] = timeOf(r.WrittenAt)
	if r.Summary != nil {
		it[keys.AttrSummary] = bytesOf(r.Summary.Encode(nil))
	}
	it.setRowOptions(r)
	if size := it.Size(); size > rollup.MaxRowBytes {
		return nil, fmt.Errorf("store rollup %s %s of %d bytes: %w: %d bytes at most; declare fewer dimensions or a lower top for the kind",
			r.Key.Series, r.Key.Tier, size, ErrRowTooLarge, rollup.MaxRowBytes)
	}
	return it, nil
}

// setRowOptions stores what most rows do not have.
func (it Item) setRowOptions(r *rollup.Row) {
	if r.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(r.ExpiresAt)
	}
	if r.ChildrenUntil != rollup.NoExpiry {
		it[keys.AttrUntil] = numberOf(r.ChildrenUntil)
	}
	if r.Unreadable != 0 {
		it[keys.AttrUnreadable] = numberOf(r.Unreadable)
	}
	if r.Empty {
		it[keys.AttrEmpty] = boolOf(true)
	}
	if r.NewestArrival != 0 {
		it[keys.AttrLag] = timeOf(r.NewestArrival)
	}
	if r.Resume != nil {
		it[keys.AttrResume] = bytesOf(r.Resume)
	}
}

// Row is the way back from FromRow. Children, which is not stored, is 0. Errors wrap
// keys.ErrForeign, ErrNewer or ErrDamaged. With ErrNewer and ErrDamaged the row
// comes back too: its key, and rev, version and expiry where they could be read, but
// no summary, so that it can be named and a damaged one be written over.
func Row(it Item) (rollup.Row, error) {
	key, err := keys.ParseRow(it.Key())
	if err != nil {
		return rollup.Row{}, err
	}
	r := reader{it: it}
	row := rollup.Row{Key: key}
	row.Rev = r.bytes16(keys.AttrRev, required)
	row.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	row.V = r.version(required)
	bare := row
	r.rowBody(&row)
	if r.err != nil {
		return bare, fmt.Errorf("read rollup %s %s %s: %w", key.Series, key.Tier, key.Start, r.err)
	}
	return row, nil
}

// RowOrBare is Row for readers of many: one that is damaged or that a newer version
// wrote comes back bare, so that it can be named and does not hide its neighbours. ok is
// false where the key is not a row's.
func RowOrBare(it Item) (_ rollup.Row, ok bool) {
	row, err := Row(it)
	return row, !errors.Is(err, keys.ErrForeign)
}

func (r *reader) rowBody(row *rollup.Row) {
	row.Digest = r.bytes16(keys.AttrDigest, required)
	row.Exact = r.bool(keys.AttrExact, required)
	row.Empty = r.bool(keys.AttrEmpty, optional)
	row.Unreadable = r.int(keys.AttrUnreadable, optional)
	row.WrittenAt = r.time(keys.AttrWritten, required)
	row.NewestArrival = r.time(keys.AttrLag, optional)
	row.ChildrenUntil = rollup.NoExpiry
	if _, there := r.it[keys.AttrUntil]; there {
		row.ChildrenUntil = r.int(keys.AttrUntil, required)
	}
	row.Resume = slices.Clone(r.bytes(keys.AttrResume, optional)) // decoded by the look that goes on from it
	encoded := r.bytes(keys.AttrSummary, row.Empty)
	if r.err != nil || encoded == nil {
		return
	}
	row.Summary = r.summary(encoded)
}

func (r *reader) summary(encoded []byte) *rollup.Summary {
	s, err := rollup.Decode(encoded)
	switch {
	case errors.Is(err, rollup.ErrNewer):
		r.err = fmt.Errorf("%s: %w: %w", keys.AttrSummary, ErrNewer, err)
	case err != nil:
		r.err = fmt.Errorf("%w: %s: %w", ErrDamaged, keys.AttrSummary, err)
	}
	return s
}
