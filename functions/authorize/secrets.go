package main

import (
	"context"
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// The environment of the function, beside that of the configuration.
const envEndpoint = "TIDEMARK_ENDPOINT" // of a DynamoDB on this machine; unset when deployed

// leastSecret is how many bytes make a secret hard to guess.
const leastSecret = 16

var errSecret = errors.New("the secret of site keys is missing or shorter than 16 bytes: name it in " + config.EnvSiteSecret +
	", and put a long random text there, so that nobody makes a site's key up")

// siteSecrets are those of the deployed function, or the laptop's.
func siteSecrets(ctx context.Context, getenv func(string) string, read secret.Reader) ([][]byte, error) {
	text := ""
	switch arn := getenv(config.EnvSiteSecret); {
	case arn != "":
		var err error
		if text, err = read(ctx, arn); err != nil {
			return nil, err
		}
	case getenv(envEndpoint) != "":
		text = web.LocalSecret
	}
	var secrets [][]byte
	for word := range strings.FieldsSeq(text) {
		if len(word) < leastSecret {
			return nil, errSecret
		}
		secrets = append(secrets, []byte(word))
	}
	if len(secrets) == 0 {
		return nil, errSecret
	}
	return secrets, nil
}
