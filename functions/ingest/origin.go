package main

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

var errOriginSecret = errors.New(
	"the secret of the collector's origin is missing or shorter than 16 bytes: set " + config.EnvOriginSecret +
		" to the ARN of a secret with a long random value, or write collector: {trust: none}")

// originSecrets returns the secrets that a trusted origin may send: none by default, and on a
// local stack, which has no origin.
func originSecrets(ctx context.Context, conf *config.Config, getenv func(string) string,
	read secret.Reader) (all [][]byte, err error) {
	arn, value := getenv(config.EnvOriginSecret), ""
	if arn == "" && conf.Collector.Trust == config.TrustNone || getenv(config.EnvEndpoint) != "" {
		return nil, nil
	}
	if arn != "" {
		if value, err = read(ctx, arn); err != nil {
			return nil, err
		}
	}
	return secret.Texts(value, errOriginSecret)
}
