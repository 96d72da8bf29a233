package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

const siteKeyLong = `Print the site key of a web site, and nothing else. Its pages need the key to send page
views:

  POST /v1/collect/KEY   {"url": "https://my-site.example/blog", "referrer": "…"}

A key is the id of the site, signed with a secret of the deployment. It is part of every
page, so it is not secret itself; it allows sending page views and nothing else. Without
--secret the key is for a "tidemark dev".

Exit status: 0 printed; 2 wrong usage; 3 the secret could not be read.`

func siteKeyCommand(*connection) *cobra.Command {
	var arn string
	cmd := &cobra.Command{
		Use:   "site-key SITE",
		Short: "Print the key with which the pages of a site send page views",
		Long:  siteKeyLong,
		Example: `  tidemark site-key my-site
  tidemark site-key my-site --secret arn:aws:secretsmanager:eu-west-1:123456789012:secret:SiteSecret-AbCdEf`,
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			signing, err := signingSecret(cmd.Context(), cmp.Or(arn, os.Getenv(config.EnvSiteSecret)), secret.Read)
			if err != nil {
				return err
			}
			if args[0] == "" {
				return usagef("the id of the site is empty: pass the id that its page views shall have")
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), sitekey.New(signing, args[0]))
			return err
		},
	}
	cmd.Flags().StringVar(&arn, "secret", "", "`ARN` of the deployment's secret for site keys (env "+config.EnvSiteSecret+")")
	return cmd
}

// signingSecret returns the newest secret, or that of a dev if the ARN is empty.
func signingSecret(ctx context.Context, arn string, read secret.Reader) ([]byte, error) {
	if arn == "" {
		return []byte(sitekey.LocalSecret), nil
	}
	return secret.Newest(ctx, arn, read)
}
