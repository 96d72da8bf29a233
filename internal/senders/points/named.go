package points

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/names"
)

// Named returns the row or the preset that a message names. A name that only the row "*" matches is a
// mistake: its messages would be in a stream of their own. The error says which name may be meant.
func (m *Mapping) Named(source string) (*config.SourceRow, error) {
	if row := m.Row(source); row != nil && row.Match != "*" {
		return row, nil
	}
	known := config.Presets()
	for _, r := range m.Rows {
		known = append(known, r.Match)
	}
	return nil, fmt.Errorf("no source or preset is named %.64q%s", source, names.DidYouMean(source, known))
}
