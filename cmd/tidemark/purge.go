package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type subjectType = catalog.SubjectType

const purgeLong = `Remove everything of a subject: its profile, deleted or not, with versions and unique
values; events, currents and rollups of all its series; alerts; what it left in
quarantine. Of no other subject anything goes.

--dry-run counts, by class, and removes nothing. --yes does it: from then on the
subject's events are refused, those under way are waited for, and a receipt says what
was removed and where copies remain until when. It can be stopped and run again; the
purge function goes on with it too. --after leaves time to call it off.

With --kind and a range, or --id, it removes events of one series instead, and the
table's stream brings every tier up to date with that. A range may be open at one end.

Exit status: 0 done, or counted; 1 nobody asked for it; 2 asked wrongly; 3 could not be
done.`

// purgeFlags say what is to go, and how.
type purgeFlags struct {
	kind, stream, from, to string
	dryRun, yes, callOff   bool
	after                  time.Duration
	rate                   int
	id                     string
}

func purgeCommand(to *connection) *cobra.Command {
	var flags purgeFlags
	cmd := &cobra.Command{
		Use: "purge SUBJECT", Short: "Remove everything of a subject, or a span of its events, for good",
		Long: purgeLong,
		Example: "  tidemark purge devices/sensor_01 --dry-run\n  tidemark purge devices/sensor_01 --yes\n" +
			"  tidemark purge devices/sensor_01 --after 72h --yes\n  tidemark purge devices/sensor_01 --call-off\n" +
			"  tidemark purge devices/sensor_01 --kind readings --from 2026-04-20 --to 2026-04-21 --yes",
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, to, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&flags.dryRun, "dry-run", false, "count what would go, and remove nothing")
	f.BoolVar(&flags.yes, "yes", false, "remove it")
	f.BoolVar(&flags.callOff, "call-off", false, "forget a purge that has not begun")
	f.DurationVar(&flags.after, "after", 0, "begin after this `time`, as 72h, and leave it to the purge function")
	f.IntVar(&flags.rate, "rate", 500, "`items` a second, at most; 0 means as fast as it goes")
	f.StringVar(&flags.kind, "kind", "", "of one `kind` of event only, as readings")
	f.StringVar(&flags.stream, "stream", "", "`stream` of the series; without it, the events that have none")
	f.StringVar(&flags.from, "from", "", "first `time` of the range: RFC 3339, a date, or epoch seconds")
	f.StringVar(&flags.to, "to", "", "`time` the range ends before")
	f.StringVar(&flags.id, "id", "", "only events of this `id`")
	return cmd
}

func (f *purgeFlags) run(cmd *cobra.Command, to *connection, text string) error {
	given := 0
	for _, set := range []bool{f.dryRun, f.yes, f.callOff} {
		if set {
			given++
		}
	}
	span := f.kind != "" || f.stream != "" || f.from != "" || f.to != "" || f.id != ""
	switch {
	case given != 1:
		return usagef("say one of --dry-run, --yes and --call-off")
	case span && f.callOff, span && f.after > 0:
		return usagef("--call-off and --after are of a whole subject: leave --kind, --stream, --from, --to and --id out")
	case span && f.kind == "":
		return usagef("say of which --kind of event")
	case span && f.from == "" && f.to == "" && !cmd.Flags().Changed("id"):
		return usagef("say which events: --from and --to, one of them, or --id")
	}
	subject, _, err := to.life(cmd.Context(), text)
	if err != nil {
		return err
	}
	purger, table, err := f.purger(cmd.Context(), to)
	if err != nil {
		return err
	}
	switch {
	case span:
		return f.span(cmd, to, purger, table, subject)
	case f.callOff:
		return f.calledOff(cmd, purger, subject)
	case f.dryRun:
		counts, err := purger.Count(cmd.Context(), subject)
		if err != nil {
			return err
		}
		printCounts(cmd.OutOrStdout(), counts)
		return nil
	}
	return f.purge(cmd, purger, subject)
}

func (f *purgeFlags) purger(ctx context.Context, to *connection) (*lifecycle.Purger, *dynamo.Table, error) {
	table, err := to.openTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	settings, err := to.settings()
	if err != nil {
		return nil, nil, err
	}
	return &lifecycle.Purger{
		Store: table, Now: wallClock, Timing: lifecycle.TimingOf(settings), Shards: catalog.MaxShards,
		Rate: f.rate, Copies: lifecycle.CopiesOf(settings),
	}, table, nil
}

func (f *purgeFlags) calledOff(cmd *cobra.Command, purger *lifecycle.Purger, subject model.Subject) error {
	err := purger.CallOff(cmd.Context(), subject)
	if errors.Is(err, lifecycle.ErrNoPurge) || errors.Is(err, lifecycle.ErrUnderWay) {
		return no(cmd.ErrOrStderr(), "%v", err)
	}
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), "called off")
	}
	return err
}

// stepTexts are the steps as people are told of them.
var stepTexts = map[model.PurgeStep]string{
	model.PurgeAsked:  "it begins within a minute",
	model.PurgeGated:  "gate shut; waiting for appends that began before",
	model.PurgeFenced: "currents fenced; waiting for appends that met them before",
	model.PurgeErased: "removed once; waiting for folds under way",
}

func (f *purgeFlags) purge(cmd *cobra.Command, purger *lifecycle.Purger, subject model.Subject) error {
	asked, err := purger.Ask(cmd.Context(), subject, whoAmI(), f.after)
	if err != nil {
		return err
	}
	switch {
	case asked.Step == model.PurgeAsked && asked.Due > wallClock():
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s begins at %s; until then it can be called off\n", asked.ID, asked.Due)
		return nil
	case f.after > 0:
		fmt.Fprintf(cmd.OutOrStdout(), "purge %s is under way already: %s\n", asked.ID, stepTexts[asked.Step])
		return nil
	}
	shown := newProgress(cmd.ErrOrStderr(), "removed", "item", 0)
	told := &purgeTeller{w: cmd.ErrOrStderr(), shown: shown}
	purger.Told = told.tell
	receipt, err := purger.Run(cmd.Context(), subject)
	shown.done()
	if err != nil {
		return fmt.Errorf("%w; run the same again, or leave it to the purge function: it goes on from where it is", err)
	}
	return printJSON(cmd.OutOrStdout(), receipt)
}

// purgeTeller says how far a purge is.
type purgeTeller struct {
	w       io.Writer
	shown   progress
	step    model.PurgeStep
	counted int64
}

func (t *purgeTeller) tell(p model.Purge) {
	var n int64
	for _, c := range p.Counts {
		n += c.Items
	}
	t.shown.add(int(n - t.counted))
	t.counted = n
	if text := stepTexts[p.Step]; p.Step != t.step && text != "" {
		fmt.Fprintln(t.w, text)
	}
	t.step = p.Step
}

// whoAmI is who asks, for the receipt.
func whoAmI() string {
	u, err := user.Current()
	if err != nil {
		return "command line"
	}
	return u.Username
}

func printCounts(out io.Writer, counts []model.PurgeCount) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	var items, bytes int64
	for _, c := range counts {
		fmt.Fprintf(w, "%s\t%s\t%s\t\n", c.Class, grouped(int(c.Items)), sizeText(c.Bytes))
		items, bytes = items+c.Items, bytes+c.Bytes
	}
	fmt.Fprintf(w, "in all\t%s\t%s\t\n", grouped(int(items)), sizeText(bytes))
	w.Flush()
}

func sizeText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
