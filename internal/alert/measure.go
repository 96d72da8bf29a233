package alert

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// KnowsMeasure reports whether the measure of a rule is declared for its kind or, for a
// rule of one subject, is a number in a latest item to which the rule applies. A rule for
// any other measure is probably a typing error.
func (s *Service) KnowsMeasure(ctx context.Context, r entity.Rule) (known bool, err error) {
	if kind, ok := s.Catalog.Kind(r.Kind); !ok || kind.Declared(r.Measure) {
		return true, nil // AddRule rejects an undeclared kind
	}
	if r.Subject == "" {
		return false, nil
	}
	of := model.Subject{Type: r.SubjectType, ID: r.Subject}
	latest := table.ListRequest{Partition: keys.SubjectPartition(of), Prefix: tablekeys.LatestPrefix}
	err = s.eachItem(ctx, latest, func(it item.Item) (bool, error) {
		series, err := keys.ParseLatest(it.Key())
		if err == nil && r.Matches(series) {
			known = it[r.Measure].Type == item.N
		}
		return !known, nil
	})
	if err != nil {
		return false, fmt.Errorf("read the latest items of %s: %w", of, err)
	}
	return known, nil
}
