package arguments

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/usage"
)

// Gap parses the range FROM..TO of the flag --gap.
func Gap(text string) (g entity.Gap, err error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" || to == "" {
		return g, usage.Errorf("--gap %q: want FROM..TO, as 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z, or recorded", text)
	}
	if g.From, err = Time("gap", from, 0); err != nil {
		return g, err
	}
	if g.To, err = Time("gap", to, 0); err != nil {
		return g, err
	}
	if g.From >= g.To {
		return g, usage.Errorf("--gap %s: the range ends before it begins", text)
	}
	return g, nil
}
