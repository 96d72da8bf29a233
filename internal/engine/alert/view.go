package alert

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// View is an alert in HTTP responses, in the output of the command line and in notifications.
type View struct {
	ID          string              `json:"id"`
	SubjectType string              `json:"subjectType"`
	Subject     string              `json:"subject"`
	Kind        string              `json:"kind"`
	Stream      string              `json:"stream,omitempty"`
	Rule        string              `json:"rule"`
	Severity    storage.Severity    `json:"severity"`
	Status      storage.AlertStatus `json:"status"`
	Message     string              `json:"message"`
	Measure     string              `json:"measure"`
	Unit        string              `json:"unit,omitempty"` // of the value and the limit
	Value       model.Decimal       `json:"value"`
	Limit       string              `json:"limit"`
	At          model.Time          `json:"at"`                  // time of the event that raised it
	Event       string              `json:"event,omitempty"`     // id of that event
	Recovered   *storage.Moment     `json:"recovered,omitempty"` // the event that ended it
	Withdrawn   string              `json:"withdrawn,omitempty"` // why there is no such violation any more
	// ResolvedAt is when the alert stopped being open: by its events, by a user or with its rule.
	ResolvedAt   *model.Time           `json:"resolvedAt,omitempty"`
	Acknowledged *storage.ManualAction `json:"acknowledged,omitempty"`
	Resolved     *storage.ManualAction `json:"resolved,omitempty"` // by a user
	Ended        *storage.Ending       `json:"ended,omitempty"`    // with its rule
}

// NewView returns the view of an alert.
func NewView(a *storage.Alert) View {
	v := View{
		ID: a.ID, SubjectType: a.Series.Subject.Type, Subject: a.Series.Subject.ID, Kind: a.Series.Kind,
		Stream: a.Series.Stream, Rule: a.Rule, Severity: a.Severity, Status: a.Status(), Message: a.Message(),
		Measure: a.Measure, Unit: a.Unit, Value: a.Value, Limit: a.Limit, At: a.Raised.At, Event: a.Raised.ID,
		Recovered: a.Recovered, Withdrawn: a.Withdrawn, Acknowledged: a.Acknowledged, Resolved: a.Resolved,
		Ended: a.Ended,
	}
	for _, at := range resolutions(a) {
		if v.ResolvedAt == nil || at < *v.ResolvedAt {
			v.ResolvedAt = &at
		}
	}
	return v
}

func resolutions(a *storage.Alert) (all []model.Time) {
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

// NotificationView is the message that subscribers receive for a change of an alert. It
// may be delivered more than once.
type NotificationView struct {
	// id of the alert: a subscriber that acts once on an alert compares it
	ID        string              `json:"id"`
	Change    storage.AlertChange `json:"change"`
	ChangedAt model.Time          `json:"changedAt"` // the clock at the change
	Text      string              `json:"text"`      // the change in one line for people
	Chat      string              `json:"chat"`      // Text as chats such as Slack take it: &, < and > escaped
	Alert     View                `json:"alert"`
}

// NewNotificationView returns the message for a notification.
func NewNotificationView(n *storage.Notification) NotificationView {
	text := fmt.Sprintf("%s, %s: %s: %s, at %s (alert %s)", n.Change.DetailType(), n.Alert.Severity,
		n.Alert.Series.Subject.ID,
		n.Alert.Message(), n.Alert.Raised.At, n.Alert.ID)
	return NotificationView{
		ID: n.Alert.ID, Change: n.Change, ChangedAt: n.At, Text: text, Chat: inChat.Replace(text),
		Alert: NewView(&n.Alert),
	}
}

// inChat escapes what Slack and its like would read as a link or as a mention of everybody. Ids come from
// devices.
var inChat = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// RuleView is a rule in HTTP responses and in the output of the command line.
type RuleView struct {
	ID          string           `json:"id"`
	Name        string           `json:"name"`
	Revision    int              `json:"revision"`
	SubjectType string           `json:"subjectType"`
	Subject     string           `json:"subject,omitempty"` // "" is every subject of the type
	Kind        string           `json:"kind"`
	AnyStream   bool             `json:"anyStream,omitempty"`
	Stream      string           `json:"stream,omitempty"`
	Test        storage.Test     `json:"test,omitempty"`
	Measure     string           `json:"measure,omitempty"`
	Bounds      storage.Bounds   `json:"bounds,omitempty"`
	Low         *model.Decimal   `json:"low,omitempty"`
	High        *model.Decimal   `json:"high,omitempty"`
	ClearLow    *model.Decimal   `json:"clearLow,omitempty"`
	ClearHigh   *model.Decimal   `json:"clearHigh,omitempty"`
	For         times.Span       `json:"for,omitempty"`
	Severity    storage.Severity `json:"severity"`
	From        model.Time       `json:"from"`
	By          string           `json:"by,omitempty"`
}

// NewRuleView returns the view of a rule.
func NewRuleView(r *storage.Rule) RuleView {
	return RuleView{
		ID: r.ID(), Name: r.Name, Revision: r.Revision, SubjectType: r.SubjectType, Subject: r.Subject,
		Kind: r.Kind, AnyStream: r.AnyStream, Stream: r.Stream, Test: r.Test, Measure: r.Measure, Bounds: r.Bounds,
		Low: r.Low, High: r.High, ClearLow: r.ClearLow, ClearHigh: r.ClearHigh, For: r.For,
		Severity: r.Severity, From: r.From, By: r.By,
	}
}
