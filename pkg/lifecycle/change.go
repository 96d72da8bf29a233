package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// role is what an action of a change requires. It determines what a failed precondition of the action means.
type role int

const (
	roleProfile   role = iota // the profile is as it was read
	roleTombstone             // the tombstone is as it was read
	rolePurgeLock             // the subject is not being purged
	roleVersion               // the version does not exist yet
	roleClaim                 // the unique value is free
	roleRelease               // the subject holds the sentinel
	roleGroups                // the log of groups is as it was read
	roleListed                // nothing: the entry in the list of series is written in any case
)

// change is one transaction while it is being built.
type change struct {
	actions []itemop.Action
	roles   []role
	names   []string // for a claim, the name of the constraint
	result  Result   // the result if the transaction is written
}

func (c *change) add(r role, a itemop.Action) { c.addNamed(r, "", a) }

func (c *change) addNamed(r role, name string, a itemop.Action) {
	c.actions = append(c.actions, a)
	c.roles = append(c.roles, r)
	c.names = append(c.names, name)
}

// addPurgeLockCheck makes the change fail while the subject has a purge lock.
func (c *change) addPurgeLockCheck(s model.Subject) {
	c.add(rolePurgeLock,
		itemop.Action{Key: tablekeys.PurgeLock(s), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}})
}

// addListed adds the entry that lists a subject because of its profile.
func (c *change) addListed(p *model.Profile) {
	it := item.FromListedSeries(listed(p))
	c.add(roleListed, itemop.Action{Key: it.Key(), Put: it})
}

// addUnlisted removes the entry.
func (c *change) addUnlisted(p *model.Profile) {
	c.add(roleListed, itemop.Action{Key: tablekeys.SeriesEntry(listed(p).Series), Delete: true})
}

// longestName is how much of a name the list of series has, in characters: people find subjects by it.
const longestName = 100

// listed returns the entry of a profile in the list of series. It has the field name, if that is a text.
func listed(p *model.Profile) storage.ListedSeries {
	l := storage.ListedSeries{Series: model.Series{Subject: p.Subject}}
	if name, has := p.Attrs.Get("name"); has && name.Kind == model.Text {
		runes := []rune(name.Text)
		l.Name = string(runes[:min(len(runes), longestName)])
	}
	return l
}

// unchangedProfile returns the precondition that the stored profile or tombstone is still as p was read.
func unchangedProfile(p *model.Profile) itemop.Precondition {
	when := itemop.Precondition{{Op: itemop.ItemExists}}
	if p.Version == 0 {
		when = append(when, itemop.Requirement{Op: itemop.AttrAbsent, Attr: tablekeys.AttrProfileVersion})
	} else {
		when = append(when, itemop.Requirement{Op: itemop.AttrEquals, Attr: tablekeys.AttrProfileVersion,
			Value: item.Number(p.Version)})
	}
	if p.Generation == (model.Generation{}) {
		return append(when, itemop.Requirement{Op: itemop.AttrAbsent, Attr: tablekeys.AttrGeneration})
	}
	return append(when, hasGeneration(p.Generation))
}

// hasGeneration requires that an item belongs to a generation of its subject.
func hasGeneration(g model.Generation) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrEquals, Attr: tablekeys.AttrGeneration,
		Value: item.Value{Type: item.B, B: g[:]}}
}

// sentinelState is what the failed attempts of one change found out about sentinels, by partition key.
type sentinelState struct {
	notOurs     map[string]bool // no longer held by the subject: must not be removed
	alreadyOurs map[string]bool // held by the subject already: need not be written
}

// planFunc reads the current state and plans a change. If it returns a nil change, the
// result is final without a write.
type planFunc func(ctx context.Context, known sentinelState) (*change, Result, error)

// execute plans and commits until the change is written or its outcome is known. If the
// state changes between the read and the commit, it plans again.
func (s *Service) execute(ctx context.Context, verb string, subject model.Subject,
	plan planFunc) (Result, error) {
	out, err := s.executeUntilDecided(ctx, subject, plan)
	if isChanged(err) { // until the attempts ran out
		err = fmt.Errorf("%w: %w", retry.ErrUndecided, err)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s %s: %w", verb, subject, err)
	}
	return out, nil
}

func (s *Service) executeUntilDecided(ctx context.Context, subject model.Subject,
	plan planFunc) (out Result, _ error) {
	known := sentinelState{map[string]bool{}, map[string]bool{}}
	err := s.retrier().UntilWritten(ctx, isChanged, func(ctx context.Context) (storage.WriteResult, error) {
		var err error
		if out, err = s.executeOnce(ctx, subject, plan, known); err == nil && out.Outcome == "" {
			return storage.ConditionFailed, nil
		}
		return storage.Written, err
	})
	return out, err
}

func isChanged(err error) bool { return errors.Is(err, errChanged) }

// executeOnce plans and commits once. The zero Result means that the change must be planned again.
func (s *Service) executeOnce(ctx context.Context, subject model.Subject, plan planFunc,
	known sentinelState) (Result, error) {
	c, out, err := plan(ctx, known)
	if err != nil || c == nil {
		return out, err
	}
	got, err := s.retrier().commit(ctx, s.Store, c.actions)
	if err != nil || got.Result == storage.Written {
		return c.result, err
	}
	return s.resolveFailure(ctx, subject, c, got, known)
}

// resolveFailure determines the result from the actions whose preconditions failed. The
// zero Result means that the change must be planned again.
func (s *Service) resolveFailure(ctx context.Context, subject model.Subject, c *change,
	got itemop.TransactResult, known sentinelState) (Result, error) {
	failed := map[role]bool{}
	for i, one := range got.Items {
		if one.Failed && i < len(c.roles) {
			failed[c.roles[i]] = true
		}
	}
	switch {
	case failed[rolePurgeLock]:
		return Result{Outcome: Gone}, nil
	case failed[roleProfile], failed[roleTombstone], failed[roleGroups]:
		return Result{}, nil // the state has changed since it was read
	case len(failed) == 0:
		return Result{}, errNoFailedCondition
	}
	var first Result
	for i, one := range got.Items {
		if !one.Failed {
			continue
		}
		out, err := s.resolveAction(ctx, subject, c, i, one.Old, known)
		if err != nil {
			return Result{}, err
		}
		if first.Outcome == "" {
			first = out
		}
	}
	return first, nil
}

// resolveAction handles one failed action. The profile and the tombstone are as they were read. So an item of
// this subject with another generation is a leftover of a generation that has ended, and can be removed.
func (s *Service) resolveAction(ctx context.Context, subject model.Subject, c *change, i int, old item.Item,
	known sentinelState) (Result, error) {
	k := c.actions[i].Key
	switch c.roles[i] {
	case roleRelease:
		known.notOurs[k.PK] = true
	case roleVersion:
		left, err := item.ProfileVersion(old)
		if err != nil {
			return Result{}, err
		}
		if left.Generation == c.result.Profile.Generation {
			return Result{}, fmt.Errorf("version %d: %w", left.Version, errVersionExists)
		}
		return Result{}, s.removeGeneration(ctx, subject, left.Generation, nil)
	case roleClaim:
		sentinel, err := item.Sentinel(old)
		switch {
		case err != nil:
			return Result{}, err
		case sentinel.Owner != subject:
			return Result{Outcome: Taken, Constraint: c.names[i]}, nil
		case c.result.Profile.Generation == sentinel.Generation:
			known.alreadyOurs[k.PK] = true
		default:
			return Result{}, s.releaseSentinel(ctx, subject, sentinel.Generation, k.PK)
		}
	}
	return Result{}, nil
}
