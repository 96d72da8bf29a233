package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/config"
)

// retained keeps a resource when it or its stack is deleted, except when its own creation or
// the first deployment fails: then there is no data in it yet.
const retained = awscdk.RemovalPolicy_RETAIN_ON_UPDATE_OR_DELETE

// removalPolicy is the removal policy of resources with data that cannot be recreated.
func (s *stack) removalPolicy() awscdk.RemovalPolicy {
	if s.stage.Removal == config.Retain {
		return retained
	}
	return awscdk.RemovalPolicy_DESTROY
}

// unprotected reports whether this is the first deployment, in which nothing is protected from
// deletion.
func unprotected(scope constructs.Construct) bool {
	return scope.Node().TryGetContext(new(config.Unprotected)) == "true"
}

// placeOf is the only account and region that a stage may be deployed to. The CDK command line
// refuses others.
func placeOf(stage config.Stage) *awscdk.Environment {
	place := &awscdk.Environment{}
	if stage.Account != "" {
		place.Account = &stage.Account
	}
	if stage.Region != "" {
		place.Region = &stage.Region
	}
	return place
}
