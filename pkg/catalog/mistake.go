package catalog

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Mistake is one thing wrong with a kind. The error of New joins all of them;
// errors.As finds each one.
type Mistake struct {
	Kind    string // its name, or its place (#2) where it has none
	Field   string // as in tidemark.yaml: late, measures.temperature, subject.path
	Message string // what, why and what to do
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
