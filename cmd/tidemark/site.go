package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/script"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

func siteCommand(to *connection) *cobra.Command {
	create := printKey("create SITE", "Print the HTML with which the pages of a site send their views", func(key string) (string, error) {
		if to.Resolve(); to.URL == "" {
			return "", usagef("no HTTP API: pass --url, or start a \"tidemark dev\"")
		}
		return script.Snippet(to.URL, key) + "\n", nil
	})
	cmd := &cobra.Command{Use: "site", Short: "Print what the pages of a web site need"}
	cmd.AddCommand(create)
	return cmd
}

func siteKeyCommand(*connection) *cobra.Command {
	return printKey("site-key SITE", "Print the key with which the pages of a site send page views", func(key string) (string, error) { return key + "\n", nil })
}

// printKey is a command that prints what textOf returns for the key of a site.
func printKey(use, short string, textOf func(key string) (string, error)) *cobra.Command {
	var arn string
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
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
