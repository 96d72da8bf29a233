// Package secret reads secrets from AWS Secrets Manager, so that they are not visible in the
// configuration of a function.
package secret

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/awsenv"
)

// Reader returns the value of the secret with this ARN.
type Reader func(ctx context.Context, arn string) (string, error)

var _ Reader = Read

// Read reads from Secrets Manager, with the function's credentials.
func Read(ctx context.Context, arn string) (string, error) {
	settings, err := awsenv.Config("")
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", arn, err)
	}
	out, err := secretsmanager.NewFromConfig(settings).GetSecretValue(ctx,
		&secretsmanager.GetSecretValueInput{SecretId: &arn})
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", arn, err)
	}
	if out.SecretString == nil {
		return "", fmt.Errorf("read secret %s: it has no string value: set it to a long random text", arn)
	}
	return *out.SecretString, nil
}

// minText is the minimum length of a text that signs, in bytes, so that it is hard to guess.
const minText = 16

// Texts returns the texts of a secret, which are separated by spaces: the first signs, and the others
// are still accepted while the secret is rotated. It returns missing if there is none, or a short one.
func Texts(value string, missing error) (all [][]byte, err error) {
	for text := range strings.FieldsSeq(value) {
		if len(text) < minText {
			return nil, missing
		}
		all = append(all, []byte(text))
	}
	if len(all) == 0 {
		return nil, missing
	}
	return all, nil
}

// SiteKeys returns the secret that signs site keys: the first word of the secret with the ARN,
// which is the newest one, or the secret of "tidemark dev" if the ARN is empty.
func SiteKeys(ctx context.Context, arn string, read Reader) ([]byte, error) {
	if arn == "" {
		return []byte(access.LocalSiteSecret), nil
	}
	text, err := read(ctx, arn)
	if err != nil {
		return nil, err
	}
	if words := strings.Fields(text); len(words) > 0 {
		return []byte(words[0]), nil
	}
	return nil, fmt.Errorf("secret %s is empty: store a long random text in it", arn)
}
