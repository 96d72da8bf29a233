package names

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Tier returns the unit of the tier that the flag --tier names. The error has the name that was meant.
func Tier(text string) (tier.Unit, error) {
	unit, err := tier.ParseUnit(text)
	if err != nil {
		known := lists.Map(tier.Units(), tier.Unit.String)
		return 0, usererr.Errorf("--tier: %w%s", err, DidYouMean(text, known))
	}
	return unit, nil
}
