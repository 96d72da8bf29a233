package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// role is what an action of a change is there for, and so what its refusal means.
type role int

const (
	ofProfile   role = iota // the profile stands as it was read
	ofTombstone             // the tombstone stands as it was read
	ofGate                  // the subject is not being purged
	ofVersion               // the version is new
	ofClaim                 // the value is free
	ofRelease               // the sentinel is ours
)

// change is one transaction being put together.
type change struct {
	actions []Action
	roles   []role
	names   []string // of claims, the constraint
	outcome Outcome  // once it is written
}

func (c *change) add(r role, a Action) { c.addNamed(r, "", a) }

func (c *change) addNamed(r role, name string, a Action) {
	c.actions, c.roles, c.names = append(c.actions, a), append(c.roles, r), append(c.names, name)
}

// addGate has the change refused while the subject is being purged.
func (c *change) addGate(s model.Subject) {
	c.add(ofGate, Action{Key: keys.Gate(s), When: Condition{{Op: Free}}})
}

// addVersion keeps the profile as the change leaves it.
func (c *change) addVersion(v model.ProfileVersion) {
	it := item.FromProfileVersion(&v)
	c.add(ofVersion, Action{Key: it.Key(), When: Condition{{Op: Free}}, Put: it})
}

// unchanged is the condition that an item stands as p was read.
func unchanged(p *model.Profile) Condition {
	when := Condition{{Op: There}}
	if p.Version == 0 {
		when = append(when, Term{Op: Lacks, Attr: keys.AttrNumber})
	} else {
		when = append(when, Term{Op: Is, Attr: keys.AttrNumber, Value: number(p.Version)})
	}
	if p.Life == (model.Life{}) {
		return append(when, Term{Op: Lacks, Attr: keys.AttrLife})
	}
	return append(when, ofLife(p.Life))
}

// ofLife: the item belongs to a life.
func ofLife(life model.Life) Term {
	return Term{Op: Is, Attr: keys.AttrLife, Value: item.Value{Type: item.B, B: life[:]}}
}

// memory is what earlier rounds of one change learnt of sentinels.
type memory struct {
	lost map[string]bool // not ours any more: not to be removed
	held map[string]bool // ours already: not to be put
}

// attempt reads and plans a change. A nil change means that the outcome stands
// without a write.
type attempt func(ctx context.Context, m memory) (*change, Outcome, error)

// carryOut repeats plan and send until the change is written or a verdict stands. What
// was read may have changed since; then it is read again.
func (s *Service) carryOut(ctx context.Context, verb string, subject model.Subject, plan attempt) (Outcome, error) {
	out, err := s.rounds(ctx, subject, plan)
	if errors.Is(err, retry.ErrUndecided) {
		return Outcome{Verdict: Unknown}, nil
	}
	if err != nil {
		return Outcome{Verdict: Unknown}, fmt.Errorf("%s %s: %w", verb, subject, err)
	}
	return out, nil
}

func (s *Service) rounds(ctx context.Context, subject model.Subject, plan attempt) (Outcome, error) {
	m, w := memory{map[string]bool{}, map[string]bool{}}, s.waiter()
	for round := 1; ; round++ {
		out, err := s.round(ctx, subject, plan, m)
		if err == nil && out.Verdict != "" || err != nil && !errors.Is(err, errMoved) {
			return out, err
		}
		if round >= s.Patience.Most() {
			return Outcome{}, retry.ErrUndecided
		}
		if err := w.Pause(ctx, round); err != nil {
			return Outcome{}, err
		}
	}
}

// round plans and sends once. The zero Outcome means that the change is to be planned
// again.
func (s *Service) round(ctx context.Context, subject model.Subject, plan attempt, m memory) (Outcome, error) {
	c, out, err := plan(ctx, m)
	if err != nil || c == nil {
		return out, err
	}
	reply, err := s.waiter().commit(ctx, s.Store, c.actions)
	if err != nil || reply.Answer == model.Written {
		return c.outcome, err
	}
	return s.refused(ctx, subject, c, reply, m)
}

// refused reads the reasons one by one. The zero Outcome means that the change is to
// be planned again.
func (s *Service) refused(ctx context.Context, subject model.Subject, c *change, reply Reply, m memory) (Outcome, error) {
	failed := map[role]bool{}
	for i, met := range reply.Met {
		if met.Failed && i < len(c.roles) {
			failed[c.roles[i]] = true
		}
	}
	switch {
	case failed[ofGate]:
		return Outcome{Verdict: Gone}, nil
	case failed[ofProfile], failed[ofTombstone]:
		return Outcome{}, nil // what was read stands no longer
	case len(failed) == 0:
		return Outcome{}, errUnreasoned
	}
	var verdict Outcome
	for i, met := range reply.Met {
		if !met.Failed {
			continue
		}
		out, err := s.settle(ctx, subject, c, i, met.Old, m)
		if err != nil {
			return Outcome{}, err
		}
		if verdict.Verdict == "" {
			verdict = out
		}
	}
	return verdict, nil
}

// settle draws the conclusion from one failed action. The profile and the tombstone
// stand as they were read, so what names another life of this subject is left over
// from one that has ended.
func (s *Service) settle(ctx context.Context, subject model.Subject, c *change, i int, old item.Item, m memory) (Outcome, error) {
	k := c.actions[i].Key
	switch c.roles[i] {
	case ofRelease:
		m.lost[k.PK] = true
	case ofVersion:
		left, err := item.ProfileVersion(old)
		if err != nil {
			return Outcome{}, err
		}
		if left.Life == c.outcome.Profile.Life {
			return Outcome{}, fmt.Errorf("version %d: %w", left.Version, errVersion)
		}
		return Outcome{}, s.sweep(ctx, subject, left.Life, nil)
	case ofClaim:
		sentinel, err := item.Sentinel(old)
		switch {
		case err != nil:
			return Outcome{}, err
		case sentinel.Owner != subject:
			return Outcome{Verdict: Taken, Constraint: c.names[i]}, nil
		case c.outcome.Profile.Life == sentinel.Life:
			m.held[k.PK] = true
		default:
			return Outcome{}, s.release(ctx, subject, sentinel.Life, k.PK)
		}
	}
	return Outcome{}, nil
}
