package alert

import "github.com/tidemark-db/tidemark/pkg/model"

// View is an alert as it is shown: over HTTP, by the command line, and to the world.
type View struct {
	ID          string            `json:"id"`
	SubjectType string            `json:"subjectType"`
	Subject     string            `json:"subject"`
	Kind        string            `json:"kind"`
	Stream      string            `json:"stream,omitempty"`
	Rule        string            `json:"rule"`
	Severity    model.Severity    `json:"severity"`
	Status      model.AlertStatus `json:"status"`
	Message     string            `json:"message"`
	Measure     string            `json:"measure"`
	Value       model.Decimal     `json:"value"`
	Limit       string            `json:"limit"`
	At          model.Time        `json:"at"`                  // of the event that raised it
	Event       string            `json:"event,omitempty"`     // its id
	Recovered   *model.Moment     `json:"recovered,omitempty"` // the event that ended it
	Withdrawn   string            `json:"withdrawn,omitempty"` // why there is no such violation after all
	// ResolvedAt is when it ceased to be open, by its events, by hand or with its rule.
	ResolvedAt   *model.Time   `json:"resolvedAt,omitempty"`
	Acknowledged *model.Hand   `json:"acknowledged,omitempty"`
	Resolved     *model.Hand   `json:"resolved,omitempty"` // by hand
	Ended        *model.Ending `json:"ended,omitempty"`    // with its rule
}

// ViewOf is a as it is shown.
func ViewOf(a *model.Alert) View {
	v := View{
		ID: a.ID, SubjectType: a.Series.Subject.Type, Subject: a.Series.Subject.ID, Kind: a.Series.Kind, Stream: a.Series.Stream,
		Rule: a.Rule, Severity: a.Severity, Status: a.Status(), Message: a.Message(), Measure: a.Measure, Value: a.Value, Limit: a.Limit,
		At: a.Raised.At, Event: a.Raised.ID, Recovered: a.Recovered, Withdrawn: a.Withdrawn,
		Acknowledged: a.Acknowledged, Resolved: a.Resolved, Ended: a.Ended,
	}
	for _, at := range resolutions(a) {
		if v.ResolvedAt == nil || at < *v.ResolvedAt {
			v.ResolvedAt = &at
		}
	}
	return v
}

func resolutions(a *model.Alert) (all []model.Time) {
	if a.Recovered != nil {
		all = append(all, a.Recovered.At)
	}
	if a.Resolved != nil {
		all = append(all, a.Resolved.At)
	}
	if a.Ended != nil {
		all = append(all, a.Ended.At)
	}
	return all
}

// Telling is what the world is told of a change: one for each, and perhaps more than once.
type Telling struct {
	ID     string            `json:"id"` // the alert's: who acts on an alert once goes by it
	Change model.AlertChange `json:"change"`
	Told   model.Time        `json:"told"` // the clock of the change
	Alert  View              `json:"alert"`
}

// TellingOf is n as the world is told it.
func TellingOf(n *model.Notice) Telling {
	return Telling{ID: n.Alert.ID, Change: n.Change, Told: n.At, Alert: ViewOf(&n.Alert)}
}

// RuleView is a rule as it is shown.
type RuleView struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Revision    int            `json:"revision"`
	SubjectType string         `json:"subjectType"`
	Subject     string         `json:"subject,omitempty"` // "" is every subject of the type
	Kind        string         `json:"kind"`
	AnyStream   bool           `json:"anyStream,omitempty"`
	Stream      string         `json:"stream,omitempty"`
	Measure     string         `json:"measure"`
	Bounds      model.Bounds   `json:"bounds"`
	Low         *model.Decimal `json:"low,omitempty"`
	High        *model.Decimal `json:"high,omitempty"`
	Severity    model.Severity `json:"severity"`
	From        model.Time     `json:"from"`
	By          string         `json:"by,omitempty"`
}

// RuleViewOf is r as it is shown.
func RuleViewOf(r *model.Rule) RuleView {
	return RuleView{
		ID: r.ID(), Name: r.Name, Revision: r.Revision, SubjectType: r.SubjectType, Subject: r.Subject, Kind: r.Kind,
		AnyStream: r.AnyStream, Stream: r.Stream, Measure: r.Measure, Bounds: r.Bounds, Low: r.Low, High: r.High,
		Severity: r.Severity, From: r.From, By: r.By,
	}
}
