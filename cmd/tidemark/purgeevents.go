package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// removeEvents removes events of one series, or with --where of all series of the subject, shard by shard.
func (f *purgeFlags) removeEvents(cmd *cobra.Command, to *connection, purger *lifecycle.Purger,
	table *dynamo.Table, subject model.Subject) error {
	_, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	selection := lifecycle.EventSelection{Catalog: kinds, Latest: table, DryRun: f.dryRun,
		Queue: queue.NewWriter(table, kinds), OnUnqueued: ingest.PrintUnqueued(cmd.ErrOrStderr())}
	if selection.From, selection.To, err = arguments.Range(f.from, f.to); err != nil {
		return err
	}
	if selection.Where, err = conditions(f.where); err != nil {
		return err
	}
	if cmd.Flags().Changed("id") {
		selection.ID = &f.id
	}
	all, err := f.seriesToSearch(cmd, table, kinds, subject)
	if err != nil {
		return err
	}
	total, err := eraseEvents(cmd.Context(), purger, table, selection, all)
	if err != nil {
		return err
	}
	if len(f.where) > 0 && total.WithFields == 0 && total.Unreadable == 0 {
		return no(cmd.ErrOrStderr(), "no stored event has the fields of --where: look at the names, for "+
			"example with tidemark history")
	}
	printing.Erased(cmd.OutOrStdout(), total, f.dryRun)
	if f.dryRun {
		return nil
	}
	progress, err := query.TableProgress(cmd.Context(), table, kinds)
	if err != nil {
		return fmt.Errorf("the events are deleted; how far the rollups follow is not known: %w", err)
	}
	printing.ErasedBehind(cmd.ErrOrStderr(), subject, progress, wallClock())
	if len(f.where) == 0 {
		return nil
	}
	return f.checkErased(cmd, purger, table, selection, all)
}

// checkErased reads the events again after a removal, and prints where copies remain.
func (f *purgeFlags) checkErased(cmd *cobra.Command, purger *lifecycle.Purger, table *dynamo.Table,
	selection lifecycle.EventSelection, all []model.Series) error {
	selection.DryRun = true
	left, err := eraseEvents(cmd.Context(), purger, table, selection, all)
	if err != nil {
		return err
	}
	printing.Copies(cmd.OutOrStdout(), purger.EventCopies())
	switch {
	case left.Deleted > 0:
		return no(cmd.ErrOrStderr(), "%d such events arrived meanwhile: run the command again", left.Deleted)
	case left.Unreadable > 0:
		return no(cmd.ErrOrStderr(), "%d events that cannot be decoded may meet the condition, and are left: "+
			"tidemark verify names them", left.Unreadable)
	}
	return nil
}

// seriesToSearch returns the stored series, with shards, of which events are removed.
func (f *purgeFlags) seriesToSearch(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog,
	subject model.Subject) (all []model.Series, err error) {
	var names []string
	if f.kind != "" {
		names = []string{f.kind}
	}
	chosen, err := arguments.Kinds(kinds, subject, names)
	if err != nil {
		return nil, err
	}
	if len(f.where) == 0 {
		return chosen[0].ShardSeries(model.Series{Subject: subject, Kind: chosen[0].Name, Stream: f.stream}), nil
	}
	stored, err := tablescan.Series(cmd.Context(), table, kinds, subject)
	for _, s := range stored {
		i := slices.IndexFunc(chosen, func(k *catalog.Kind) bool { return k.Name == s.Kind })
		if i >= 0 && chosen[i].HasEvents() && (!cmd.Flags().Changed("stream") || s.Stream == f.stream) {
			all = append(all, chosen[i].ShardSeries(s)...)
		}
	}
	return all, err
}

func eraseEvents(
	ctx context.Context, purger *lifecycle.Purger, table *dynamo.Table, selection lifecycle.EventSelection,
	all []model.Series,
) (total lifecycle.EraseResult, err error) {
	for _, selection.Series = range all {
		done, err := purger.EraseEvents(ctx, table, selection)
		total.Add(done)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// hideValue removes a value from the rollups of the subject.
func (f *purgeFlags) hideValue(cmd *cobra.Command, to *connection, purger *lifecycle.Purger,
	subject model.Subject) error {
	field, value, ok := strings.Cut(f.value, "=")
	if !ok || field == "" {
		return usagef("--value %s: want field=value, such as path=/reset/abc", f.value)
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	selection := hidevalue.Selection{Subject: subject, Field: field, Value: value, DryRun: f.dryRun}
	if f.kind != "" {
		chosen, err := arguments.Kinds(kinds, subject, []string{f.kind})
		if err != nil {
			return err
		}
		selection.Kind = chosen[0].Name
	}
	hider := &hidevalue.Hider{Table: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader}
	report, err := hider.Hide(cmd.Context(), selection, new(hidevalue.Position))
	if errors.Is(err, hidevalue.ErrNoDimension) {
		return usagef("--value %s: %v", f.value, err)
	}
	if err != nil {
		return err
	}
	if f.dryRun || !report.Stored() {
		printing.Hidden(cmd.OutOrStdout(), report, f.dryRun)
		groups := lists.Map(report.Groups, func(s model.Subject) string {
			return arguments.SubjectText(s, kinds)
		})
		printing.HiddenGroups(cmd.OutOrStdout(), groups, report.AllGroups)
	}
	return f.resultOfHiding(cmd, purger, report)
}

// resultOfHiding returns why the value was not removed, or prints where copies of it remain.
func (f *purgeFlags) resultOfHiding(cmd *cobra.Command, purger *lifecycle.Purger, r hidevalue.Report) error {
	switch {
	case r.Shares > 0:
		return no(cmd.ErrOrStderr(), "%d buckets of members have the value, and are folded from stored "+
			"events: remove these events from the members first, with --where, and wait until that is "+
			"processed", r.Shares)
	case r.Events > 0:
		return no(cmd.ErrOrStderr(), "%d stored events have the value, and rollups follow events: remove them "+
			"first, with --where", r.Events)
	case r.Unreadable > 0:
		return no(cmd.ErrOrStderr(), "%d stored events cannot be decoded, and may have the value: see "+
			"tidemark verify", r.Unreadable)
	case !f.dryRun:
		printing.Copies(cmd.OutOrStdout(), purger.EventCopies())
	}
	return nil
}
