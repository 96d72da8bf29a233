package item

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ruleStateJSON is a rule state as stored in the list of a series.
type ruleStateJSON struct {
	Rule   string     `json:"rule"`
	Tested orderJSON  `json:"tested"`
	Reach  *orderJSON `json:"reach,omitempty"` // MaxTested, if it differs from Tested
	Open   *openJSON  `json:"open,omitempty"`
	Since  *orderJSON `json:"since,omitempty"`
	// Last is the latest reading.
	Last *storage.Moment `json:"last,omitempty"`
}

// openJSON is an open violation.
type openJSON struct {
	Alert string `json:"alert"`
	orderJSON
}

// orderJSON is the position of an event in its series.
type orderJSON struct {
	At model.Time `json:"at"`
	ID string     `json:"id,omitempty"`
}

// FromAlertState returns the stored form of s.
func FromAlertState(s *storage.AlertState) Item {
	it := newItem(tablekeys.AlertState(s.Series), 2)
	list := make([]ruleStateJSON, len(s.Rules))
	for i, r := range s.Rules {
		list[i] = ruleStateJSON{
			Rule: r.Rule, Tested: orderJSON(r.Tested), Since: (*orderJSON)(r.Since), Last: r.Last,
		}
		if r.MaxTested != r.Tested {
			list[i].Reach = (*orderJSON)(&r.MaxTested)
		}
		if r.Open != nil {
			list[i].Open = &openJSON{r.Open.Alert, orderJSON(r.Open.Raised)}
		}
	}
	it.setJSON(tablekeys.AttrTested, list)
	it[tablekeys.AttrRev] = bytesValue(s.Rev[:])
	return it
}

// AlertState is the inverse of FromAlertState. The errors are Alert's.
func AlertState(it Item) (storage.AlertState, error) {
	at, err := tablekeys.ParseRule(it.Key())
	if err != nil || !at.State {
		return storage.AlertState{}, fmt.Errorf("read alert state under %.80q: %w", it.Key().SK, keys.ErrKeyForm)
	}
	s := storage.AlertState{Series: model.Series{
		Subject: model.Subject{Type: at.SubjectType, ID: at.Subject}, Kind: at.Kind, Stream: at.Stream,
	}}
	r := newReader(it)
	s.Rev = r.bytes16(tablekeys.AttrRev, required)
	var list []ruleStateJSON
	r.json(tablekeys.AttrTested, &list, "is not a list of rule states", required)
	s.Rules = lists.Map(list, ruleStateJSON.state)
	return decoded(&r, s, "alert state of %s", s.Series)
}

func (t ruleStateJSON) state() storage.RuleState {
	r := storage.RuleState{Rule: t.Rule, Tested: model.Order(t.Tested), MaxTested: model.Order(t.Tested)}
	r.Since, r.Last = (*model.Order)(t.Since), t.Last
	if t.Reach != nil {
		r.MaxTested = model.Order(*t.Reach)
	}
	if t.Open != nil {
		r.Open = &storage.OpenViolation{Alert: t.Open.Alert, Raised: model.Order(t.Open.orderJSON)}
	}
	return r
}
