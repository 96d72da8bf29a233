package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
)

const linkHelp = `Print a link that shows one site or one subject, until it expires

Print a link to the page of a subject. Anyone who has it can read that subject's charts, totals, most
frequent values, latest state and profile, without another sign-in; the link ends by itself. With
--events they can read its events too, without the fields that tell visitors apart. No link shows
deleted or earlier profiles, alerts, rules or purges.

A stage has links with "ui: true". The link is signed with the stage's secret: pass --stack, and
have secretsmanager:GetSecretValue for its output LinkSecretArn. A new first text in the secret
signs new links; when the former text is removed, all links that it signed end. A link of a
"tidemark dev" works on this machine only.

Exit status: 0 printed; 2 wrong usage; 3 the stack or the secret could not be read.

Examples:
  tidemark access link sites/shop.example.com --for 30d --stack tidemark-prod
  tidemark access link devices/sensor_01 --events`

func linkCommand(to *connection) *cobra.Command {
	var stack string
	var events bool
	valid := times.Span(7 * 24 * time.Hour)
	cmd := &cobra.Command{Use: "link SUBJECT", Long: linkHelp}
	cmd.Flags().Var(&valid, "for", "how long the link is valid")
	cmd.Flags().BoolVar(&events, "events", false, "also show the events themselves")
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if valid <= 0 || time.Duration(valid) > access.MaxLinkAge {
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
		arn := cmp.Or(to.Stack.LinkSecret, os.Getenv(config.EnvSiteSecret))
		if arn == "" && strings.HasPrefix(to.URL, "https:") {
			return usagef("no secret to sign with: pass the --stack of a stage with ui: true, or set %s",
				config.EnvSiteSecret)
		}
		signing, err := secret.SiteKeys(cmd.Context(), arn, secret.Read)
		if err != nil {
			return err
		}
		until := wallClock().Time().Add(time.Duration(valid)).UTC()
		token := access.NewLink(signing, access.Link{Subject: arguments.SubjectText(subject, kinds),
			Until: until, Events: events})
		fmt.Fprintf(cmd.OutOrStdout(), "%s%s#/shared/%s\n", strings.TrimSuffix(to.URL, "/"), webui.Path, token)
		shown := "the figures"
		if events {
			shown += " and events"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "Anyone who has this link can read %s of %s until %s.\n", shown,
			args[0], until.Format(time.RFC3339))
		return nil
	}
	return cmd
}
