package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const quarantineLong = `What was rejected where nobody could be told is kept with its reason, whole, for 30
days: messages of devices that failed admission, and records of the table stream from
which not even their bucket could be read.

Things are kept with their subject where that is known: --subject reads one partition.
Without it the whole table is read.`

func quarantineCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "quarantine",
		Short:   "List, show and retry what could not be taken in",
		Long:    quarantineLong,
		Example: "  tidemark quarantine list --door iot\n  tidemark quarantine retry --subject devices/sensor_01 --all",
		Args:    asUsage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(quarantineListCommand(to), quarantineShowCommand(to), quarantineRetryCommand(to))
	return cmd
}

// quarantineFlags say which things are meant.
type quarantineFlags struct{ subject, door string }

func (f *quarantineFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.subject, "subject", "", "only what is of this `subject`, as devices/sensor_01")
	cmd.Flags().StringVar(&f.door, "door", "", "only what came in by this `door`: iot, sqs, kinesis, stream")
}

// kept is one thing in quarantine, and where it lies.
type kept struct {
	model.Quarantined
	key     keys.Key
	damaged error // it cannot be read whole
}

// find hands out what the flags mean, in order of arrival.
func (f *quarantineFlags) find(ctx context.Context, table *dynamo.Table, kinds *catalog.Catalog) (all []kept, err error) {
	take := func(it item.Item) bool {
		if _, _, _, err := keys.ParseQuarantine(it.Key()); err != nil {
			return true
		}
		q, err := item.Quarantined(it)
		if f.door == "" || q.Door == f.door || err != nil {
			all = append(all, kept{q, it.Key(), err})
		}
		return true
	}
	if f.subject == "" {
		err = walkItems(ctx, table, kinds, model.Subject{}, take)
	} else {
		var subject model.Subject
		if subject, err = findSubject(f.subject, kinds); err != nil {
			return nil, err
		}
		pk := keys.Quarantine(model.Quarantined{ID: "any", Subject: subject}).PK
		_, err = walkPages(func(after keys.Key) ([]item.Item, keys.Key, error) { return table.Partition(ctx, pk, after) }, take)
	}
	if err != nil {
		return nil, fmt.Errorf("find what is in quarantine: %w", err)
	}
	slices.SortStableFunc(all, func(a, b kept) int { return cmp.Compare(a.ArrivedAt, b.ArrivedAt) })
	return all, nil
}

// openQuarantine finds what the flags mean; ids, where there are any, choose among it.
func openQuarantine(cmd *cobra.Command, to *connection, f quarantineFlags, ids []string) (*dynamo.Table, *catalog.Catalog, []kept, error) {
	table, err := to.openTable(cmd.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	kinds, err := to.catalog()
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := f.find(cmd.Context(), table, kinds)
	if err != nil || len(ids) == 0 {
		return table, kinds, all, err
	}
	var chosen []kept
	for _, id := range ids {
		i := slices.IndexFunc(all, func(k kept) bool { return k.ID == id })
		if i < 0 {
			return nil, nil, nil, usagef("nothing with the id %q is in quarantine: see tidemark quarantine list", id)
		}
		chosen = append(chosen, all[i])
	}
	return table, kinds, chosen, nil
}

func quarantineListCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is in quarantine, a line each",
		Long: quarantineLong + `

Exit status: 0 listed; 2 asked wrongly; 3 could not be done.`,
		Example: "  tidemark quarantine list\n  tidemark quarantine list --subject devices/sensor_01",
		Args:    asUsage(cobra.NoArgs),
	}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, _, all, err := openQuarantine(cmd, to, flags, nil)
		if err != nil {
			return err
		}
		listQuarantine(cmd.OutOrStdout(), all)
		return nil
	}
	return cmd
}

func listQuarantine(w io.Writer, all []kept) {
	if len(all) == 0 {
		fmt.Fprintln(w, "nothing is in quarantine")
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "arrived\tdoor\tsubject\tid\treason")
	for _, k := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", k.ArrivedAt, printable(k.Door), subjectText(k.Subject), printable(k.ID), printable(k.reason()))
	}
	table.Flush()
}

func subjectText(s model.Subject) string {
	if s == (model.Subject{}) {
		return "-"
	}
	return printable(s.String())
}

func (k *kept) reason() string {
	if k.damaged != nil {
		return k.damaged.Error()
	}
	return k.Reason
}

func quarantineShowCommand(to *connection) *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one thing whole, its payload as it came",
		Long: `Show one thing that is in quarantine: why, all that is wrong with it, and its payload
as it came, JSON indented and what is no text in hexadecimal.

Exit status: 0 shown; 2 asked wrongly; 3 could not be done.`,
		Example: "  tidemark quarantine show 5f1d4c0c2b8d4f9e --subject devices/sensor_01",
		Args:    asUsage(cobra.ExactArgs(1)),
	}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		_, _, all, err := openQuarantine(cmd, to, flags, ids)
		if err != nil {
			return err
		}
		showQuarantined(cmd.OutOrStdout(), &all[0])
		return nil
	}
	return cmd
}

func showQuarantined(w io.Writer, k *kept) {
	fmt.Fprintf(w, "id       %s\narrived  %s\ndoor     %s\nsubject  %s\nreason   %s\n",
		printable(k.ID), k.ArrivedAt, printable(k.Door), subjectText(k.Subject), printable(k.reason()))
	if k.ExpiresAt != 0 {
		fmt.Fprintf(w, "kept to  %s\n", model.Time(k.ExpiresAt)*1000)
	}
	for _, e := range k.Errors {
		fmt.Fprintf(w, "error    %s (%s)\n", printable(e.Error()), printable(e.Code))
	}
	fmt.Fprintf(w, "payload  %s bytes\n\n%s\n", grouped(len(k.Payload)), strings.TrimRight(readable(k.Payload), "\n"))
}

// readable is a payload for people, without what would steer their terminal.
func readable(payload []byte) string {
	var indented bytes.Buffer
	switch {
	case json.Indent(&indented, payload, "", "  ") == nil:
		return printableLines(indented.String())
	case utf8.Valid(payload):
		return printableLines(string(payload))
	default:
		return hex.Dump(payload)
	}
}
