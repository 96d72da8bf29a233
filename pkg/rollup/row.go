package rollup

import (
	"encoding/hex"
	"math"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Key identifies a row: the rollup of one series in one bucket of one tier.
type Key struct {
	Series model.Series
	Tier   string     // name of the tier's unit, as hour
	Start  model.Time // of the bucket
	// Member names the subject whose share of a group's bucket the row is: the fold of the member's events
	// that count in the group. "" is the row of the bucket itself.
	Member string
}

// Rev is the revision of a row, for the optimistic lock: a new nonce at every write. It is not a counter, so
// a row that was deleted and created again has another revision. The zero Rev means that there is no row.
type Rev [16]byte

func (r Rev) String() string { return hex.EncodeToString(r[:]) }

// NoExpiry is the ChildrenExpireAt of a fold without children, or of children that never expire.
const NoExpiry int64 = math.MaxInt64

// Row is a stored rollup: the fold of all children of the bucket, and what is needed to keep it correct.
type Row struct {
	Key Key
	Fold
	Rev Rev
	// format version of the stored row; a row newer than this program is never folded or overwritten
	V         int
	ExpiresAt int64      // epoch seconds, the TTL attribute; 0 means never
	WrittenAt model.Time // by the writer's clock
	// Empty is set in a row that was folded from no children. Readers and folds treat it
	// as absent, unless it is a placeholder. It is stored because its write changes the
	// revision: a concurrent recomputation that read older children can then not write.
	Empty bool
}

// Placeholder reports whether r is an empty row that is inexact. It takes the place of a
// row that was not created, because such a row may have existed and expired. Readers do
// not see it. It is never recomputed, and a fold that includes it is inexact.
func (r *Row) Placeholder() bool { return r.Empty && !r.Exact }

// Fold is the sum of a bucket's children.
type Fold struct {
	Summary    *Summary
	Digest     Digest
	Unreadable int64 // events that could not be decoded
	Exact      bool  // false where a change may be missing, or a child was unreadable
	// ChildrenExpireAt is the earliest ExpiresAt of the children, in epoch seconds. An hour
	// before it the row is sealed: it is no longer folded. Zero in a row that was marked
	// inexact, NoExpiry where no child expires.
	ChildrenExpireAt int64
	Children         int // events or rows folded; not stored
	// FieldsAt is the version of the kind's fields, Spec.FieldsAt, by which the events were
	// folded; of several versions the oldest. Fields that were added later are not whole.
	FieldsAt model.Time
	// NewestArrival is the latest ArrivedAt of the folded events: lag is measured by it.
	NewestArrival model.Time
	// NewestCorrection is the latest CorrectedAt of the folded events; 0 if none was corrected.
	NewestCorrection model.Time
	// Continuation is zero unless the events are derived ones.
	Continuation Continuation
	// Groups names the groups in which the events count, sorted; a fold of rows has the groups of all of its
	// rows. The name without an id is of events in no group of a kind. nil unless the kind has groups, and
	// AllGroups if there are too many to name.
	Groups []string
}

// AllGroups is in place of the names of groups that would be longer than maxGroupBytes together.
const AllGroups = "*"

// maxGroupBytes is how long the names of groups may be together in a row that is folded from rows.
const maxGroupBytes = 8 << 10

// mergeGroups returns the names of both, each once.
func mergeGroups(a, b []string) []string {
	if len(b) == 0 || slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	all = slices.Compact(all)
	size := 0
	for _, name := range all {
		size += len(name)
	}
	if size > maxGroupBytes || slices.Contains(all, AllGroups) {
		return []string{AllGroups}
	}
	return all
}

// Digest is the sum, modulo 2^128, of a hash of each event in a fold, little endian. Two
// folds of the same events have the same digest.
type Digest [16]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// RowPage is one page of rows in the requested order, empty and expired ones included.
type RowPage struct {
	Rows []Row
	Next string // "" on the last page
}
