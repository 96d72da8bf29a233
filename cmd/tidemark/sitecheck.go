package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
	"github.com/tidemark-db/tidemark/internal/ops/sitecheck"
	"github.com/tidemark-db/tidemark/internal/ops/status"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const siteCheckHelp = `Check whether the pages of a web site send their views

Load a page as a browser would, and check that it has the tag, that its script loads, that the site key is
one of this deployment, that the page's Content-Security-Policy and consent manager let the script run, and
that page views of the site are stored. Run it after you have put the tag into the pages.

No script is run and nothing is counted: what a browser with a blocker does is "not known". Each line is a
part: ok, ACT with the reason and the command to run, "not known" for what was not tested, and unread for
what could not be read.

Exit status: 0 no part needs a person; 1 one does, or could not be read; 2 wrong usage; 3 failed.

Examples:
  tidemark site check https://example.com/
  tidemark site check https://example.com/ --stack tidemark-prod`

// siteCheckTimeout bounds each request of a check.
const siteCheckTimeout = 15 * time.Second

func siteCheckCommand(to *connection) *cobra.Command {
	var stack, arn string
	cmd := &cobra.Command{Use: "check URL", Long: siteCheckHelp}
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack`, for example tidemark-prod")
	cmd.Flags().StringVar(&arn, "secret", "", "`ARN` of the secret for site keys (env "+config.EnvSiteSecret+")")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		address := args[0]
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		if at, err := url.Parse(address); err != nil || at.Host == "" {
			return usagef("%s: want the address of a page, such as https://example.com/", args[0])
		}
		if err := to.UseStack(cmd.Context(), stack); err != nil {
			return err
		}
		signed := cmp.Or(arn, to.Stack.LinkSecret, os.Getenv(config.EnvSiteSecret))
		checker, err := siteChecker(cmd.Context(), to, signed)
		if err != nil {
			return err
		}
		lines := checker.Check(cmd.Context(), address)
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		printing.Status(cmd.OutOrStdout(), lines)
		if status.NeedsPerson(lines) {
			return checkFailed
		}
		return nil
	}
	return cmd
}

// siteChecker returns a checker that reads the table, and opens keys with the texts of a secret. Without a
// secret, only a dev of this machine is known to have signed a key.
func siteChecker(ctx context.Context, to *connection, arn string) (*sitecheck.Checker, error) {
	table, kinds, err := to.OpenKinds(ctx)
	if err != nil {
		return nil, err
	}
	kind, ok := kinds.Kind(web.PageViews.Name)
	if !ok {
		return nil, usagef("the configuration has no kind %s: websites need it", web.PageViews.Name)
	}
	live := &query.Live{
		Store: table, Watermarks: table, Stream: table, Kind: query.CatalogKinds(kinds), Now: wallClock,
	}
	reader := &query.Service{Store: live, Now: wallClock}
	checker := &sitecheck.Checker{
		Client: &http.Client{Timeout: siteCheckTimeout}, Now: wallClock,
		Newest: func(ctx context.Context, site string) (model.Time, error) {
			views := query.Series{Kind: kind, Subject: site}
			newest := query.History{Series: views, Newest: true, Limit: 1, To: model.MaxTime}
			for event, err := range reader.EachEvent(ctx, newest) {
				return event.At, err
			}
			return 0, nil
		},
	}
	at, err := url.Parse(to.URL)
	local := err == nil && ownmachine.IsLoopback(at.Host)
	if arn == "" && !local {
		return checker, nil
	}
	texts := []string{access.LocalSiteSecret}
	if arn != "" {
		text, err := secret.Read(ctx, arn)
		if err != nil {
			return nil, fmt.Errorf("read the secret: %w", err)
		}
		texts = strings.Fields(text)
	}
	checker.Open = func(key string) (string, error) {
		var signing [][]byte
		for _, text := range texts {
			signing = append(signing, []byte(text))
		}
		return access.OpenSiteKey(key, signing...)
	}
	return checker, nil
}
