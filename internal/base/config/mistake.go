package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// Mistake is one error of a configuration.
type Mistake struct {
	File         string // "" if the configuration was not read from a file
	Line, Column int    // from 1; 0 if unknown, or if the value is not in a file
	Path         string // path of the value: kinds.READING.late
	Message      string // what is wrong, why, and what to do
}

// String returns one line in the form of compiler errors: tidemark.yaml:12:7: limits.body: …
func (m Mistake) String() string {
	var b strings.Builder
	if m.File != "" {
		b.WriteString(m.File + ":")
		for _, n := range []int{m.Line, m.Column} {
			if n > 0 {
				fmt.Fprintf(&b, "%d:", n)
			}
		}
		b.WriteByte(' ')
	}
	if m.Path != "" {
		b.WriteString(m.Path + ": ")
	}
	return b.String() + m.Message
}

// Mistakes are all mistakes of a configuration, in the order of the file. It is the error of
// Load, Parse and Validate; use errors.As to get it.
type Mistakes []Mistake

// Error returns one line for each mistake.
func (m Mistakes) Error() string { return strings.Join(lists.Map(m, Mistake.String), "\n") }

// Err returns m in the order of the file as an error, or nil if it is empty.
func (m Mistakes) Err() error {
	if len(m) == 0 {
		return nil
	}
	slices.SortStableFunc(m, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return m
}
