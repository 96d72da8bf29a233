package bench

import (
	"fmt"
	"strings"
)

// section is a section of the report: an introduction, a table of measurements, goals
// and notes.
type section struct {
	title string
	intro string
	head  []string
	rows  [][]string
	goals []goal
	notes []string
}

// goal is a target and what was measured.
type goal struct {
	what string
	got  string
	met  bool
}

func (s *section) row(cells ...string) { s.rows = append(s.rows, cells) }

func (s *section) goal(met bool, what, format string, args ...any) {
	s.goals = append(s.goals, goal{what: what, got: fmt.Sprintf(format, args...), met: met})
}

func (s *section) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *section) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", s.title, s.intro)
	table(&b, s.head, s.rows)
	if len(s.goals) > 0 {
		rows := make([][]string, len(s.goals))
		for i, g := range s.goals {
			rows[i] = []string{g.what, g.got, map[bool]string{true: "met", false: "**missed**"}[g.met]}
		}
		b.WriteByte('\n')
		table(&b, []string{"goal", "measured", ""}, rows)
	}
	for _, n := range s.notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	return b.String()
}

func table(b *strings.Builder, head []string, rows [][]string) {
	if len(head) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
	}
}
