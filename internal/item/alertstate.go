package item

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// testedRule is how far a rule has been tested, as it stands in the list of a series.
type testedRule struct {
	Rule   string  `json:"rule"`
	Tested spot    `json:"tested"`
	Reach  *spot   `json:"reach,omitempty"` // where it is another than tested
	Open   *opened `json:"open,omitempty"`
}

// opened is the violation that lasts.
type opened struct {
	Alert string `json:"alert"`
	spot
}

// spot is the place of an event in its series.
type spot struct {
	At model.Time `json:"at"`
	ID string     `json:"id,omitempty"`
}

// FromAlertState is the stored form of s.
func FromAlertState(s *model.AlertState) Item {
	it := under(keys.AlertState(s.Series), 2)
	list := make([]testedRule, len(s.Rules))
	for i, r := range s.Rules {
		list[i] = testedRule{Rule: r.Rule, Tested: spot(r.Tested)}
		if r.Reach != r.Tested {
			list[i].Reach = (*spot)(&r.Reach)
		}
		if r.Open != nil {
			list[i].Open = &opened{r.Open.Alert, spot(r.Open.Raised)}
		}
	}
	encoded, _ := json.Marshal(list) // plain data: cannot fail
	it[keys.AttrTested] = stringOf(string(encoded))
	it[keys.AttrRev] = bytesOf(s.Rev[:])
	return it
}

// AlertState is the way back from FromAlertState. Errors are those of Alert.
func AlertState(it Item) (model.AlertState, error) {
	at, err := keys.ParseRule(it.Key())
	if err != nil || !at.State {
		return model.AlertState{}, fmt.Errorf("read the state of rules under %.80q: %w", it.Key().SK, keys.ErrForeign)
	}
	s := model.AlertState{Series: model.Series{
		Subject: model.Subject{Type: at.SubjectType, ID: at.Subject}, Kind: at.Kind, Stream: at.Stream,
	}}
	r := reader{it: it}
	r.version(required)
	s.Rev = r.bytes16(keys.AttrRev, required)
	var list []testedRule
	if text := r.string(keys.AttrTested, required); r.err == nil && json.Unmarshal([]byte(text), &list) != nil {
		r.fail(keys.AttrTested, "is no list of states")
	}
	if r.err != nil {
		return model.AlertState{}, fmt.Errorf("read the state of the rules of %s: %w", s.Series, r.err)
	}
	for _, t := range list {
		s.Rules = append(s.Rules, t.state())
	}
	return s, nil
}

func (t testedRule) state() model.RuleState {
	r := model.RuleState{Rule: t.Rule, Tested: model.Order(t.Tested), Reach: model.Order(t.Tested)}
	if t.Reach != nil {
		r.Reach = model.Order(*t.Reach)
	}
	if t.Open != nil {
		r.Open = &model.OpenViolation{Alert: t.Open.Alert, Raised: model.Order(t.Open.spot)}
	}
	return r
}
