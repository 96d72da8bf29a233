package sessions

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The numbers of a session.
const (
	FieldEvents   = "views"
	FieldDuration = "duration" // milliseconds from the first to the last event
	FieldBounce   = "bounce"   // 1 if the session has one event, else 0
)

// session is a session that may go on.
type session struct {
	rule   *catalog.Sessions
	bucket *bucket
	order  model.Order // of the first event: sources of equal order do not exist
	key    string

	events        int64
	last          model.Time
	firsts, lasts model.Attrs
	goals         goal.Progress
	newest        model.Time // arrival
	expires       int64
}

// newSession begins a session with the fields that firstFields returns. Its first event is added to it after
// that.
func newSession(rule *catalog.Sessions, fields []catalog.SessionField, key string, b *bucket,
	first *model.Event, goals goal.Set) *session {
	return &session{
		rule: rule, bucket: b, key: key, order: first.Order,
		firsts: copied(fields, first), goals: goals.Begin(),
	}
}

// firstFields returns the fields of a session that are copied from its first event: those that are declared
// so, and the dimensions of its kind that are not declared at all, by their own names.
func firstFields(kind *catalog.Kind) []catalog.SessionField {
	rule := kind.Sessions
	declared := append(slices.Concat(rule.First, rule.Last), catalog.SessionField{Name: rule.By})
	all := slices.Clip(rule.First)
	for _, d := range kind.Spec().Dimensions {
		named := func(f catalog.SessionField) bool { return f.Name == d.Name }
		if !d.IsPair() && !slices.ContainsFunc(declared, named) {
			all = append(all, catalog.SessionField{Name: d.Name, Of: d.Name})
		}
	}
	return all
}

// copied returns the fields of a session that are copied from an event.
func copied(fields []catalog.SessionField, e *model.Event) (attrs model.Attrs) {
	for _, f := range fields {
		if v, ok := e.Attrs.Get(f.Of); ok && v.Kind != model.Null {
			attrs = append(attrs, model.Attr{Name: f.Name, Value: v})
		}
	}
	return attrs
}

func (s *session) add(e *model.Event) {
	s.events++
	s.last, s.lasts = e.At, copied(s.rule.Last, e)
	s.addSource(e)
}

// addSource adds an event's time of arrival and expiry, which the fold depends on.
func (s *session) addSource(e *model.Event) {
	s.newest = max(s.newest, e.ArrivedAt)
	if e.ExpiresAt != 0 && (s.expires == 0 || e.ExpiresAt < s.expires) {
		s.expires = e.ExpiresAt
	}
}

// event returns the session as an event of its series. It has the goals that the fold of its
// bucket has measures for: an undeclared number would be summarised too.
func (s *session) event(series model.Series, goals goal.Set) *model.Event {
	bounce := int64(0)
	if s.events == 1 {
		bounce = 1
	}
	number := func(name string, n int64) model.Attr {
		return model.Attr{Name: name, Value: model.NumberValue(model.NewDecimal(n))}
	}
	attrs := append(model.Attrs{
		number(FieldEvents, s.events), number(FieldDuration, int64(s.last-s.order.At)), number(FieldBounce, bounce),
		{Name: s.rule.By, Value: model.TextValue(s.key)},
	}, s.firsts...)
	attrs = append(attrs, s.lasts...)
	for _, a := range goals.Attrs(s.goals, time.Duration(s.last-s.order.At)*time.Millisecond) {
		if slices.ContainsFunc(s.bucket.spec.Measures, func(m rollup.MeasureSpec) bool {
			return m.Name == a.Name
		}) {
			attrs = append(attrs, a)
		}
	}
	attrs.Sort()
	return &model.Event{Series: series, Order: s.order, Attrs: attrs, ArrivedAt: s.newest, ExpiresAt: s.expires}
}

// slack returns how long after an event its invalidation is due at the latest: what the
// closing time of a bucket is later than its end, less the gap.
func slack(kind *catalog.Kind, level int, b tier.Bucket, s model.Series) time.Duration {
	return kind.Retention.ClosesAt(level, b, s).Sub(b.End) - kind.Sessions.Gap
}

// SettlesAt returns when the sessions that began in a bucket and may go on until reach have
// all ended: the closing time, or after it one of few times, so that an endless session makes
// its bucket be folded a few times only.
func SettlesAt(kind *catalog.Kind, level int, b tier.Bucket, s model.Series, reach model.Time) model.Time {
	closes, slack := kind.Retention.ClosesAt(level, b, s), slack(kind, level, b, s)
	if reach.Add(slack) <= closes {
		return closes
	}
	for after := time.Hour; ; after *= 2 {
		if after = min(after, kind.Sessions.Follow); b.End.Add(after) >= reach || after == kind.Sessions.Follow {
			return max(b.End.Add(after), reach).Add(slack)
		}
	}
}

// OnTime reports whether a change of a source event at a time is on time by a clock: every
// earlier bucket that it may touch has an invalidation that will be worked off. margin is how
// long after its due time that begins.
func OnTime(kind *catalog.Kind, at, now model.Time, margin time.Duration) bool {
	grace := kind.Retention.Finest().Grace - kind.Sessions.Gap
	return now < at.Add(grace-margin)
}
