package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/internal/webui"
)

func shareCommand(to *connection) *cobra.Command {
	var stack string
	valid := usertime.Span(7 * 24 * time.Hour)
	cmd := &cobra.Command{Use: "share SUBJECT"}
	cmd.Flags().Var(&valid, "for", "how long the link is valid")
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if valid <= 0 || time.Duration(valid) > sharelink.MaxAge {
			return usagef("--for: want a time of more than 0, and of at most 366 days")
		}
		if err := to.UseStack(cmd.Context(), stack); err != nil {
			return err
		}
		if err := to.NeedURL(); err != nil {
			return err
		}
		kinds, err := to.Catalog()
		if err != nil {
			return err
		}
		subject, err := arguments.Subject(args[0], kinds)
		if err != nil {
			return err
		}
		arn := cmp.Or(to.LinkSecret, os.Getenv(config.EnvSiteSecret))
		if arn == "" && strings.HasPrefix(to.URL, "https:") {
			return usagef("no secret to sign with: pass the --stack of a stage with ui: true, or set %s", config.EnvSiteSecret)
		}
		signing, err := secret.SiteKeys(cmd.Context(), arn, secret.Read)
		if err != nil {
			return err
		}
		until := time.Now().Add(time.Duration(valid)).UTC()
		token := sharelink.New(signing, arguments.SubjectText(subject, kinds), until)
		fmt.Fprintf(cmd.OutOrStdout(), "%s%s#/shared/%s\n", strings.TrimSuffix(to.URL, "/"), webui.Path, token)
		fmt.Fprintf(cmd.ErrOrStderr(), "Anyone who has this link can read all of %s until %s.\n", args[0], until.Format(time.RFC3339))
		return nil
	}
	return cmd
}
