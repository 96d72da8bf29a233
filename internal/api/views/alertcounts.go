package views

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// SubjectAlerts is how many alerts a subject had, as JSON.
type SubjectAlerts struct {
	Subject  string     `json:"subject"`
	Alerts   int        `json:"alerts"`
	Critical int        `json:"critical"`
	Warning  int        `json:"warning"`
	Info     int        `json:"info"`
	Open     int        `json:"open"`
	Newest   model.Time `json:"newest"`
	AtLeast  bool       `json:"atLeast,omitempty"` // it had more
}

// AlertCounts is how many alerts the subjects of a type had, as JSON.
type AlertCounts struct {
	From     model.Time      `json:"from"`
	To       model.Time      `json:"to"`
	Read     int             `json:"read"` // subjects of which alerts were looked for
	Subjects []SubjectAlerts `json:"subjects"`
	Missing  []Missing       `json:"missing,omitempty"` // what is not known of the range
	NextPage
	Progress // rules are evaluated when a change is processed
}

// NewAlertCounts returns a page of counts as JSON.
func NewAlertCounts(page query.AlertCountsPage) AlertCounts {
	return AlertCounts{From: page.From, To: page.To, Read: page.Read,
		Subjects: lists.Map(page.Subjects, subjectAlerts), Missing: missingParts(page.Missing),
		NextPage: nextPage(page.Next), Progress: FromProgress(page.Progress)}
}

func subjectAlerts(s query.SubjectAlerts) SubjectAlerts {
	return SubjectAlerts{Subject: s.Subject.ID, Alerts: s.Total(), Critical: s.Alerts[storage.Critical],
		Warning: s.Alerts[storage.Warning], Info: s.Alerts[storage.Info], Open: s.Open, Newest: s.Newest,
		AtLeast: s.AtLeast}
}

// Lines has one line for each subject.
func (v AlertCounts) Lines() []any { return toLines(v.Subjects) }

// Table has one row for each subject.
func (v AlertCounts) Table() Table {
	return Table{
		Header: []string{"subject", "alerts", "critical", "warning", "info", "open", "newest", "atLeast"},
		Rows: lists.Map(v.Subjects, func(s SubjectAlerts) []string {
			return []string{
				s.Subject, strconv.Itoa(s.Alerts), strconv.Itoa(s.Critical), strconv.Itoa(s.Warning),
				strconv.Itoa(s.Info), strconv.Itoa(s.Open), s.Newest.String(), strconv.FormatBool(s.AtLeast),
			}
		})}
}
