package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const retryLong = `Try again what is in quarantine: an observation goes through admission and append, by
the tidemark.yaml of now; a record of the table stream is read and its buckets are
looked at. What is taken in is removed; what is rejected again stays, and the reason of
now is told. Trying again is always safe: what was taken in before is a duplicate.

Exit status: 0 all taken in; 1 some stay; 2 asked wrongly; 3 could not be done.`

const retryExample = `  tidemark quarantine retry 5f1d4c0c2b8d4f9e
  tidemark quarantine retry --all --door iot --kind READING
  tidemark quarantine retry --all --dry-run`

type retryFlags struct {
	quarantineFlags
	kind        string
	all, dryRun bool
}

func quarantineRetryCommand(to *connection) *cobra.Command {
	var flags retryFlags
	cmd := &cobra.Command{
		Use:     "retry [ID…]",
		Short:   "Try to take them in again; what is taken in is removed",
		Long:    retryLong,
		Example: retryExample,
		Args:    asUsage(cobra.ArbitraryArgs),
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of messages that name none (default: the first that is declared)")
	cmd.Flags().BoolVar(&flags.all, "all", false, "all that --subject and --door leave")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "say what would be tried")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		if (len(ids) > 0) == flags.all {
			return usagef("retry what? want ids, or --all")
		}
		return retryAll(cmd, to, flags, ids)
	}
	return cmd
}

func retryAll(cmd *cobra.Command, to *connection, flags retryFlags, ids []string) error {
	table, kinds, all, err := openQuarantine(cmd, to, flags.quarantineFlags, ids)
	if err != nil {
		return err
	}
	if flags.dryRun {
		listQuarantine(cmd.OutOrStdout(), all)
		return nil
	}
	again, err := newRetrier(to, table, kinds, flags.kind)
	if err != nil {
		return err
	}
	stay := 0
	for i := range all {
		k := &all[i]
		told, err := again.retry(cmd.Context(), k)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		if err == nil {
			err = table.DeleteItem(cmd.Context(), k.key)
		}
		if err != nil {
			stay++
			told = "stays: " + err.Error()
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s %s: %s\n", printable(k.Door), printable(k.ID), printable(told))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s taken in and removed, %s stay\n", grouped(len(all)-stay), grouped(stay))
	if stay > 0 {
		return checkFailed
	}
	return nil
}

// retrier takes things in again by the door they came by.
type retrier struct {
	service *ingest.Service
	agg     *aggregate.Aggregator
	kinds   *catalog.Catalog
	limit   int    // observations of one payload
	kind    string // of messages that name none
}

func newRetrier(to *connection, table *dynamo.Table, kinds *catalog.Catalog, kind string) (*retrier, error) {
	settings, err := to.settings()
	if err != nil {
		return nil, err
	}
	fallback, err := findKind(kinds, kind)
	if err != nil {
		return nil, err
	}
	return &retrier{
		service: &ingest.Service{Store: table, Gates: table, Limits: settings.Limits, Now: wallClock, Rand: rand.Reader},
		agg:     &aggregate.Aggregator{Store: table, Quarantine: noQuarantine{}, Catalog: kinds, Now: wallClock},
		kinds:   kinds, limit: settings.Limits.Observations, kind: fallback.Name,
	}, nil
}

// noQuarantine refuses: what is tried again lies in quarantine already.
type noQuarantine struct{}

func (noQuarantine) Quarantine(context.Context, model.Quarantined) (model.Answer, error) {
	return model.Refused, errors.New("it cannot be settled yet")
}

// retry says what came of it; an error says why it stays.
func (r *retrier) retry(ctx context.Context, k *kept) (string, error) {
	switch {
	case k.damaged != nil:
		return "", k.damaged
	case k.Door == aggregate.StreamDoor:
		return r.record(ctx, k)
	default:
		return r.observation(ctx, k)
	}
}

// observation appends what came in by an asynchronous door. A subject that the door
// itself knew stands with the thing, not in its payload.
func (r *retrier) observation(ctx context.Context, k *kept) (string, error) {
	var verdicts []string
	for _, m := range envelope.FromRule(k.Payload, "quarantine/"+k.ID, r.kind, r.limit) {
		kind, known := r.kinds.Kind(m.Kind)
		if !known {
			return "", fmt.Errorf("no kind is named %q: declare it in tidemark.yaml, or name one by --kind", m.Kind)
		}
		if m.Subject == "" && k.Subject.Type == kind.Subject.Name {
			m.Subject = k.Subject.ID
		}
		outcomes, err := r.service.Append(ctx, kind, m.Observation)
		if err != nil {
			return "", err
		}
		o := outcomes[0]
		if !taken(o.Verdict) {
			return "", fmt.Errorf("%s%s", o.Verdict, reasons(o.Errors))
		}
		verdicts = append(verdicts, string(o.Verdict))
	}
	return strings.Join(slices.Compact(verdicts), ", "), nil
}

// taken reports whether a verdict leaves nothing to do.
func taken(v model.Verdict) bool {
	return slices.Contains([]model.Verdict{model.Applied, model.Late, model.Stale, model.Duplicate}, v)
}

func reasons(errs []model.FieldError) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(": " + e.Error())
	}
	return b.String()
}

// record settles a record of the table stream.
func (r *retrier) record(ctx context.Context, k *kept) (string, error) {
	changes, err := r.changes(k)
	if err != nil {
		return "", err
	}
	if report := r.agg.Redrive(ctx, changes); len(report.Failures) > 0 {
		return "", report.Failures[0].Err
	}
	return fmt.Sprintf("settled %d changes", len(changes)), nil
}

// changes reads a record as the function does, or the identity that is kept of one
// whose kind was not declared when it came.
func (r *retrier) changes(k *kept) ([]model.Change, error) {
	var decoder envelope.StreamDecoder
	batch, err := decoder.Decode([]byte(`{"Records":[` + string(k.Payload) + `]}`))
	if err != nil {
		return nil, err
	}
	if len(batch.Changes) > 0 {
		return batch.Changes, nil
	}
	if change, ok := r.stranger(k.Payload); ok {
		return []model.Change{change}, nil
	}
	if len(batch.Poison) > 0 {
		return nil, errors.New(batch.Poison[0].Reason)
	}
	return nil, errors.New("the record is of no event")
}

// stranger is a change of which only the identity is kept: taken for more than an
// insert, so that its buckets are written whatever they hold.
func (r *retrier) stranger(payload []byte) (model.Change, bool) {
	var in struct{ Subject, Kind, Stream, Time, ID string }
	if json.Unmarshal(payload, &in) != nil {
		return model.Change{}, false
	}
	at, err := model.ParseStored(in.Time)
	kind, known := r.kinds.Kind(in.Kind)
	_, id, cut := strings.Cut(in.Subject, "/")
	if err != nil || !cut || in.Kind == "" {
		return model.Change{}, false
	}
	order := model.Order{At: at, ID: in.ID}
	series := model.Series{Kind: in.Kind} // still unknown: it stays
	if known {
		series = kind.Series(id, in.Stream, order)
	}
	return model.Change{What: model.Corrected, Key: model.EventKey{Series: series, Order: order}}, true
}
