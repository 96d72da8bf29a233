package rollup

import (
	"encoding/hex"
	"math"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Key names a row: the rollup of one series in one bucket of one tier.
type Key struct {
	Series model.Series
	Tier   string     // the tier's unit, as hour
	Start  model.Time // of the bucket
}

// Rev is a fresh nonce at every write of a row: the optimistic lock. It is never a
// counter, so that a row deleted and made again is another row. The zero Rev means
// that there is no row.
type Rev [16]byte

func (r Rev) String() string { return hex.EncodeToString(r[:]) }

// NoExpiry is the ChildrenUntil of a fold of children that never expire, and of no
// children at all.
const NoExpiry int64 = math.MaxInt64

// Row is a stored rollup: the whole fold of the bucket's children, with the
// bookkeeping that keeps it right.
type Row struct {
	Key Key
	Fold
	Rev       Rev
	V         int        // codec version of the stored row; a newer one than ours is never folded or rewritten
	ExpiresAt int64      // epoch seconds, the TTL attribute; 0 means never
	WrittenAt model.Time // by the writer's clock
	// Empty marks a row that was folded from no children: readers and folds take it
	// for absent; it stands so that the optimistic lock sees that somebody looked.
	Empty bool
	// Resume are the bytes of a resume point of this fold, nil in a row that has none:
	// a look at later changes may go on from there. Any other fold must not have it.
	Resume []byte
}

// Fold is what a bucket's children add up to.
type Fold struct {
	Summary    *Summary
	Digest     Digest
	Unreadable int64 // events that could not be decoded
	Exact      bool  // every change is in it, as far as the system can know
	// ChildrenUntil is the least expiresAt of the children, in epoch seconds: an hour
	// before it the row is sealed. Zero in a row that was marked, NoExpiry where
	// nothing expires.
	ChildrenUntil int64
	Children      int // events or rows folded; not stored
	// NewestArrival is the latest ArrivedAt of the folded events: lag is measured by it.
	NewestArrival model.Time
}

// Digest is the sum modulo 2^128 over identity and canonical values of the events
// in a fold, so that two folds can be compared at a glance. Little endian.
type Digest [16]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// RowPage is one page of rows in the order asked for, empty and expired ones included.
type RowPage struct {
	Rows []Row
	Next string // "" on the last page
}
