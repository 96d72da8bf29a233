package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrNoRule says that no rule of that name stands.
var ErrNoRule = fmt.Errorf("no rule of that name: %w", errAsked)

// Why rules are removed: what their open alerts end with.
const (
	ruleRemoved = "its rule was removed"
	ruleChanged = "its rule was changed"
)

// AddRule makes a rule that begins now: for all subjects of its type, or for the one that
// it names. Where one of that name stands and tests the same, it is the answer; where it
// tests something else, the new one is its next revision, and the alerts that it leaves
// open end: asked again within an hour, it ends what is left of them. A rule that cannot
// be is answered with what is wrong with it.
func (s *Service) AddRule(ctx context.Context, draft model.Rule) (made model.Rule, wrong []model.FieldError, err error) {
	if wrong = s.check(&draft); wrong != nil {
		return draft, wrong, nil
	}
	if gone, err := s.gone(ctx, &draft); err != nil || gone {
		return draft, []model.FieldError{{Field: "subject", Code: CodeRuleGone, Message: "the subject is being purged: give it rules when that is done"}}, err
	}
	var p rulePlan
	err = s.insist(ctx, func(ctx context.Context) (model.Answer, error) {
		all, err := s.rulesOf(ctx, draft.SubjectType, draft.Subject)
		if err != nil {
			return model.Uncertain, err
		}
		if p = s.planRule(draft, all); len(p.puts) == 0 {
			return model.Written, nil
		}
		return s.Store.PutAll(ctx, p.puts)
	})
	s.forget(draft.SubjectType)
	if err != nil {
		return p.made, nil, fmt.Errorf("add rule %s: %w", draft.Name, err)
	}
	if p.replaced != nil {
		err = s.endAlertsOf(ctx, p.replaced)
	}
	return p.made, p.wrong, err
}

// rulePlan is what adding a rule comes to, by the rules that were read.
type rulePlan struct {
	made     model.Rule
	wrong    []model.FieldError
	replaced *model.Rule // the revision that stood until now, or not long ago; nil where none did
	puts     []table.Put // none where nothing is to be done
}

// planRule plans the next revision of a rule's name. The last one before it is not needed
// any more to count on from, and is left to expire, whether it stood or not.
func (s *Service) planRule(draft model.Rule, all []model.Rule) rulePlan {
	p := rulePlan{made: draft}
	p.made.From, p.made.Revision, p.made.RemovedAt, p.made.ExpiresAt = s.Now(), 1, 0, 0
	stand := 0
	var before []table.Put
	for i := range all {
		r := all[i]
		stands := r.RemovedAt == 0
		switch {
		case r.Name != draft.Name:
			if stands && r.Kind == draft.Kind {
				stand++
			}
			continue
		case stands && r.Same(&draft):
			return rulePlan{made: r, replaced: s.replacedBy(&r, all)}
		}
		p.made.Revision = max(p.made.Revision, r.Revision+1)
		read := r
		if stands {
			r.RemovedAt, r.RemovedBy, r.Reason = s.Now(), draft.By, ruleChanged
			p.replaced = &r
		}
		if r.ExpiresAt == 0 {
			r.ExpiresAt = s.Now().Add(tier.Day24).Seconds()
			before = append(before, putChanged(&r, &read))
		}
	}
	if stand >= MaxRules {
		return rulePlan{made: draft, wrong: []model.FieldError{{Field: "kind", Code: CodeTooManyRules,
			Message: fmt.Sprintf("%d rules stand for %s already: remove one", stand, draft.Kind)}}}
	}
	p.puts = append(before, table.Put{Item: item.FromRule(&p.made), When: table.Condition{{Op: table.Free}}})
	if draft.Subject != "" {
		p.puts = append(p.puts, table.Put{Item: item.OwnRules(draft.SubjectType, draft.Kind)})
	}
	return p
}

// replacedBy is the revision that one of a rule took the place of not long ago: whoever
// did that may not have come to end its alerts, or not have heard that it was done. nil
// where there is none.
func (s *Service) replacedBy(next *model.Rule, all []model.Rule) *model.Rule {
	at := slices.IndexFunc(all, func(r model.Rule) bool {
		return r.Name == next.Name && r.Revision == next.Revision-1 && r.Reason == ruleChanged && s.swept(&r)
	})
	if at < 0 {
		return nil
	}
	return &all[at]
}

// gone reports whether the one subject of a rule is being purged. A rule that is made in
// the moment in which a purge begins goes with it.
func (s *Service) gone(ctx context.Context, r *model.Rule) (bool, error) {
	if r.Subject == "" {
		return false, nil
	}
	gate, err := s.Store.GetItem(ctx, keys.Gate(model.Subject{Type: r.SubjectType, ID: r.Subject}))
	if err != nil {
		return false, fmt.Errorf("add rule %s: look at the subject's gate: %w", r.Name, err)
	}
	return gate != nil, nil
}

// putChanged stores a rule as it is now, on condition that it is as it was read.
func putChanged(r, read *model.Rule) table.Put {
	was := item.FromRule(read)[keys.AttrRule]
	return table.Put{Item: item.FromRule(r), When: table.Condition{{Op: table.Is, Attr: keys.AttrRule, Value: was}}}
}

// RemoveRule removes the rule of a name, and ends its open alerts. subject is "" for a
// rule of all subjects of the type. The error wraps ErrNoRule where none stands.
func (s *Service) RemoveRule(ctx context.Context, subjectType, subject, name, by string) (removed model.Rule, err error) {
	when := s.Now()
	done := func(r model.Rule) bool { return r.ID() == removed.ID() && r.RemovedAt == when && r.RemovedBy == by }
	err = s.insist(ctx, func(ctx context.Context) (model.Answer, error) {
		all, err := s.rulesOf(ctx, subjectType, subject)
		if err != nil {
			return model.Uncertain, err
		}
		if slices.ContainsFunc(all, done) { // by a request whose answer was lost
			return model.Written, nil
		}
		at := slices.IndexFunc(all, func(r model.Rule) bool { return r.RemovedAt == 0 && r.Name == name })
		if at < 0 {
			return model.Uncertain, ErrNoRule
		}
		removed = all[at]
		removed.RemovedAt, removed.RemovedBy, removed.Reason = when, by, ruleRemoved
		return s.Store.PutAll(ctx, []table.Put{putChanged(&removed, &all[at])})
	})
	s.forget(subjectType)
	if err != nil {
		return removed, fmt.Errorf("remove rule %s: %w", name, err)
	}
	return removed, s.endAlertsOf(ctx, &removed)
}

// Rules are those that stand: for all subjects of a type, or a subject's own.
func (s *Service) Rules(ctx context.Context, subjectType, subject string) ([]model.Rule, error) {
	all, err := s.rulesOf(ctx, subjectType, subject)
	return slices.DeleteFunc(all, func(r model.Rule) bool { return r.RemovedAt != 0 }), err
}

// rulesOf are those that stand and those that were removed not long ago.
func (s *Service) rulesOf(ctx context.Context, subjectType, subject string) (all []model.Rule, err error) {
	if subject == "" {
		b, err := s.readBook(ctx, subjectType)
		if err != nil {
			return nil, err
		}
		return b.rules, nil
	}
	of := keys.SubjectPartition(model.Subject{Type: subjectType, ID: subject})
	err = s.eachItem(ctx, table.Listing{Partition: of, Prefix: keys.RulePrefix}, func(it item.Item) (bool, error) {
		if r, err := item.Rule(it); err == nil {
			all = append(all, r)
		} else if !errors.Is(err, keys.ErrForeign) {
			return false, err
		}
		return true, nil
	})
	return all, err
}

// endAlertsOf ends what a removed rule leaves open. A subject's own rules are read with
// the state that they advance: a look at each of its series has every look that read the
// rule before lose. The rules of a type may be taken to stand for a while: those who
// take them so are swept up after.
func (s *Service) endAlertsOf(ctx context.Context, r *model.Rule) error {
	if r.Subject == "" {
		_, err := s.sweep(ctx, r)
		return err
	}
	subject := model.Subject{Type: r.SubjectType, ID: r.Subject}
	currents := table.Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.CurrentPrefix}
	return s.eachItem(ctx, currents, func(it item.Item) (bool, error) {
		series, err := keys.ParseCurrent(it.Key())
		if err != nil || !r.Of(series) {
			return true, nil
		}
		l := &look{Service: s, series: series, book: &book{}, always: true}
		return true, l.run(ctx)
	})
}

// sweptFor is how long the alerts of a removed rule are looked for: longer than anybody
// can take it to stand, by what it read and a whole invocation.
const sweptFor = time.Hour

// swept reports whether the alerts of a rule are looked for because it was removed.
func (s *Service) swept(r *model.Rule) bool {
	return r.RemovedAt != 0 && s.Now() < r.RemovedAt.Add(sweptFor)
}

// SweepRemoved ends the alerts that were opened by rules which had just been removed, and
// answers how many.
func (s *Service) SweepRemoved(ctx context.Context) (ended int, err error) {
	for _, of := range s.Catalog.Subjects() {
		b, failure := s.bookOf(ctx, of.Name, true)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		for i := range b.rules {
			if r := &b.rules[i]; s.swept(r) {
				n, failure := s.sweep(ctx, r)
				ended, err = ended+n, errors.Join(err, failure)
			}
		}
	}
	return ended, err
}

// sweep ends the open alerts of a removed rule of a subject type.
func (s *Service) sweep(ctx context.Context, r *model.Rule) (ended int, _ error) {
	for shard := range indexShards {
		open := table.Listing{Index: keys.IndexGSI1, Partition: keys.OpenPartition(r.Severity, shard)}
		err := s.eachItem(ctx, open, func(it item.Item) (bool, error) {
			a, err := item.Alert(it)
			if err != nil || a.Rule != r.ID() || !r.Of(a.Series) {
				return true, nil
			}
			_, err = s.byHand(ctx, "end", a.Series.Subject, a.ID, func(a *model.Alert) (model.AlertChange, bool) {
				if a.Status() != model.AlertOpen {
					return "", false
				}
				a.Ended = &model.Ending{At: r.RemovedAt, Reason: r.Reason}
				ended++
				return model.AlertEnded, true
			})
			return true, err
		})
		if err != nil {
			return ended, fmt.Errorf("end the alerts of rule %s: %w", r.ID(), err)
		}
	}
	return ended, nil
}
