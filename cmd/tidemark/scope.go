package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// scopeFlags say which part of the table a check or a repair is about, beside its
// argument.
type scopeFlags struct{ subject, from, to, tier string }

// scope is that part: the zero subject is all of them, the zero tier every tier.
type scope struct {
	subject model.Subject
	asked   span
	tier    tier.Unit
}

func (f *scopeFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "", "first `time` of the range: RFC 3339, or a date")
	cmd.Flags().StringVar(&f.to, "to", "", "`time` the range ends before")
}

// parse reads the flags; args may name the subject.
func (f scopeFlags) parse(kinds *catalog.Catalog, args []string) (s scope, err error) {
	if s.asked.from, err = parseWhen("from", f.from, model.MinTime); err != nil {
		return s, err
	}
	if s.asked.to, err = parseWhen("to", f.to, model.MaxTime); err != nil {
		return s, err
	}
	if s.asked.from >= s.asked.to {
		return s, usagef("--from %s --to %s: the range holds no time: --to comes after --from", s.asked.from, s.asked.to)
	}
	if f.tier != "" {
		if s.tier, err = tier.ParseUnit(f.tier); err != nil {
			return s, usagef("--tier: %v", err)
		}
	}
	if len(args) > 0 {
		f.subject = args[0]
	}
	if f.subject != "" {
		if s.subject, err = findSubject(f.subject, kinds); err != nil {
			return s, err
		}
	}
	return s, s.checkTier(kinds)
}

// checkTier refuses a tier that no kind of what is meant has: nothing would be looked at.
func (s scope) checkTier(kinds *catalog.Catalog) error {
	if s.tier == 0 {
		return nil
	}
	for _, k := range kinds.Kinds {
		if _, _, has := k.Ladder.Find(s.tier); has && (s.subject.Type == "" || s.subject.Type == k.Subject.Name) {
			return nil
		}
	}
	return usagef("--tier %s: no kind here has that tier: want one of its ladder", s.tier)
}

// wallClock is the clock of every command.
func wallClock() model.Time { return model.TimeOf(time.Now()) }

// openRepair is the table, the kinds, and what looks again at buckets of them: the
// very rule that deploys.
func openRepair(cmd *cobra.Command, to *connection) (*dynamo.Table, *catalog.Catalog, *aggregate.Aggregator, error) {
	table, err := to.openTable(cmd.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	kinds, err := to.catalog()
	if err != nil {
		return nil, nil, nil, err
	}
	return table, kinds, &aggregate.Aggregator{Store: table, Quarantine: table, Catalog: kinds, Now: wallClock}, nil
}
