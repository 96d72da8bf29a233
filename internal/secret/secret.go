// Package secret reads the texts that a deployment keeps in AWS Secrets Manager, so
// that no function's configuration shows them.
package secret

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/tidemark-db/tidemark/internal/awsenv"
)

// Reader reads the text of the secret with this ARN.
type Reader func(ctx context.Context, arn string) (string, error)

// Read asks Secrets Manager, with the function's own credentials.
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
		return "", fmt.Errorf("read secret %s: it holds no text: put a long random text in its place", arn)
	}
	return *out.SecretString, nil
}
