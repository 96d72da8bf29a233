package item

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// FromRow returns the stored form of r, in our version. The error is ErrNewer for a row that a
// newer version wrote, and ErrRowTooLarge for a row larger than rollup.MaxRowBytes; limits on
// names and dimensions keep rows of valid kinds below that.
func FromRow(r *rollup.Row) (Item, error) {
	if r.V > Version {
		return nil, fmt.Errorf("store rollup %s %s: %w", r.Key.Series, r.Key.Tier, ErrNewer)
	}
	it := newItem(tablekeys.Row(r.Key), 10)
	it[tablekeys.AttrRev] = bytesValue(r.Rev[:])
	it[tablekeys.AttrDigest] = bytesValue(r.Digest[:])
	it[tablekeys.AttrExact] = boolValue(r.Exact)
	it[tablekeys.AttrWrittenAt] = timeValue(r.WrittenAt)
	if r.Summary != nil {
		it[tablekeys.AttrSummary] = bytesValue(r.Summary.Encode(nil))
	}
	it.setRowOptions(r)
	if size := it.Size(); size > rollup.MaxRowBytes {
		return nil, fmt.Errorf(
			"store rollup %s %s of %d bytes: %w: %d bytes at most; declare fewer dimensions or a lower "+
				"top for the kind",
			r.Key.Series, r.Key.Tier, size, ErrRowTooLarge, rollup.MaxRowBytes)
	}
	return it, nil
}

// setRowOptions sets the attributes that most rows do not have.
func (it Item) setRowOptions(r *rollup.Row) {
	if r.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = Number(r.ExpiresAt)
	}
	if r.ChildrenExpireAt != rollup.NoExpiry {
		it[tablekeys.AttrUntil] = Number(r.ChildrenExpireAt)
	}
	if r.Unreadable != 0 {
		it[tablekeys.AttrUnreadable] = Number(r.Unreadable)
	}
	if r.Empty {
		it[tablekeys.AttrEmpty] = boolValue(true)
	}
	if r.NewestArrival != 0 {
		it[tablekeys.AttrLag] = timeValue(r.NewestArrival)
	}
	if r.NewestCorrection != 0 {
		it[tablekeys.AttrCorrected] = timeValue(r.NewestCorrection)
	}
	if len(r.Groups) > 0 {
		it[tablekeys.AttrGroups] = stringValue(storage.JoinGroups(r.Groups))
	}
	if r.FieldsAt != 0 {
		it[tablekeys.AttrFields] = timeValue(r.FieldsAt)
	}
	if c := r.Continuation; c.Events != 0 {
		it[tablekeys.AttrSources], it[tablekeys.AttrCarried] = Number(c.Events), Number(c.Carried)
		it[tablekeys.AttrSourceLast], it[tablekeys.AttrSettles] = timeValue(c.Last), timeValue(c.Settles)
		if c.Reach != 0 {
			it[tablekeys.AttrReach] = timeValue(c.Reach)
		}
	}
}

// Row is the inverse of FromRow. Children, which is not stored, is 0. Errors wrap keys.ErrKeyForm, ErrNewer
// or ErrDamaged. With ErrNewer and ErrDamaged it also returns the row without its summary: the key, and the
// revision, version and expiry if they could be decoded. A damaged row can then be reported and overwritten.
func Row(it Item) (rollup.Row, error) {
	key, err := keys.ParseRow(it.Key())
	if err != nil {
		return rollup.Row{}, err
	}
	return decodeRow(it, key)
}

// Share is Row for the share of a member in a group's bucket, and the inverse of FromRow too.
func Share(it Item) (rollup.Row, error) {
	key, err := tablekeys.ParseShare(it.Key())
	if err != nil {
		return rollup.Row{}, err
	}
	return decodeRow(it, key)
}

func decodeRow(it Item, key rollup.Key) (rollup.Row, error) {
	r := reader{it: it}
	row := rollup.Row{Key: key}
	row.Rev = r.bytes16(tablekeys.AttrRev, required)
	row.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	row.V = r.version(required)
	bare := row
	r.rowBody(&row)
	if r.err != nil {
		return bare, fmt.Errorf("read rollup %s %s %s: %w", key.Series, key.Tier, key.Start, r.err)
	}
	return row, nil
}

// RowOrBare is Row for readers of many rows: a row that is damaged or that a newer version wrote is returned
// without its summary, and is not an error. ok is false if the key is not a row's.
func RowOrBare(it Item) (_ rollup.Row, ok bool) {
	row, err := Row(it)
	return row, !errors.Is(err, keys.ErrKeyForm)
}

// ShareOrBare is RowOrBare for shares.
func ShareOrBare(it Item) (_ rollup.Row, ok bool) {
	row, err := Share(it)
	return row, !errors.Is(err, keys.ErrKeyForm)
}

func (r *reader) rowBody(row *rollup.Row) {
	row.Digest = r.bytes16(tablekeys.AttrDigest, required)
	row.Exact = r.bool(tablekeys.AttrExact, required)
	row.Empty = r.bool(tablekeys.AttrEmpty, optional)
	row.Unreadable = r.int(tablekeys.AttrUnreadable, optional)
	row.WrittenAt = r.time(tablekeys.AttrWrittenAt, required)
	row.NewestArrival = r.time(tablekeys.AttrLag, optional)
	row.NewestCorrection = r.time(tablekeys.AttrCorrected, optional)
	row.FieldsAt = r.time(tablekeys.AttrFields, optional)
	if joined := r.string(tablekeys.AttrGroups, optional); joined != "" && r.err == nil {
		groups, err := storage.SplitGroups(joined)
		if row.Groups = groups; err != nil {
			r.fail(tablekeys.AttrGroups, "does not name groups")
		}
	}
	row.ChildrenExpireAt = rollup.NoExpiry
	if _, exists := r.it[tablekeys.AttrUntil]; exists {
		row.ChildrenExpireAt = r.int(tablekeys.AttrUntil, required)
	}
	if _, derived := r.it[tablekeys.AttrSources]; derived {
		row.Continuation = rollup.Continuation{
			Events: r.int(tablekeys.AttrSources, required), From: row.Key.Start,
			Carried: r.int(tablekeys.AttrCarried, required), Last: r.time(tablekeys.AttrSourceLast, required),
			Reach:   r.time(tablekeys.AttrReach, optional),
			Settles: r.time(tablekeys.AttrSettles, required),
		}
	}
	encoded := r.bytes(tablekeys.AttrSummary, row.Empty)
	if r.err != nil || encoded == nil {
		return
	}
	row.Summary = r.summary(encoded)
}

func (r *reader) summary(encoded []byte) *rollup.Summary {
	s, err := rollup.Decode(encoded)
	switch {
	case errors.Is(err, rollup.ErrNewer):
		r.err = fmt.Errorf("%s: %w: %w", tablekeys.AttrSummary, ErrNewer, err)
	case err != nil:
		r.err = fmt.Errorf("%w: %s: %w", ErrDamaged, tablekeys.AttrSummary, err)
	}
	return s
}

// FoldRow adds a child row to a fold. A row that cannot be decoded counts as one unreadable
// child: it makes the fold inexact and never blocks the bucket. The error wraps ErrNewer
// for a row that a newer version of this program wrote.
func FoldRow(fold *rollup.Fold, row *rollup.Row) error {
	if err := RejectNewer(row); err != nil {
		return err
	}
	if !DamagedRow(row) {
		fold.AddRow(row)
		return nil
	}
	fold.Children++
	fold.Unreadable++
	fold.Exact = false
	if row.ExpiresAt != 0 {
		fold.ChildrenExpireAt = min(fold.ChildrenExpireAt, row.ExpiresAt)
	}
	return nil
}

// DamagedRow reports whether a stored row could not be decoded: it then has no summary.
func DamagedRow(row *rollup.Row) bool { return row.Summary == nil && !row.Empty }

// SealedRow reports whether row must no longer be folded: a child that it was folded from has expired, or
// will within tier.SealMargin, so a fold could miss it. A row that was marked inexact is always sealed. So is
// a damaged row, because the expiry of its children is unknown.
func SealedRow(row *rollup.Row, now model.Time) bool {
	if DamagedRow(row) {
		return true
	}
	if row.ChildrenExpireAt == rollup.NoExpiry {
		return false
	}
	return now.Seconds() >= row.ChildrenExpireAt-int64(tier.SealMargin.Seconds())
}

// RejectNewer returns an error that wraps ErrNewer for a row that a newer version of this
// program wrote: such a row is neither folded nor overwritten.
func RejectNewer(row *rollup.Row) error {
	if row.V > Version {
		return fmt.Errorf("%s row of %s has format %d, but this program knows format %d: %w", row.Key.Tier,
			row.Key.Start, row.V, Version, ErrNewer)
	}
	return nil
}
