package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/script"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/writekey"
)

func keyCommand(to *connection) *cobra.Command {
	var draft entity.WriteKey
	create := keyAction(to, "create NAME", func(ctx context.Context, keys *writekey.Service, name string) (string, error) {
		kinds, err := to.Catalog()
		if err != nil {
			return "", err
		}
		if err := writekey.CheckKinds(kinds, draft.Kinds); err != nil {
			return "", usagef("--kinds: %w", err)
		}
		draft.Name, draft.CreatedBy = name, userName()
		return keys.Create(ctx, draft)
	})
	create.Flags().StringVar(&draft.Subjects, "subjects", "", "only subjects whose ids begin with this `text`")
	create.Flags().StringSliceVar(&draft.Kinds, "kinds", nil, "only events of these `kinds`")
	list := keyAction(to, "list", func(ctx context.Context, keys *writekey.Service, _ string) (string, error) {
		return keys.Listed(ctx)
	})
	var overlap time.Duration
	rotate := keyAction(to, "rotate ID", func(ctx context.Context, keys *writekey.Service, id string) (string, error) {
		return keys.Rotate(ctx, id, overlap)
	})
	rotate.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the former token stays valid; 0s ends it now")
	revoke := keyAction(to, "revoke ID", func(ctx context.Context, keys *writekey.Service, id string) (string, error) {
		return id + " revoked", keys.Revoke(ctx, id)
	})
	return group("key", create, list, rotate, revoke)
}

// keyAction returns a command that prints the result of an action on write keys. Its argument, if
// it has one, is a name or an id.
func keyAction(to *connection, use string, act func(context.Context, *writekey.Service, string) (string, error)) *cobra.Command {
	return &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		table, err := to.OpenTable(cmd.Context())
		if err != nil {
			return err
		}
		result, err := act(cmd.Context(), &writekey.Service{Store: table, Now: wallClock, Rand: rand.Reader}, strings.Join(args, ""))
		if errors.Is(err, writekey.ErrNoKey) {
			return no(cmd.ErrOrStderr(), "%v", err)
		}
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), result)
		}
		return err
	}}
}

func siteCommand(to *connection) *cobra.Command {
	return group("site", printKey("create SITE", func(key string) (string, error) {
		if to.Resolve(); to.URL == "" {
			return "", usagef("no HTTP API: pass --url, or start a \"tidemark dev\"")
		}
		return script.Snippet(to.URL, key) + "\n", nil
	}))
}

func siteKeyCommand(*connection) *cobra.Command {
	return printKey("site-key SITE", func(key string) (string, error) { return key + "\n", nil })
}

// printKey is a command that prints what textOf returns for the key of a site.
func printKey(use string, textOf func(key string) (string, error)) *cobra.Command {
	var arn string
	cmd := &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		if args[0] == "" {
			return usagef("the id of the site is empty: pass the id that its page views shall have")
		}
		signing, err := secret.SiteKeys(cmd.Context(), cmp.Or(arn, os.Getenv(config.EnvSiteSecret)), secret.Read)
		if err != nil {
			return err
		}
		text, err := textOf(sitekey.New(signing, args[0]))
		fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	}}
	cmd.Flags().StringVar(&arn, "secret", "", "`ARN` of the deployment's secret for site keys (env "+config.EnvSiteSecret+")")
	return cmd
}
