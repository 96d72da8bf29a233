package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing wrong with a configuration.
type Mistake struct {
	File         string // "" where the configuration came from no file
	Line, Column int    // from 1; 0 where it is not known, or the value stands in no file
	Path         string // of the value: kinds.READING.late
	Message      string // what, why and what to do
}

// String is one line, as compilers write it: tidemark.yaml:12:7: limits.body: …
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

// Mistakes is every mistake of a configuration, in the order they stand in the file.
// It is the error of Load, Parse and Validate, to be had with errors.As.
type Mistakes []Mistake

// Error is one line for each mistake.
func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, mistake := range m {
		lines[i] = mistake.String()
	}
	return strings.Join(lines, "\n")
}

// sorted is m by place in the file, or nil where there is none: the error to return.
func (m Mistakes) sorted() error {
	if len(m) == 0 {
		return nil
	}
	slices.SortStableFunc(m, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return m
}
