package alert

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// rulePlan is what AddRule has to do, given the stored rules.
type rulePlan struct {
	rule     entity.Rule
	errors   []model.FieldError
	replaced *entity.Rule // the revision whose alerts must end; nil if there is none
	puts     []table.Put  // empty if nothing has to be written
}

// planRule plans the next revision of a rule. Only the last revision of a name is needed
// to number the next one, so the plan lets the earlier revision expire.
func (s *Service) planRule(draft entity.Rule, all []entity.Rule) rulePlan {
	p := rulePlan{rule: draft}
	p.rule.Revision, p.rule.RemovedAt, p.rule.ExpiresAt = 1, 0, 0
	others := 0
	var before []table.Put
	for i := range all {
		r := all[i]
		active := r.RemovedAt == 0
		switch {
		case r.Name != draft.Name:
			if active && r.Kind == draft.Kind {
				others++
			}
			continue
		case active && r.Equal(&draft):
			return rulePlan{rule: r, replaced: s.replacedBy(&r, all)}
		}
		p.rule.Revision = max(p.rule.Revision, r.Revision+1)
		read := r
		if active {
			r.RemovedAt, r.RemovedBy, r.Reason = s.Now(), draft.By, ruleChanged
			p.replaced = &r
		}
		if r.ExpiresAt == 0 {
			r.ExpiresAt = s.Now().Add(tier.Day24).Seconds()
			before = append(before, putIfUnchanged(&r, &read))
		}
	}
	if others >= MaxRules {
		return rulePlan{rule: draft, errors: []model.FieldError{{Field: "kind", Code: CodeTooManyRules,
			Message: fmt.Sprintf("%s has %d rules already: remove one", draft.Kind, others)}}}
	}
	p.puts = append(before, table.Put{Item: item.FromRule(&p.rule), Precondition: table.Precondition{{Op: table.ItemAbsent}}})
	if draft.Subject != "" {
		p.puts = append(p.puts, table.Put{Item: item.OwnRules(draft.SubjectType, draft.Kind)})
	}
	return p
}

// replacedBy returns the revision that a rule replaced recently, or nil if there is none.
// The process that replaced it may have stopped before it ended the alerts.
func (s *Service) replacedBy(next *entity.Rule, all []entity.Rule) *entity.Rule {
	at := slices.IndexFunc(all, func(r entity.Rule) bool {
		return r.Name == next.Name && r.Revision == next.Revision-1 && r.Reason == ruleChanged && s.recentlyRemoved(&r)
	})
	if at < 0 {
		return nil
	}
	return &all[at]
}

// putIfUnchanged writes a rule on the condition that it is stored as it was read.
func putIfUnchanged(r, read *entity.Rule) table.Put {
	was := item.FromRule(read)[tablekeys.AttrRule]
	return table.Put{Item: item.FromRule(r), Precondition: table.Precondition{{Op: table.AttrEquals, Attr: tablekeys.AttrRule, Value: was}}}
}
