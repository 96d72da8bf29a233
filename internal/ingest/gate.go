package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Gates tells whether a subject is being purged, by one strongly consistent read.
type Gates interface {
	Gated(ctx context.Context, subject model.Subject) (bool, error)
}

// defaultGateFor is the timeout that ingest is deployed with.
const defaultGateFor = 15 * time.Second

// gateMemory is what a Service remembers of gates: the events of a kind without current
// meet no fence and no gate in their one write, so the gate is looked at beside it, and
// not for every event.
type gateMemory struct {
	mu   sync.Mutex
	seen map[model.Subject]gateSeen // guarded by mu
}

type gateSeen struct {
	gated bool
	until model.Time
}

// most subjects are remembered: beyond that all are forgotten and looked at anew.
const mostGates = 10_000

// gated reports whether a subject is being purged, as it was GateFor ago at most.
func (s *Service) gated(ctx context.Context, subject model.Subject) (bool, error) {
	if s.Gates == nil {
		return false, nil
	}
	now := s.Now() // before the read: what it answers is true of no earlier moment
	s.gates.mu.Lock()
	known, ok := s.gates.seen[subject]
	s.gates.mu.Unlock()
	if ok && now < known.until {
		return known.gated, nil
	}
	gated, err := s.Gates.Gated(ctx, subject)
	if err != nil {
		return false, fmt.Errorf("look at the gate of %s: %w", subject, err)
	}
	s.gates.remember(subject, gateSeen{gated, now.Add(s.gateFor())})
	return gated, nil
}

func (g *gateMemory) remember(subject model.Subject, seen gateSeen) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen == nil || len(g.seen) >= mostGates {
		g.seen = map[model.Subject]gateSeen{}
	}
	g.seen[subject] = seen
}

func (s *Service) gateFor() time.Duration {
	if s.GateFor > 0 {
		return s.GateFor
	}
	return defaultGateFor
}
