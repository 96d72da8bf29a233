package aggregate

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Terms are what a repair asks of the looks it makes, beside the rule itself. The
// zero value is how the table stream is settled.
type Terms struct {
	Manner Manner
	// DryRun writes nothing: what a look would have written is found and counted as
	// Changed. Coarser rows are then held against finer ones that were not mended, so
	// one that will follow a finer row is not yet found.
	DryRun bool
	// ReplaceDamaged folds a row that cannot be decoded anew, as if nobody had made it.
	// Where children of it may have expired, which the damaged row cannot tell, the new
	// one is marked. Without it such a row is left alone, as a sealed one.
	ReplaceDamaged bool
	// Found is told of every row that did not hold what its children say, once it is
	// written, or at once in a dry run. It is called concurrently; nil tells nobody.
	Found func(Note)
}

// Manner is what a look does with a row of which the truth is no longer there.
type Manner int

const (
	// MarkSealed marks a sealed row: a change is known that may not be in it.
	MarkSealed Manner = iota
	// SpareSealed leaves a sealed row as it is: no change is known that it misses.
	SpareSealed
	// MarkEvery is MarkSealed, and the rows of the finest tier that are still open are
	// folded of what is left, marked and so sealed too: events that belonged to them
	// have expired unseen.
	MarkEvery
)

// over are the terms for bucket b of a rung, where the rung low is the finest that is
// looked at. What is known to be missing in the finest bucket that has a row shows in
// the coarser ones by folding.
func (t Terms) over(l tier.Ladder, rung, low int, b tier.Bucket) Terms {
	if t.Manner == MarkEvery && below(l, rung, b) >= low {
		t.Manner = MarkSealed
	}
	return t
}

// found counts and tells a row that did not hold what its children say.
func (l *look) found(what string) {
	l.Changed++
	if l.terms.Found != nil {
		l.terms.Found(Note{Key: l.key, Text: what})
	}
}

// foundOther is found of a row whose children say another fold.
func (l *look) foundOther(old *rollup.Row, f *rollup.Fold) {
	what := ""
	if l.terms.Found != nil {
		what = becomes(old, f)
	}
	l.found(what)
}

// becomes says what a fold makes of a row.
func becomes(old *rollup.Row, f *rollup.Fold) string {
	switch {
	case f.Children == 0:
		return fmt.Sprintf("a row of %s has no children", eventsOf(old))
	case !stands(old):
		return fmt.Sprintf("no row of %d events", f.Summary.Events())
	default:
		return fmt.Sprintf("the row says %s, its children say %d", eventsOf(old), f.Summary.Events())
	}
}

func eventsOf(row *rollup.Row) string {
	if row == nil || row.Summary == nil {
		return "nothing that can be read"
	}
	return fmt.Sprintf("%d events", row.Summary.Events())
}
