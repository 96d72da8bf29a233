package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/internal/webui"
)

func shareCommand(to *connection) *cobra.Command {
	valid := usertime.Span(7 * 24 * time.Hour)
	cmd := &cobra.Command{Use: "share SUBJECT", Args: cobra.ExactArgs(1)}
	cmd.Flags().Var(&valid, "for", "how long the link is valid")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if valid <= 0 || time.Duration(valid) > sharelink.MaxAge {
			return usagef("--for: a link is valid for up to 366 days, and not for none")
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
		if strings.HasPrefix(to.URL, "https:") {
			return usagef("links show what a tidemark dev has: a deployed stage has no routes for them")
		}
		until := time.Now().Add(time.Duration(valid)).UTC()
		token := sharelink.New([]byte(sitekey.LocalSecret), arguments.SubjectText(subject, kinds), until)
		fmt.Fprintf(cmd.OutOrStdout(), "%s%s#/shared/%s\n", strings.TrimSuffix(to.URL, "/"), webui.Path, token)
		fmt.Fprintf(cmd.ErrOrStderr(), "Whoever has this link can read all of %s until %s.\n", args[0], until.Format(time.RFC3339))
		return nil
	}
	return cmd
}
