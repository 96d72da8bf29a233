package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

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

// RejectNewer returns an error that wraps ErrNewer for a row that a newer version of this
// program wrote: such a row is neither folded nor overwritten.
func RejectNewer(row *rollup.Row) error {
	if row.V > Version {
		return fmt.Errorf("%s row of %s has format %d, but this program knows format %d: %w", row.Key.Tier, row.Key.Start, row.V, Version, ErrNewer)
	}
	return nil
}
