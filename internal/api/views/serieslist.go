package views

import (
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ListedSubject is a subject with what is stored of it, as JSON.
type ListedSubject struct {
	Subject string         `json:"subject"`
	Profile bool           `json:"profile"`        // it has a profile
	Name    string         `json:"name,omitempty"` // of the profile, cut at 100 characters
	Series  []ListedSeries `json:"series"`
}

// ListedSeries is a series in the list of series as JSON. The times are the beginnings of
// the hours, or days, in which its earliest and its newest event are.
type ListedSeries struct {
	Kind      string     `json:"kind"`
	Stream    string     `json:"stream"`
	Measures  []string   `json:"measures"` // that the kind declares
	FirstSeen model.Time `json:"firstSeen"`
	LastSeen  model.Time `json:"lastSeen"`
}

// ListedSubjects is a page of subjects as JSON.
type ListedSubjects struct {
	Subjects []ListedSubject `json:"subjects"`
	NextPage
}

// NewListedSubjects returns entries of the list of series as JSON. They are sorted by subject.
func NewListedSubjects(entries []storage.ListedSeries, next string, kinds *catalog.Catalog) ListedSubjects {
	v := ListedSubjects{Subjects: []ListedSubject{}, NextPage: nextPage(next)}
	for _, l := range entries {
		if n := len(v.Subjects); n == 0 || v.Subjects[n-1].Subject != l.Series.Subject.ID {
			v.Subjects = append(v.Subjects, ListedSubject{Subject: l.Series.Subject.ID, Series: []ListedSeries{}})
		}
		s := &v.Subjects[len(v.Subjects)-1]
		if l.Series.Kind == "" {
			s.Profile, s.Name = true, l.Name
			continue
		}
		series := ListedSeries{Kind: l.Series.Kind, Stream: l.Series.Stream, Measures: []string{},
			FirstSeen: l.First, LastSeen: l.Last}
		if kind, known := kinds.Kind(l.Series.Kind); known {
			series.Measures = lists.Map(kind.Measures, func(m rollup.MeasureSpec) string { return m.Name })
		}
		s.Series = append(s.Series, series)
	}
	return v
}

// SetMeasures replaces the declared measures of the entries that l was made of by those that were seen,
// entry by entry; nil keeps the declared ones.
func (l ListedSubjects) SetMeasures(seen [][]string) {
	for i := range l.Subjects {
		s := &l.Subjects[i]
		if s.Profile {
			seen = seen[1:]
		}
		for j := range s.Series {
			if seen[0] != nil {
				s.Series[j].Measures = seen[0]
			}
			seen = seen[1:]
		}
	}
}

// Lines has one line for each subject.
func (l ListedSubjects) Lines() []any { return toLines(l.Subjects) }

// Table has one row for each series, and one for each subject without a series.
func (l ListedSubjects) Table() Table {
	t := Table{Header: []string{"subject", "profile", "kind", "stream", "firstSeen", "lastSeen", "measures",
		"name"}}
	for _, s := range l.Subjects {
		start := []string{s.Subject, strconv.FormatBool(s.Profile)}
		if len(s.Series) == 0 {
			t.Rows = append(t.Rows, append(start, "", "", "", "", "", s.Name))
		}
		for _, one := range s.Series {
			t.Rows = append(t.Rows, append(start[:2:2], one.Kind, one.Stream, one.FirstSeen.String(),
				one.LastSeen.String(), strings.Join(one.Measures, " "), s.Name))
		}
	}
	return t
}

// Lines has one line.
func (s ListedSubject) Lines() []any { return []any{s} }

// Table has one row for each series.
func (s ListedSubject) Table() Table { return ListedSubjects{Subjects: []ListedSubject{s}}.Table() }
