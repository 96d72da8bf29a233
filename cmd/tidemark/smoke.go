package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const smokeLong = `Send 200 events of two made-up subjects through the front, some late, some twice; wait
for their rollups; hold every bucket of every tier against a sum of one's own; then
remove the events again, and wait for the rollups to say so. The subjects bear the
mark of the run, so that nothing of yours is touched, and what remains are empty rows,
which expire within a day.

It needs the front and the table: those of --stack in AWS, else of --url and --table,
else of the "tidemark dev" that runs here. Requests to AWS are signed by its
credentials, or show the token in TIDEMARK_TOKEN. Where a token binds its caller to an
owner, name the owner by --prefix, as acme:.

Exit status: 0 every bucket is right; 1 one is not, or came too late; 2 asked wrongly;
3 could not be done.`

const smokeExample = `  tidemark smoke
  tidemark smoke --stack tidemark-prod
  tidemark dev -- tidemark smoke`

type smokeFlags struct {
	stack, kind, prefix string
	events              int
	within              time.Duration
	keep                bool
}

// smoke is one run.
type smoke struct {
	plan   *smokePlan
	url    string
	client *http.Client
	table  *dynamo.Table
	within time.Duration
	out    io.Writer
}

func smokeCommand(to *connection) *cobra.Command {
	var flags smokeFlags
	cmd := &cobra.Command{
		Use:     "smoke",
		Short:   "Send marked events through a deployment, check their rollups, remove them",
		Long:    smokeLong,
		Example: smokeExample,
		Args:    asUsage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSmoke(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.stack, "stack", "", "`stack` in AWS, as tidemark-prod")
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of the events, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&flags.prefix, "prefix", "", "`text` that the subjects' ids begin with")
	cmd.Flags().IntVar(&flags.events, "events", 200, "how many `events`")
	cmd.Flags().DurationVar(&flags.within, "within", 2*time.Minute, "how `long` the rollups may take")
	cmd.Flags().BoolVar(&flags.keep, "keep", false, "leave the events where they are")
	return cmd
}

func runSmoke(cmd *cobra.Command, to *connection, flags smokeFlags) error {
	s, err := openSmoke(cmd, to, flags)
	if err != nil {
		return err
	}
	right, err := s.send(cmd.Context(), cmd.ErrOrStderr())
	if !flags.keep {
		// What was sent is removed whatever came of it, even after Ctrl-C.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), s.within+time.Minute)
		defer cancel()
		gone, failure := s.remove(ctx)
		if right = right && gone; err == nil {
			err = failure
		}
	}
	if err == nil && !right {
		return checkFailed
	}
	return err
}

func openSmoke(cmd *cobra.Command, to *connection, flags smokeFlags) (*smoke, error) {
	if flags.events < 1 || flags.events > 10000 {
		return nil, usagef("--events: want 1 to 10000")
	}
	if flags.stack != "" {
		to.fromEnvironment()
		if err := to.deployedTo(cmd.Context(), flags.stack); err != nil {
			return nil, err
		}
	}
	table, err := to.openTable(cmd.Context())
	if err != nil {
		return nil, err
	}
	if to.url == "" {
		return nil, usagef("no front to send to: no \"tidemark dev\" runs here; start one, or give --stack or --url")
	}
	kinds, err := to.catalog()
	if err != nil {
		return nil, err
	}
	kind, err := findKind(kinds, flags.kind)
	if err != nil {
		return nil, err
	}
	mark := strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String())
	plan, err := makeSmokePlan(kind, flags.prefix, mark, flags.events, wallClock())
	if err != nil {
		return nil, err
	}
	client, err := doorClient(cmd.Context(), to, to.url)
	return &smoke{plan: plan, url: strings.TrimSuffix(to.url, "/"), client: client, table: table, within: flags.within, out: cmd.OutOrStdout()}, err
}

// send sends everything, waits for the rollups, and reports whether all is right.
func (s *smoke) send(ctx context.Context, progress io.Writer) (right bool, err error) {
	all, err := s.plan.observations()
	if err != nil {
		return false, err
	}
	began := time.Now()
	sender := newSender(s.url+"/v1/"+s.plan.kind.Path, replayFlags{batch: 50, concurrency: smokeSubjects}, newProgress(progress, "smoke", "obs", len(all)))
	sender.client = s.client
	err = sender.sendAll(ctx, func(send func(observed) error) error {
		for _, o := range all {
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Fprintf(s.out, "smoke %s: %s at %s\n", s.plan.mark, s.plan.kind.Name, s.url)
	sender.outcomes.print(s.out, time.Since(began))
	if err != nil {
		return false, err
	}
	took, amiss, err := s.await(ctx, s.plan.expected)
	if err != nil {
		return false, err
	}
	if amiss != "" {
		fmt.Fprintf(s.out, "not right after %s: %s\n", tenths(took), amiss)
		return false, nil
	}
	fmt.Fprintf(s.out, "every bucket is right; lag: %s after the last answer\n", tenths(took))
	stored := sender.outcomes.of(model.Applied) + sender.outcomes.of(model.Late)
	if want := len(s.plan.events); stored > want || sender.outcomes.of(model.Rejected) > 0 {
		fmt.Fprintf(s.out, "not right: %d were told that they are stored anew, want %d\n", stored, want)
		return false, nil
	}
	return true, nil
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
