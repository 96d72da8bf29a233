package dynamo

import (
	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// The interfaces that Table implements, by the package that calls them.
var (
	_ ingest.Store                = (*Table)(nil)
	_ ingest.QuarantineStore      = (*Table)(nil)
	_ ingest.RotatingSecretStore  = (*Table)(nil)
	_ ingest.PurgeLocks           = (*Table)(nil)
	_ aggregate.Store             = (*Table)(nil)
	_ aggregate.EventReader       = (*Table)(nil)
	_ aggregate.RowReader         = (*Table)(nil)
	_ aggregate.ProgressStore     = (*Table)(nil)
	_ aggregate.InvalidationStore = (*Table)(nil)
	_ aggregate.SeriesStore       = (*Table)(nil)
	_ aggregate.LatestStore       = (*Table)(nil)
	_ query.Store                 = (*Table)(nil)
	_ lifecycle.Store             = (*Table)(nil)
	_ lifecycle.Eraser            = (*Table)(nil)
	_ lifecycle.EventStore        = (*Table)(nil)
	_ alert.Store                 = (*Table)(nil)
)
