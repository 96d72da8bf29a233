// Package awsuser configures AWS clients for a person: the region and credentials of the profile, sign-in or
// role that the AWS command line uses. Functions use package awsenv.
package awsuser

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Config returns the configuration of clients in region; "" means the profile's, which may have none. The
// error says what to do if no credentials are found.
func Config(ctx context.Context, region string) (aws.Config, error) {
	read, err := awsconfig.LoadDefaultConfig(ctx, func(o *awsconfig.LoadOptions) error {
		o.Region = region
		o.Logger = logging.Nop{} // its warnings are of places where no credentials were found
		return nil
	})
	if err != nil {
		return aws.Config{}, usererr.Errorf("load the AWS configuration: %w", err)
	}
	if _, err := read.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, noCredentials(err)
	}
	return read, nil
}

// noCredentials returns the error of a user without credentials. The last place where the client library
// looks is the machine's role: its error says nothing if there is no such role.
func noCredentials(err error) error {
	const advice = `run "aws configure" or "aws sso login", or set AWS_PROFILE`
	var request *smithy.OperationError
	if errors.As(err, &request) && request.Service() == "ec2imds" {
		return usererr.Errorf("no AWS credentials were found: %s", advice)
	}
	return usererr.Errorf("no AWS credentials were found: %w: %s", err, advice)
}
