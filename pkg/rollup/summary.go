package rollup

import "github.com/tidemark-db/tidemark/pkg/model"

// Summary is the mergeable value of a row.
type Summary struct{ spec *Spec }

// New is the summary of no events.
func New(spec *Spec) *Summary { return &Summary{spec: spec} }

// AddEvent folds one event in.
func (s *Summary) AddEvent(e *model.Event) { panic("stub") }

// Merge folds o in; o is not changed.
func (s *Summary) Merge(o *Summary) { panic("stub") }

// Events is how many readable events are in it.
func (s *Summary) Events() int64 { panic("stub") }

// Encode appends the canonical bytes to dst.
func (s *Summary) Encode(dst []byte) []byte { panic("stub") }

// Decode reads canonical bytes.
func Decode(b []byte) (*Summary, error) { panic("stub") }

// Truncated reports whether measure names were left out.
func (s *Summary) Truncated() bool { panic("stub") }

// Names are the measures in s, sorted as bytes.
func (s *Summary) Names() []string { panic("stub") }

// Measure is the named measure of s.
func (s *Summary) Measure(name string) (Measure, bool) { panic("stub") }

// Measure is one measure's numbers, derived on reading.
type Measure struct{}

// NewFold is the fold of no children: exact, until NoExpiry.
func NewFold(spec *Spec) *Fold { panic("stub") }

// AddEvent folds an event in (an Unreadable one too: folding is total).
func (f *Fold) AddEvent(e *model.Event) { panic("stub") }

// AddRow folds a row of the finer tier in; an empty row is no child.
func (f *Fold) AddRow(r *Row) { panic("stub") }

// Holds reports whether f, stored, already says all that g says: the same summary
// bytes, digest, unreadable and exact, and a ChildrenUntil not above g's.
func (f *Fold) Holds(g *Fold) bool { panic("stub") }
