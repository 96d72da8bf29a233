package verify

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Span is a half-open range of event time.
type Span struct{ From, To model.Time }

// Always is all of time.
var Always = Span{From: model.MinTime, To: model.MaxTime}

// Scope is the part of a table that is verified or rebuilt.
type Scope struct {
	Subject model.Subject // zero: every subject
	Span    Span
	Tier    tier.Unit // zero: every tier
}

// CheckTier returns an error if no kind of the scope has its tier.
func (s Scope) CheckTier(kinds *catalog.Catalog) error {
	if s.Tier == 0 {
		return nil
	}
	for _, k := range kinds.Kinds {
		if _, _, has := k.Retention.Find(s.Tier); has && (s.Subject.Type == "" || s.Subject.Type == k.Subject.Name) {
			return nil
		}
	}
	return fmt.Errorf("no kind here has the tier %s: choose a tier of its retention policy", s.Tier)
}

// widened returns the span grown to the edges of the policy's coarsest buckets, so that
// it cuts no bucket of any tier in two.
func (s Span) widened(l tier.Policy) Span {
	coarsest := l.Tiers[len(l.Tiers)-1].Unit
	if s.From > model.MinTime {
		s.From = coarsest.BucketOf(s.From).Start
	}
	if s.To < model.MaxTime {
		if b := coarsest.BucketOf(s.To); b.Start < s.To {
			s.To = b.End
		}
	}
	return s
}
