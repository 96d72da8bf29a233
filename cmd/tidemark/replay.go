package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const replayLong = `Bring the observations of files in through the HTTP front, in the order they stand.

A file is NDJSON, one observation a line as the front takes it, or CSV with a header
line, where --map says which column becomes which field. Its subject, stream, time
and id go by these short names; any other field goes by its own. An empty cell of a
declared measure is null, which counts as invalid; any other empty cell is left out.
Files may be gzip; "-" is standard input.

Requests go out side by side, but the order of arrival is kept within each series.
What gets no clear answer is sent again: that is safe, but of a kind with "ids: minted"
it may store an event twice.

Exit status: 0 everything was taken in; 1 some were rejected; 2 asked wrongly; 3
could not be done.`

const replayExample = `  tidemark replay readings.ndjson
  tidemark replay --wait --rebase now loggers.csv.gz \
    --map subject=device,stream=metric,time=ts,id=rec,value=value
  zcat old.ndjson.gz | tidemark replay --url https://example.execute-api.eu-west-1.amazonaws.com -`

type replayFlags struct {
	kind, columns, rebase string
	batch, concurrency    int
	wait                  bool
}

func replayCommand(to *connection) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:     "replay FILE…",
		Short:   "Bring the observations of files in",
		Long:    replayLong,
		Example: replayExample,
		Args:    asUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			return replay(cmd, to, flags, files)
		},
	}
	cmd.Flags().StringVar(&flags.kind, "kind", "", "`kind` of the observations, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&flags.columns, "map", "", "fields and their `columns`, as subject=device,time=ts,value=value: the input is CSV")
	cmd.Flags().StringVar(&flags.rebase, "rebase", "", "shift all times alike, so that the newest is at this `time`: now, or RFC 3339")
	cmd.Flags().IntVar(&flags.batch, "batch", 500, "most `observations` a request")
	cmd.Flags().IntVar(&flags.concurrency, "concurrency", 4, "most `requests` at once")
	cmd.Flags().BoolVar(&flags.wait, "wait", false, "return when everything is folded into the rollups (needs a running dev)")
	return cmd
}

func replay(cmd *cobra.Command, to *connection, flags replayFlags, files []string) error {
	ctx := cmd.Context()
	to.resolve()
	if to.url == "" {
		return usagef("no front to send to: no \"tidemark dev\" runs here; start one, or give --url")
	}
	in, err := replayInput(cmd, to, flags)
	if err != nil {
		return err
	}
	plan, err := makePlan(in, flags, files)
	if err != nil {
		return err
	}
	began := time.Now()
	s := newSender(to.url+"/v1/"+in.kind.Path, flags, newProgress(cmd.ErrOrStderr(), "replay", "obs", plan.total))
	err = s.sendAll(ctx, func(send func(observed) error) error {
		return in.each(files, func(o observed) error {
			shifted, err := plan.shift(o)
			if err != nil {
				return err
			}
			return send(shifted)
		})
	})
	s.outcomes.print(cmd.OutOrStdout(), time.Since(began))
	if err != nil {
		return err
	}
	if flags.wait {
		if err := awaitIdle(ctx, cmd, to.url); err != nil {
			return err
		}
	}
	if s.outcomes.of(model.Rejected) > 0 {
		return checkFailed
	}
	return nil
}

func replayInput(cmd *cobra.Command, to *connection, flags replayFlags) (input, error) {
	if flags.batch < 1 || flags.concurrency < 1 {
		return input{}, usagef("--batch and --concurrency: want 1 or more")
	}
	kinds, err := to.catalog()
	if err != nil {
		return input{}, err
	}
	kind, err := findKind(kinds, flags.kind)
	if err != nil {
		return input{}, err
	}
	in := input{stdin: cmd.InOrStdin(), kind: kind}
	if flags.columns != "" {
		in.columns, err = parseColumns(flags.columns, kind)
	}
	return in, err
}

// findKind finds a kind by its name or its plural; "" is the first.
func findKind(kinds *catalog.Catalog, name string) (*catalog.Kind, error) {
	if name == "" && len(kinds.Kinds) > 0 {
		return &kinds.Kinds[0], nil
	}
	if k, ok := kinds.Kind(name); ok {
		return k, nil
	}
	if k, ok := kinds.ByPath(name); ok {
		return k, nil
	}
	var known []string
	for _, k := range kinds.Kinds {
		known = append(known, k.Name)
	}
	return nil, usagef("--kind: no kind %q is declared: want one of %v", name, known)
}

// plan is what a first reading of the input tells: how much there is, and by how
// much its times are to be shifted.
type plan struct {
	total int // 0 where it is not known
	by    time.Duration
}

// makePlan reads files once before they are sent. Standard input can be read but
// once, so of it nothing is known.
func makePlan(in input, flags replayFlags, files []string) (plan, error) {
	until, err := rebaseTime(flags.rebase)
	if err != nil {
		return plan{}, err
	}
	if slices.Contains(files, stdinName) {
		if flags.rebase != "" {
			return plan{}, usagef("--rebase: standard input can be read but once, and its newest time must be known first: give a file")
		}
		return plan{}, nil
	}
	var p plan
	var newest model.Time
	timed := false
	err = in.each(files, func(o observed) error {
		p.total++
		if o.timed && (!timed || o.at > newest) {
			newest, timed = o.at, true
		}
		return nil
	})
	if flags.rebase != "" && timed {
		p.by = time.Duration(until-newest) * time.Millisecond
	}
	return p, err
}

func rebaseTime(text string) (model.Time, error) {
	switch text {
	case "":
		return 0, nil
	case "now":
		return model.TimeOf(time.Now()), nil
	}
	at, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		return 0, usagef("--rebase: %w", err)
	}
	return at, nil
}

// shift moves an observation in time; one without a readable time stays as it is.
func (p plan) shift(o observed) (observed, error) {
	if p.by == 0 || !o.timed {
		return o, nil
	}
	o.at = o.at.Add(p.by)
	body, err := withTime(o.body, o.at)
	if err != nil {
		return observed{}, fmt.Errorf("shift %s: %w", o.place, err)
	}
	o.body = body
	return o, nil
}
