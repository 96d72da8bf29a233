package hidevalue

import (
	"encoding/base64"
	"encoding/json"
)

// Position is how far a call came. The zero value is the beginning.
type Position struct {
	Step  string `json:"step"`
	After string `json:"after,omitempty"` // sort key of the last item that was read
}

// enter makes a step the present one, and returns where its reading goes on.
func (p *Position) enter(step string) (after *string) {
	if p.Step != step {
		*p = Position{Step: step}
	}
	return &p.After
}

// String returns the position for ParsePosition.
func (p Position) String() string {
	text, _ := json.Marshal(p) // plain data: cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParsePosition reads what String returned; "" is the beginning. It is not authenticated: a position only
// leaves out events and rows of the caller's own selection.
func ParsePosition(text string) (p Position, err error) {
	if text == "" {
		return p, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &p)
	}
	return p, err
}
