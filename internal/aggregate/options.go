package aggregate

import "github.com/tidemark-db/tidemark/pkg/tier"

// RepairOptions change what the recomputations of a repair do. The zero value is how the
// table stream is processed.
type RepairOptions struct {
	Mark MarkMode
	// DryRun writes nothing: a row that would be written counts as Changed. Each row is
	// compared with its children as they are stored, so a row that would change only
	// because a child changes is not counted.
	DryRun bool
	// ReplaceDamaged recomputes a row that cannot be decoded as if it did not exist. The
	// new row is inexact where a child may have expired, since the damaged row does not
	// say. Without it a damaged row is left unchanged, like a sealed one.
	ReplaceDamaged bool
	// OnDifference is called for each row that differs from its children: after it is
	// written, or at once in a dry run. It is called concurrently; nil is allowed.
	OnDifference func(Note)
}

// MarkMode is which rows a repair marks inexact without folding what they miss.
type MarkMode int

const (
	// MarkSealed marks a sealed row: a change is known that may be missing from it.
	MarkSealed MarkMode = iota
	// MarkNone leaves sealed rows unchanged: no missing change is known.
	MarkNone
	// MarkAll is MarkSealed, and also folds the open rows of the finest tier from the
	// events that are left, and marks and so seals them: events of theirs expired before
	// they were folded.
	MarkAll
)

// forBucket returns the options for bucket b of a level, where lowest is the finest level
// recomputed. MarkAll is for the finest bucket that has a row: the coarser ones become
// inexact by folding it.
func (o RepairOptions) forBucket(p tier.Policy, level, lowest int, b tier.Bucket) RepairOptions {
	if o.Mark == MarkAll && p.ChildLevel(level, b) >= lowest {
		o.Mark = MarkSealed
	}
	return o
}
