package reshape

import (
	"context"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// shadow is a table that keeps written rows for itself. It keeps the rows of one series: the rows
// of the series before are forgotten. A row that it created is not in its pages.
type shadow struct {
	Table

	mu     sync.Mutex // guards what follows
	series model.Series
	rows   map[rollup.Key]*rollup.Row
}

// PutRow keeps a row.
func (s *shadow) PutRow(_ context.Context, row *rollup.Row, _ rollup.Rev) (storage.WriteResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil || row.Key.Series != s.series {
		s.series, s.rows = row.Key.Series, map[rollup.Key]*rollup.Row{}
	}
	kept := *row
	s.rows[row.Key] = &kept
	return storage.Written, nil
}

func (s *shadow) kept(key rollup.Key) *rollup.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.rows[key]; kept != nil {
		row := *kept
		return &row
	}
	return nil
}

// Row reads a row, the kept one first.
func (s *shadow) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if row := s.kept(key); row != nil {
		return row, nil
	}
	return s.Table.Row(ctx, key)
}

// Rows reads a page of rows, with the kept rows in place of the table's.
func (s *shadow) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := s.Table.Rows(ctx, unit, r)
	for i := range page.Rows {
		if row := s.kept(page.Rows[i].Key); row != nil {
			page.Rows[i] = *row
		}
	}
	return page, err
}
