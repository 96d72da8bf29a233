package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

const siteKeyLong = `Print the key with which a site's pages may send their views, and nothing else:

  POST /v1/collect/KEY   {"url": "https://my-site.example/blog", "referrer": "…"}

The key is the site's id, signed by the deployment's secret. It stands in every page,
so it is no secret itself. Without --secret it is signed for a "tidemark dev".

Exit status: 0 printed; 2 asked wrongly; 3 the secret could not be read.`

func siteKeyCommand(*connection) *cobra.Command {
	var arn string
	cmd := &cobra.Command{
		Use:   "site-key SITE",
		Short: "Print the key with which a site's pages may send their views",
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
				return usagef("the site's id is empty: give the id its page views are to have")
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), web.SiteKey(signing, args[0]))
			return err
		},
	}
	cmd.Flags().StringVar(&arn, "secret", "", "`ARN` of the deployment's secret of site keys (env "+config.EnvSiteSecret+")")
	return cmd
}

// signingSecret is the first text of the deployment's secret, or the laptop's.
func signingSecret(ctx context.Context, arn string, read secret.Reader) ([]byte, error) {
	if arn == "" {
		return []byte(web.LocalSecret), nil
	}
	text, err := read(ctx, arn)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("secret %s is empty: put a long random text there", arn)
	}
	return []byte(words[0]), nil
}
