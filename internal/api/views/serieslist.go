package views

import (
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
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
	Progress // a series is listed when its first event is processed
}

// SubjectSeries is one subject of the list as JSON.
type SubjectSeries struct {
	ListedSubject
	Progress
}

// NewListedSubjects returns a page of the list of series as JSON.
func NewListedSubjects(
	page query.SeriesPage, kinds *catalog.Catalog, p query.Progress,
) ListedSubjects {
	return ListedSubjects{Subjects: listedSubjects(page.Series, kinds), NextPage: nextPage(page.Next),
		Progress: FromProgress(p)}
}

// NewSubjectSeries returns the entries of one subject as JSON; there is one or more.
func NewSubjectSeries(
	entries []storage.ListedSeries, kinds *catalog.Catalog, p query.Progress,
) SubjectSeries {
	return SubjectSeries{ListedSubject: listedSubjects(entries, kinds)[0], Progress: FromProgress(p)}
}

// listedSubjects returns entries, sorted by subject, as JSON.
func listedSubjects(entries []storage.ListedSeries, kinds *catalog.Catalog) []ListedSubject {
	all := []ListedSubject{}
	for _, l := range entries {
		if n := len(all); n == 0 || all[n-1].Subject != l.Series.Subject.ID {
			all = append(all, ListedSubject{Subject: l.Series.Subject.ID, Series: []ListedSeries{}})
		}
		s := &all[len(all)-1]
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
	return all
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
func (s SubjectSeries) Lines() []any { return []any{s.ListedSubject} }

// Table has one row for each series.
func (s SubjectSeries) Table() Table {
	return ListedSubjects{Subjects: []ListedSubject{s.ListedSubject}}.Table()
}
