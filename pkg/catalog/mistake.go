package catalog

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Mistake is one thing wrong with a kind. The error of New joins all of them, each
// to be had with errors.As.
type Mistake struct {
	Kind    string // its name, or its place (#2) where it has none
	Field   string // as in tidemark.yaml: late, measures.temperature, subject.path
	Message string // what, why and what to do
}

func (m *Mistake) Error() string {
	return fmt.Sprintf("kind %s: %s: %s", m.Kind, m.Field, m.Message)
}

// CheckLadder is what is wrong with a ladder, in the words and fields (ladder.hour)
// of tidemark.yaml; nil where nothing is. Its Kind is left empty.
func CheckLadder(l tier.Ladder) *Mistake {
	err := l.Validate()
	if err == nil {
		return nil
	}
	m := &Mistake{Field: "ladder", Message: strings.TrimPrefix(err.Error(), "ladder: ")}
	if rung, rest, found := strings.Cut(m.Message, ": "); found {
		if _, err := tier.ParseUnit(rung); err == nil {
			m.Field, m.Message = "ladder."+rung, rest
		}
	}
	return m
}
