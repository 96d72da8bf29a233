package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Stale is how long a process takes the rules of a subject type to be what it read. A
// rule that is new to a process is tested from its beginning on, so nothing is missed by
// it; a rule that was removed is swept up after for longer than that.
const Stale = time.Minute

// book is the rules of a subject type, those that were removed not long ago included.
type book struct {
	rules  []model.Rule
	own    map[string]bool // kinds of which some subjects have rules of their own
	readAt model.Time
}

// bookOf is the rules of a subject type: as they were read up to Stale ago, or as they
// stand, where fresh. That is the only read for series that no rule is about.
func (s *Service) bookOf(ctx context.Context, subjectType string, fresh bool) (*book, error) {
	now := s.Now()
	s.mu.Lock()
	known := s.books[subjectType]
	s.mu.Unlock()
	if known != nil && !fresh && now < known.readAt.Add(Stale) {
		return known, nil
	}
	b, err := s.readBook(ctx, subjectType)
	if err != nil {
		return nil, err
	}
	b.readAt = now
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.books == nil {
		s.books = map[string]*book{}
	}
	s.books[subjectType] = b
	return b, nil
}

// forget has this process read the rules of a subject type anew: it has changed them.
func (s *Service) forget(subjectType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, subjectType)
}

func (s *Service) readBook(ctx context.Context, subjectType string) (*book, error) {
	b := &book{own: map[string]bool{}}
	err := s.eachItem(ctx, table.Listing{Partition: keys.RulePartition(subjectType)}, func(it item.Item) (bool, error) {
		at, err := keys.ParseRule(it.Key())
		if err != nil {
			return true, nil // somebody else's
		}
		if at.Rule == "" {
			b.own[at.Kind] = true
			return true, nil
		}
		rule, err := item.Rule(it)
		if err == nil {
			b.rules = append(b.rules, rule)
		} else if errors.Is(err, item.ErrNewer) {
			return false, err
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the rules of %s: %w", subjectType, err)
	}
	return b, nil
}

// ruled reports whether any rule may be about a series.
func (b *book) ruled(series model.Series) bool {
	if b.own[series.Kind] {
		return true
	}
	for i := range b.rules {
		if b.rules[i].Of(series) {
			return true
		}
	}
	return false
}
