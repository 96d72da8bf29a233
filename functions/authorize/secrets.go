package main

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

var errSecret = errors.New("the secret for site keys is missing or shorter than 16 bytes: set " +
	config.EnvSiteSecret +
	" to the ARN of a secret with a long random value, so that site keys cannot be forged")

// siteSecrets returns the secrets that site keys may be signed with, newest first: the deployed
// function's, which are separated by spaces, or the fixed secret of a local stack. There are none
// in a stage without page views, whose requests have no site keys.
func siteSecrets(ctx context.Context, getenv func(string) string, read secret.Reader) ([][]byte, error) {
	value := ""
	switch arn := getenv(config.EnvSiteSecret); {
	case arn != "":
		var err error
		if value, err = read(ctx, arn); err != nil {
			return nil, err
		}
	case getenv(config.EnvEndpoint) != "":
		value = access.LocalSiteSecret
	default:
		return nil, nil
	}
	return secret.Texts(value, errSecret)
}
