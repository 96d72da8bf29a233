// Package secret reads secrets from AWS Secrets Manager, so that they are not visible in the
// configuration of a function.
package secret

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/tidemark-db/tidemark/internal/awsenv"
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
	out, err := secretsmanager.NewFromConfig(settings).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &arn})
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", arn, err)
	}
	if out.SecretString == nil {
		return "", fmt.Errorf("read secret %s: it has no string value: set it to a long random text", arn)
	}
	return *out.SecretString, nil
}

// Newest returns the first word of a secret, which is the newest one while the secret is
// rotated.
func Newest(ctx context.Context, arn string, read Reader) ([]byte, error) {
	text, err := read(ctx, arn)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("secret %s is empty: store a long random text in it", arn)
	}
	return []byte(words[0]), nil
}
