package main

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const dumpLong = `Show stored items as they lie in the table, decoded so that people can read them:
the key, then each attribute on a line of its own. docs/TABLE.md explains them.

Items of a subject come in the order of their keys; those of the whole table in no
order that means anything. Expired items that are not yet swept are shown too.`

const dumpExample = `  tidemark dump devices/sensor_01
  tidemark dump --subject devices/sensor_01 --class EVENT
  tidemark dump --class AGG --limit 5`

type dumpFlags struct {
	subject, class string
	limit          int
}

func dumpCommand(to *connection) *cobra.Command {
	var flags dumpFlags
	cmd := &cobra.Command{
		Use:     "dump [SUBJECT]",
		Short:   "Show stored items, decoded",
		Long:    dumpLong,
		Example: dumpExample,
		Args:    asUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				flags.subject = args[0]
			}
			return dump(cmd, to, flags)
		},
	}
	cmd.Flags().StringVar(&flags.subject, "subject", "", "only this `subject`, as devices/sensor_01: the same as the argument")
	cmd.Flags().StringVar(&flags.class, "class", "", "only keys of this `class`: CURRENT, EVENT, AGG, …")
	cmd.Flags().IntVar(&flags.limit, "limit", 100, "most `items`; 0 shows all")
	return cmd
}

func dump(cmd *cobra.Command, to *connection, flags dumpFlags) error {
	ctx := cmd.Context()
	table, err := to.openTable(ctx)
	if err != nil {
		return err
	}
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	var subject model.Subject
	if flags.subject != "" {
		if subject, err = findSubject(flags.subject, kinds); err != nil {
			return err
		}
	}
	shown := 0
	err = walkItems(ctx, table, kinds, subject, func(it item.Item) bool {
		if !ofClass(it.Key(), flags.class) {
			return true
		}
		if shown++; flags.limit > 0 && shown > flags.limit {
			fmt.Fprintf(cmd.ErrOrStderr(), "there are more than %d: --limit 0 shows all\n", flags.limit)
			return false
		}
		printItem(cmd.OutOrStdout(), it)
		return true
	})
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	return nil
}

// ofClass tells whether a key's class, the first word of its sort key or of a
// partition of its own, is the one asked for.
func ofClass(k keys.Key, class string) bool {
	first := func(text string) string { word, _, _ := strings.Cut(text, "#"); return word }
	return class == "" || first(k.SK) == class || first(k.PK) == class
}

// printItem writes one item: its key, then its attributes by name, ours first.
func printItem(w io.Writer, it item.Item) {
	k := it.Key()
	fmt.Fprintf(w, "%s  %s\n", k.PK, k.SK)
	names := slices.SortedFunc(maps.Keys(it), func(a, b string) int {
		return cmp.Or(boolOrder(keys.Reserved(b), keys.Reserved(a)), strings.Compare(a, b))
	})
	for _, name := range names {
		if name == keys.AttrPK || name == keys.AttrSK {
			continue
		}
		show := decoded[name]
		if show == nil {
			show = plain
		}
		fmt.Fprintf(w, "    %-12s %s\n", name, show(it[name]))
	}
	fmt.Fprintln(w)
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// decoded has what is shown otherwise than as it lies.
var decoded = map[string]func(item.Value) string{
	keys.AttrExpiresAt: epoch,
	keys.AttrUntil:     epoch,
	keys.AttrSummary:   summary,
	keys.AttrSalt:      func(item.Value) string { return "(a secret)" },
}

func plain(v item.Value) string {
	switch v.Type {
	case item.S:
		return strconv.Quote(v.S)
	case item.N:
		return v.S
	case item.B:
		return "0x" + hex.EncodeToString(v.B)
	case item.Bool:
		return strconv.FormatBool(v.Bool)
	case item.Null:
		return "null"
	default:
		return "(of a type that Tidemark never writes)"
	}
}

// epoch shows epoch seconds as a time beside them.
func epoch(v item.Value) string {
	seconds, err := strconv.ParseInt(v.S, 10, 64)
	at := model.Time(seconds) * 1000
	if err != nil || v.Type != item.N || seconds > int64(model.MaxTime)/1000 || at < model.MinTime {
		return plain(v)
	}
	return fmt.Sprintf("%s (%s)", v.S, at)
}

// summary shows the numbers of a rollup's measures.
func summary(v item.Value) string {
	s, err := rollup.Decode(v.B)
	if err != nil {
		return fmt.Sprintf("%s (%v)", plain(v), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d bytes, %d events", len(v.B), s.Events())
	for _, name := range s.Names() {
		m, _ := s.Measure(name)
		fmt.Fprintf(&b, "\n      %-14s %s", name, figures(m))
	}
	return b.String()
}
