// Package domains lists the built-in kinds of all domains.
package domains

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/metrics"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// Kinds are the rows of all domains that ship, in the order they are listed to people.
func Kinds() []catalog.Kind { return slices.Concat(iot.Kinds(), metrics.Kinds(), web.Kinds()) }
