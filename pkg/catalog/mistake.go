package catalog

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Mistake is one error of the declaration of a kind. The error of New joins all of them.
type Mistake struct {
	Kind    string // name of the kind, or its number (#2) if it has none
	Field   string // path in tidemark.yaml: late, measures.temperature, subject.path
	Message string // what is wrong, why, and what to do
}

func (m *Mistake) Error() string {
	return fmt.Sprintf("kind %s: %s: %s", m.Kind, m.Field, m.Message)
}

// CheckRetention returns what is wrong with a retention policy, with the field as
// tidemark.yaml names it (tiers.hour); nil if the policy is valid. Kind is left empty.
func CheckRetention(p tier.Policy) *Mistake {
	err := p.Validate()
	if err == nil {
		return nil
	}
	m := &Mistake{Field: "tiers", Message: strings.TrimPrefix(err.Error(), "tiers: ")}
	if unit, rest, found := strings.Cut(m.Message, ": "); found {
		if _, err := tier.ParseUnit(unit); err == nil {
			m.Field, m.Message = "tiers."+unit, rest
		}
	}
	return m
}
