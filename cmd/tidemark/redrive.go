package main

import (
	"cmp"
	"crypto/rand"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/repair/streamrange"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

type redriveFlags struct {
	queue, file string
	dryRun      bool
}

func redriveCommand(to *connection) *cobra.Command {
	var flags redriveFlags
	cmd := &cobra.Command{
		Use:   "redrive",
		Short: "Process the batches that the functions failed to process",
		RunE:  func(cmd *cobra.Command, _ []string) error { return redrive(cmd, to, flags) },
	}
	cmd.Flags().StringVar(&flags.queue, "queue", "", "`URL` of the on-failure queue (output OnFailureQueueUrl of the stack)")
	cmd.Flags().StringVar(&flags.file, "file", "", "`path` of an on-failure file")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "process and remove nothing, print what there is to do")
	return cmd
}

func redrive(cmd *cobra.Command, to *connection, flags redriveFlags) (err error) {
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	settings, err := to.Settings()
	if err != nil {
		return err
	}
	if flags.queue != "" && flags.file != "" {
		return usagef("--queue and --file: pass one of them")
	}
	read, err := to.AWS(cmd.Context())
	if err != nil {
		return err
	}
	file := cmp.Or(flags.file, filepath.Join(devDir, "on-failure.ndjson"))
	messages, closeMessages, err := repair.OpenMessages(read, flags.queue, file, to.Endpoint != "", flags.dryRun)
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeMessages(); err == nil {
			err = closed
		}
	}()
	out := cmd.OutOrStdout()
	show, done := showSteps(cmd)
	r := &repair.Redriver{
		Table: table, Catalog: kinds, Now: wallClock, Aggregator: agg, MaxAhead: settings.Limits.MaxAhead,
		Alerts:    &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{Store: table, Profile: kinds.Profile, Now: wallClock, Rand: rand.Reader},
		Messages:  messages, Stream: streamrange.New(read, to.Endpoint, local.LambdaRecord), DryRun: flags.dryRun, MaxNotes: printing.MaxDifferences,
		OnMessage: func(m repair.MessageResult) { printing.RedriveMessage(out, m, flags.dryRun) },
		Progress:  show,
	}
	report, err := r.Run(cmd.Context())
	done()
	printing.Redrive(out, report, flags.dryRun, err)
	if err == nil && flags.dryRun && report.Found > 0 {
		return checkFailed
	}
	return err
}
