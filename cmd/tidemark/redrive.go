package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const redriveLong = `Settle the batches that the mappings gave up: each message of the on-failure queue names
a range of the table stream, which is read again and looked at as if it had come now,
by aggregate's rules and by purge's. It is safe at any time, twice, and beside live
traffic. A message is removed when its range is settled, and stays otherwise.

A table stream remembers 24 hours. A range that is gone is mended by its time: the
table is scanned, and every bucket is looked at that an event came to at that time, or
of which the digest is wrong ("tidemark rebuild --gap"). What it cannot know: that an
event was deleted or corrected whose row is sealed, or that an alert hangs on; and that
a tombstone expired, whose versions and unique values then stay until its subject is
created again or purged.

Do that before the raw events of the range expire; the date is printed. After it, all
buckets of the finest tier in the range are marked exact: false.

Without --queue or --file it reads the on-failure file of a "tidemark dev" in this
directory.

Exit status: 0 all settled, or nothing to do; 1 a dry run found something to do; 2 asked
wrongly; 3 could not be done, the messages that are left stay.`

const redriveExample = `  tidemark redrive --queue https://sqs.eu-west-1.amazonaws.com/123456789012/OnFailureQueue
  tidemark redrive --dry-run
  tidemark redrive --file .tidemark/on-failure.ndjson`

type redriveFlags struct {
	queue, file string
	dryRun      bool
}

func redriveCommand(to *connection) *cobra.Command {
	var flags redriveFlags
	cmd := &cobra.Command{
		Use:     "redrive",
		Short:   "Settle the batches that the mappings gave up",
		Long:    redriveLong,
		Example: redriveExample,
		Args:    asUsage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return redrive(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.queue, "queue", "", "`URL` of the on-failure queue (output OnFailureQueueUrl of the stack)")
	cmd.Flags().StringVar(&flags.file, "file", "", "`path` of an on-failure file")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "settle and remove nothing, say what there is to do")
	return cmd
}

// failures is where given-up ranges wait.
type failures interface {
	// receive hands out messages not yet handed out; none when there are no more.
	receive(ctx context.Context) ([]message, error)
	// remove takes a message away, for good.
	remove(ctx context.Context, m message) error
	// close gives back what was handed out and not removed.
	close() error
}

// message is one given-up range, as it waits.
type message struct {
	id     string // names it for people
	handle string // names it to where it waits
	body   []byte
}

func openFailures(ctx context.Context, to *connection, flags redriveFlags) (failures, error) {
	switch {
	case flags.queue != "" && flags.file != "":
		return nil, usagef("--queue and --file: want one of them")
	case flags.queue != "":
		return openQueue(ctx, to, flags.queue, flags.dryRun)
	case flags.file != "":
		return openFailureFile(flags.file, flags.dryRun)
	}
	return openFailureFile(filepath.Join(devDir, "on-failure.ndjson"), flags.dryRun)
}

func redrive(cmd *cobra.Command, to *connection, flags redriveFlags) (err error) {
	ctx := cmd.Context()
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	source, err := openFailures(ctx, to, flags)
	if err != nil {
		return err
	}
	defer func() {
		if closed := source.close(); err == nil {
			err = closed
		}
	}()
	streams, err := openStreams(ctx, to)
	if err != nil {
		return err
	}
	r := &redriver{
		cmd: cmd, out: cmd.OutOrStdout(), table: table, kinds: kinds, agg: agg,
		alerts: &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader},
		life:   &lifecycle.Service{Store: table, Profile: kinds.Profile, Now: wallClock, Rand: rand.Reader},
		source: source, streams: streams, dryRun: flags.dryRun,
	}
	return r.run(ctx)
}

// redriver settles given-up ranges.
type redriver struct {
	cmd     *cobra.Command
	out     io.Writer
	table   *dynamo.Table
	kinds   *catalog.Catalog
	agg     *aggregate.Aggregator
	alerts  *alert.Service
	life    *lifecycle.Service
	source  failures
	streams rangeReader
	dryRun  bool

	settled int
	found   int       // messages there were
	trimmed []trimmed // ranges that the table stream has forgotten
	broken  []error
}

// rangeReader reads what a table stream still has of a range; errTrimmed says that it
// has forgotten some of it.
type rangeReader interface {
	read(ctx context.Context, g envelope.GivenUp, take func(rangePage) error) error
}

var errTrimmed = errors.New("the table stream has forgotten it")

func (r *redriver) run(ctx context.Context) error {
	for {
		messages, err := r.source.receive(ctx)
		if err != nil {
			return fmt.Errorf("receive given-up ranges: %w", err)
		}
		if len(messages) == 0 {
			break
		}
		for _, m := range messages {
			if err := r.one(ctx, m); err != nil {
				return err
			}
		}
	}
	if err := r.mendTrimmed(ctx); err != nil {
		return err
	}
	return r.verdict()
}

// one settles a message, or puts it aside: one that cannot be settled holds up no
// other.
func (r *redriver) one(ctx context.Context, m message) error {
	r.found++
	g, err := envelope.DecodeGivenUp(m.body)
	if err == nil {
		err = r.settle(ctx, m, g)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTrimmed):
		r.trimmed = append(r.trimmed, trimmed{m, g})
	case err != nil:
		fmt.Fprintf(r.out, "message %s: not settled: %v\n", m.id, err)
		r.broken = append(r.broken, err)
	}
	return nil
}

// lookAtAlerts has the alert rules tested of what changes touch. The deployment's schedule
// tells of what comes of it.
func lookAtAlerts(ctx context.Context, alerts *alert.Service, changes []model.Change) error {
	report := alerts.Look(ctx, changes)
	if len(report.Failures) > 0 {
		return report.Failures[0].Err
	}
	return nil
}

// endLives cleans up after tombstones that TTL took away, and answers how many there were.
func (r *redriver) endLives(ctx context.Context, expiries []envelope.Expiry) (ended int, err error) {
	for _, e := range expiries {
		if e.Err != nil {
			return ended, e.Err
		}
		if e.Tombstone == nil {
			continue
		}
		if ended++; r.dryRun {
			continue
		}
		if err := r.life.Expired(ctx, e.Tombstone); err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// settle reads the range again, looks at its buckets and alerts, and ends the lives whose
// tombstones expired.
func (r *redriver) settle(ctx context.Context, m message, g envelope.GivenUp) error {
	changes := 0
	var counts aggregate.Counts
	err := r.streams.read(ctx, g, func(batch rangePage) error {
		ended, err := r.endLives(ctx, batch.expiries)
		if err != nil {
			return err
		}
		changes += len(batch.Changes) + ended
		if r.dryRun {
			return nil
		}
		for i := range batch.Poison {
			if err := r.agg.SetAside(ctx, batch.Poison[i].Quarantined()); err != nil {
				return err
			}
		}
		report := r.agg.Redrive(ctx, batch.Changes)
		counts.Add(&report.Counts)
		if len(report.Failures) > 0 {
			return report.Failures[0].Err
		}
		return lookAtAlerts(ctx, r.alerts, batch.Changes)
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("shard %s from %s to %s (%s to %s)", g.Shard, g.First, g.Last, g.FirstAt, g.LastAt)
	if r.dryRun {
		fmt.Fprintf(r.out, "message %s: %s changes to settle of %s\n", m.id, grouped(changes), what)
		return nil
	}
	if err := r.source.remove(ctx, m); err != nil {
		return fmt.Errorf("settled, but not removed (settling it again is harmless): %w", err)
	}
	fmt.Fprintf(r.out, "message %s: settled %s changes of %s: %s rows written, %s unchanged, %s sealed\n",
		m.id, grouped(changes), what, grouped(counts.Written), grouped(counts.Unchanged), grouped(counts.Sealed))
	r.settled++
	return nil
}

func (r *redriver) verdict() error {
	switch {
	case len(r.broken) > 0:
		return fmt.Errorf("%d of %d messages are not settled and stay: %w", len(r.broken), r.found, r.broken[0])
	case r.found == 0:
		fmt.Fprintln(r.out, "nothing was given up")
	case r.dryRun:
		fmt.Fprintf(r.out, "%s messages to settle; nothing was done\n", grouped(r.found))
		return checkFailed
	default:
		fmt.Fprintf(r.out, "%s messages settled and removed\n", grouped(r.settled))
	}
	return nil
}
