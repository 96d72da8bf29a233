// Package secret reads secrets from AWS Secrets Manager, so that they are not visible in the
// configuration of a function.
package secret

import (
	"context"
	"fmt"

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
