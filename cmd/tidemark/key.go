package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/internal/writekey"
)

const keyLong = `Manage write keys: tokens of senders that know only a header, such as Telegraf, ESPHome,
the clients of InfluxDB and OpenTelemetry. A key allows writing, to the subjects and
kinds that it names, and reads nothing:

  Authorization: Token TOKEN      also Bearer TOKEN, or Basic with the token as password

The table has a hash of the token only. "tidemark dev" accepts any other token too.

Exit status: 0 done; 1 there is no such key; 2 wrong usage; 3 failed.`

func keyCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Create, list, rotate and revoke write keys of senders",
		Long:  keyLong,
		Example: "  tidemark key create telegraf\n  tidemark key create plant7 --subjects plant7: --kinds METRIC\n" +
			"  tidemark key list\n  tidemark key rotate 4bq7x2m9ka --overlap 24h\n  tidemark key revoke 4bq7x2m9ka",
		Args: asUsage(cobra.NoArgs),
		RunE: showHelp,
	}
	cmd.AddCommand(keyCreate(to), keyList(to), keyRotate(to), keyRevoke(to))
	return cmd
}

// withKeys passes the write keys of the table to a command, which may find that a key does not
// exist.
func withKeys(to *connection, run func(*cobra.Command, *writekey.Service, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		table, err := to.openTable(cmd.Context())
		if err != nil {
			return err
		}
		err = run(cmd, &writekey.Service{Store: table, Now: wallClock, Rand: rand.Reader}, args)
		if errors.Is(err, writekey.ErrNoKey) {
			return no(cmd.ErrOrStderr(), "%s: %v", args[0], writekey.ErrNoKey)
		}
		return err
	}
}

func keyCreate(to *connection) *cobra.Command {
	var draft entity.WriteKey
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a key and print its token, once", Args: asUsage(cobra.ExactArgs(1)),
		RunE: withKeys(to, func(cmd *cobra.Command, keys *writekey.Service, args []string) error {
			if known, err := to.catalog(); err != nil {
				return err
			} else if err := writekey.CheckKinds(known, draft.Kinds); err != nil {
				return usagef("--kinds: %w", err)
			}
			draft.Name, draft.CreatedBy = args[0], userName()
			k, token, err := keys.Create(cmd.Context(), draft)
			if err == nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "key %s of %s; its token is shown only now\n", k.ID, k.Name)
				_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&draft.Subjects, "subjects", "", "only subjects whose ids begin with this `text`")
	cmd.Flags().StringSliceVar(&draft.Kinds, "kinds", nil, "only events of these `kinds`")
	return cmd
}

func keyList(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the keys, without their tokens", Args: asUsage(cobra.NoArgs),
		RunE: withKeys(to, func(cmd *cobra.Command, keys *writekey.Service, _ []string) error {
			all, err := keys.List(cmd.Context())
			if err != nil {
				return err
			}
			table := terminal.NewTable(cmd.OutOrStdout())
			for i := range all {
				if i == 0 {
					table.Add(writekey.Columns...)
				}
				table.Add(writekey.Row(&all[i])...)
			}
			return printOr(cmd, table, "no keys")
		}),
	}
}

func keyRotate(to *connection) *cobra.Command {
	var overlap time.Duration
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Give a key another token and print it", Args: asUsage(cobra.ExactArgs(1)),
		RunE: withKeys(to, func(cmd *cobra.Command, keys *writekey.Service, args []string) error {
			token, err := keys.Rotate(cmd.Context(), args[0], overlap)
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			}
			return err
		}),
	}
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the former token stays valid; 0s ends it now")
	return cmd
}

func keyRevoke(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "End a key; the deployed API may accept it for another minute", Args: asUsage(cobra.ExactArgs(1)),
		RunE: withKeys(to, func(cmd *cobra.Command, keys *writekey.Service, args []string) error {
			err := keys.Revoke(cmd.Context(), args[0])
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s revoked\n", args[0])
			}
			return err
		}),
	}
}
