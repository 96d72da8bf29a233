package views

import (
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// SilentSubject is a subject without an event of a span, as JSON.
type SilentSubject struct {
	Subject   string      `json:"subject"`
	NeverSent bool        `json:"neverSent"`
	LastSeen  *model.Time `json:"lastSeen,omitempty"`
	Rounded   bool        `json:"rounded,omitempty"` // lastSeen is the start of an hour or day
	// Removed says that the newest events were deleted and none is stored: lastSeen is not known.
	Removed bool `json:"removed,omitempty"`
	// SilentSeconds is from lastSeen to the end of the span.
	SilentSeconds *int64 `json:"silentSeconds,omitempty"`
	Kind          string `json:"kind,omitempty"` // of the newest event
	Stream        string `json:"stream,omitempty"`
}

// SilentSubjects is a page of silent subjects as JSON.
type SilentSubjects struct {
	Silent []SilentSubject `json:"silent"`
	NextPage
	Progress // the span ends at processedThrough
}

// NewSilent returns a page of silent subjects. The span of the request ended at through.
func NewSilent(page query.SilentPage, through model.Time, p query.Progress) SilentSubjects {
	return SilentSubjects{
		NextPage: nextPage(page.Next), Progress: FromProgress(p),
		Silent: lists.Map(page.Subjects, func(s query.SilentSubject) SilentSubject {
			v := SilentSubject{
				Subject: s.Subject.ID, NeverSent: s.LastSeen == nil && !s.Removed, LastSeen: s.LastSeen,
				Rounded: s.Rounded, Removed: s.Removed, Kind: s.Newest.Kind, Stream: s.Newest.Stream,
			}
			if s.LastSeen != nil {
				v.SilentSeconds = new(int64(through.Sub(*s.LastSeen) / time.Second))
			}
			return v
		}),
	}
}

// Lines has one line for each subject.
func (l SilentSubjects) Lines() []any { return toLines(l.Silent) }

// Table has one row for each subject.
func (l SilentSubjects) Table() Table {
	t := Table{Header: []string{"subject", "neverSent", "lastSeen", "rounded", "silentSeconds", "kind",
		"stream", "removed"}}
	for _, s := range l.Silent {
		seconds := ""
		if s.SilentSeconds != nil {
			seconds = strconv.FormatInt(*s.SilentSeconds, 10)
		}
		t.Rows = append(t.Rows, []string{
			s.Subject, strconv.FormatBool(s.NeverSent), timeText(s.LastSeen), strconv.FormatBool(s.Rounded),
			seconds, s.Kind, s.Stream, strconv.FormatBool(s.Removed),
		})
	}
	return t
}
