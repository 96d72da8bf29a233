package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/ncruces/go-strftime"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/internal/replay"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/source"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type replayFlags struct {
	kind, columns, rebase string
	batch, concurrency    int
	wait, strict          bool
	clock                 replay.Clock
	web                   replay.Web
	secret                string // ARN
}

func replayCommand(to *connection) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use: "replay FILE…",
		RunE: func(cmd *cobra.Command, files []string) error {
			return runReplay(cmd, to, flags, files)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.rebase, "rebase", "", "shift all event times by the same amount, so that the newest is this `time`: now, or such as 2026-11-01T14:00:00Z")
	cmd.Flags().BoolVar(&flags.wait, "wait", false, `wait until the rollups include everything (needs a running "tidemark dev")`)
	return cmd
}

// register registers the flags of every command that sends files.
func (f *replayFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of the observations, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&f.columns, "map", "", "the files are CSV with these `columns`, such as subject=device,time=ts,value=value (default: guessed)")
	cmd.Flags().Func("zone", "`time zone` of times of CSV that have no offset, such as Europe/Berlin", f.setZone)
	cmd.Flags().Func("time-format", "`format` of the times of CSV, such as '%d.%m.%Y %H:%M' (default: guessed)", f.setTimeFormat)
	cmd.Flags().StringVar(&f.web.Format, "format", "", "the files are logs of a web server, or exports of another program for web analytics: "+replay.WebFormats())
	cmd.Flags().StringVar(&f.web.Site, "site", "", "`id` of the site in these files (default: the host that a line of the log names)")
	cmd.Flags().StringVar(&f.secret, "secret", "", "`ARN` of the deployment's secret for site keys (env "+config.EnvSiteSecret+"), from which those of pseudonyms are derived")
	cmd.Flags().IntVar(&f.batch, "batch", 500, "the most `observations` in a request")
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 4, "the most `requests` at the same time")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "reject observations with a measure that is not a number; without it they are stored, and rollups count the value as invalid")
}

func (f *replayFlags) setZone(name string) (err error) {
	f.clock.Zone, err = localday.Zone(name)
	return err
}

func (f *replayFlags) setTimeFormat(format string) (err error) {
	f.clock.Layout, err = strftime.Layout(format)
	return err
}

func (f *replayFlags) sender(to *connection, kind *catalog.Kind) replay.Sender {
	return replay.Sender{URL: to.URL + "/v1/" + kind.Path, Strict: f.strict, Batch: f.batch, Lanes: f.concurrency}
}

func runReplay(cmd *cobra.Command, to *connection, flags replayFlags, files []string) error {
	ctx := cmd.Context()
	if err := to.NeedURL(); err != nil {
		return err
	}
	in, err := flags.input(cmd, to)
	if err != nil {
		return err
	}
	total, shift, err := in.Rebase(flags.rebase, wallClock(), files)
	if err != nil {
		return err
	}
	began := time.Now()
	if !slices.Contains(files, replay.StdinName) {
		in.Notice = nil // the survey has shown the columns
	}
	progress := terminal.NewProgress(cmd.ErrOrStderr(), "replay", "obs", total)
	sender := flags.sender(to, in.Kind)
	sender.Progress = progress.Add
	err = sender.Send(ctx, func(send func(replay.Observation) error) error {
		return in.Each(files, func(o replay.Observation) error {
			shifted, err := o.Shift(shift)
			if err != nil {
				return err
			}
			return send(shifted)
		})
	})
	progress.Done()
	sender.Counts.Print(cmd.OutOrStdout(), time.Since(began))
	if err != nil {
		return err
	}
	if flags.wait {
		began, p := time.Now(), terminal.NewProgress(cmd.ErrOrStderr(), "fold", "records", 0)
		err := local.AwaitIdle(ctx, to.URL, p.Add)
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "rollups complete after %s more\n", time.Since(began).Round(100*time.Millisecond))
		}
		if p.Done(); err != nil {
			return err
		}
	}
	if sender.Counts.Of(model.Rejected) > 0 {
		return checkFailed
	}
	return nil
}

func (f *replayFlags) input(cmd *cobra.Command, to *connection) (replay.Input, error) {
	to.Resolve()
	if f.batch < 1 || f.concurrency < 1 {
		return replay.Input{}, usagef("--batch and --concurrency must be 1 or more")
	}
	settings, err := to.Settings()
	if err != nil {
		return replay.Input{}, err
	}
	kinds, err := to.Catalog()
	if err != nil {
		return replay.Input{}, err
	}
	analytics, err := f.analytics(cmd, to, kinds)
	if err != nil {
		return replay.Input{}, err
	}
	kind, err := arguments.Kind(kinds, f.kind)
	if err != nil {
		return replay.Input{}, err
	}
	points := &source.Mapping{Rows: settings.Sources, Catalog: kinds}
	in := replay.Input{Stdin: cmd.InOrStdin(), Kind: kind, Clock: f.clock, Points: points, Web: analytics, Notice: func(text string) { cmd.PrintErr(text) }}
	if f.columns != "" {
		if in.Columns, err = replay.ParseColumns(f.columns, kind); err != nil {
			err = usagef("--map: %w", err)
		}
	}
	return in, err
}

// analytics returns how --format is read, nil without it, and sets the kind that it has by default.
func (f *replayFlags) analytics(cmd *cobra.Command, to *connection, kinds *catalog.Catalog) (*replay.Web, error) {
	if f.web.Format == "" {
		return nil, nil
	}
	kind, err := f.web.Kind(kinds)
	if err != nil {
		return nil, err
	}
	f.kind = cmp.Or(f.kind, kind)
	arn := cmp.Or(f.secret, os.Getenv(config.EnvSiteSecret))
	if at, err := url.Parse(to.URL); arn == "" && (err != nil || at.Host != "" && !local.IsLoopback(at.Host)) {
		return nil, usagef("--format needs --secret for %s: without the deployment's secret anyone could tell visitors by their pseudonyms", to.URL)
	}
	f.web.Secret, err = secret.SiteKeys(cmd.Context(), arn, secret.Read)
	return &f.web, err
}

func importCommand(to *connection) *cobra.Command {
	var flags replayFlags
	var dryRun bool
	var journal string
	cmd := &cobra.Command{Use: "import FILE…|FOLDER|s3://BUCKET/KEY"}
	flags.register(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only print the columns, rows, subjects, rejected rows, price and time")
	cmd.Flags().StringVar(&journal, "journal", "", "`path` of the record of progress (default: made from the input, in this folder)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := to.NeedURL(); err != nil && !dryRun {
			return err
		}
		in, err := flags.input(cmd, to)
		if err != nil {
			return err
		}
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		load := replay.Import{Input: in, Sender: flags.sender(to, in.Kind), Limits: settings.Limits, Journal: journal, DryRun: dryRun, Now: wallClock}
		if rejected, err := load.Run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil || rejected == 0 {
			return err
		}
		return checkFailed
	}
	return cmd
}
