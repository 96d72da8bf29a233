package main

import (
	"context"
	"fmt"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// secretReader reads the text of the secret with this ARN.
type secretReader func(ctx context.Context, arn string) (string, error)

// readSecret asks Secrets Manager, with the function's own credentials.
func readSecret(ctx context.Context, arn string) (string, error) {
	settings, err := awsconfig.LoadDefaultConfig(ctx)
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
