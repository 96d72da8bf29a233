package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// scopeFlags select the part of the table to verify or rebuild, in addition to the argument.
type scopeFlags struct{ subject, from, to, tier string }

// register adds the flags of the range.
func (f *scopeFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "",
		"first `time` of the range, such as 2026-11-01 or 2026-11-01T14:00:00Z")
	cmd.Flags().StringVar(&f.to, "to", "", "`time` at which the range ends, exclusive")
}

// parse returns the scope that the flags select; an argument names the subject.
func (f scopeFlags) parse(kinds *catalog.Catalog, args []string) (s verify.Scope, err error) {
	if s.Span.From, err = arguments.Time("from", f.from, model.MinTime); err != nil {
		return s, err
	}
	if s.Span.To, err = arguments.Time("to", f.to, model.MaxTime); err != nil {
		return s, err
	}
	if s.Span.From >= s.Span.To {
		return s, usagef("--from %s --to %s: the range is empty: --to must be later than --from", s.Span.From,
			s.Span.To)
	}
	if f.tier != "" {
		if s.Tier, err = names.Tier(f.tier); err != nil {
			return s, err
		}
	}
	if len(args) > 0 {
		f.subject = args[0]
	}
	if f.subject != "" {
		if s.Subject, err = arguments.Subject(f.subject, kinds); err != nil {
			return s, err
		}
	}
	if err := s.CheckTier(kinds); err != nil {
		return s, usagef("--tier: %w", err)
	}
	return s, nil
}

// wallClock is the clock of every command: of the dev that runs it or that it works on, else the machine's.
var wallClock = func() model.Time { return model.NewTime(clock.FromEnv().Now()) }

// openRepair returns the table, the catalog and an aggregator that recomputes buckets by
// the same rules as the deployed function.
func openRepair(cmd *cobra.Command,
	to *connection) (*dynamo.Table, *catalog.Catalog, *aggregate.Aggregator, error) {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	return table, kinds,
		&aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: wallClock}, nil
}

// showSteps returns a callback that shows the steps of a long run, and one that ends the display.
func showSteps(cmd *cobra.Command) (show func(verify.Step), done func()) {
	phases := terminal.NewPhases(cmd.ErrOrStderr())
	return func(s verify.Step) { phases.Add(s.Phase, s.Unit, s.Added, s.Total) }, phases.Done
}

// repairError makes an error of usage of what the user can correct.
func repairError(err error) error {
	if e := (*repair.UndeclaredKindError)(nil); errors.As(err, &e) {
		return usagef("%s: %s", e.Series, printing.UndeclaredKind)
	}
	return err
}
