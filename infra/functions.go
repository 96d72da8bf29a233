package main

import (
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The functions, by the names of their folders.
const (
	ingest    = "ingest"
	aggregate = "aggregate"
	query     = "query"
	purge     = "purge"
	authorize = "authorize"
)

// functions has a row for each function. Memory and timeout are tidemark.yaml's,
// where their reasons stand.
var functions = []struct {
	name, id, purpose string
	settings          func(*config.Functions) config.Function
	reserved          func(*config.Reserved) int
}{
	{ingest, "Ingest", "Appends observations: the HTTP API's POST, and the other doors",
		func(f *config.Functions) config.Function { return f.Ingest }, func(r *config.Reserved) int { return r.Ingest }},
	{aggregate, "Aggregate", "Keeps the rollups: invoked by the table stream",
		func(f *config.Functions) config.Function { return f.Aggregate }, func(r *config.Reserved) int { return r.Aggregate }},
	{query, "Query", "Answers reads: the HTTP API's GET",
		func(f *config.Functions) config.Function { return f.Query }, func(r *config.Reserved) int { return r.Query }},
	{purge, "Purge", "Changes the life of subjects and ends it: the HTTP API's PUT, PATCH and DELETE, a schedule, and tombstones that expired",
		func(f *config.Functions) config.Function { return f.Purge }, func(*config.Reserved) int { return 0 }},
	{authorize, "Authorize", "Checks the site keys of pages that send their views",
		func(*config.Functions) config.Function { return config.Authorize }, func(*config.Reserved) int { return 0 }},
}

func (s *stack) addFunctions() {
	s.logs, s.functions = map[string]awslogs.LogGroup{}, map[string]awslambda.Function{}
	for _, f := range functions {
		settings := f.settings(&s.settings.Functions)
		s.logs[f.name] = s.logGroup(f.id+"Logs", "/aws/lambda/"+*s.name(f.name))
		props := &awslambda.FunctionProps{
			FunctionName:  s.name(f.name),
			Description:   &f.purpose,
			Runtime:       awslambda.Runtime_PROVIDED_AL2023(),
			Architecture:  awslambda.Architecture_ARM_64(),
			Handler:       new("bootstrap"),
			Code:          awslambda.Code_FromAsset(new(filepath.Join(s.code, f.name)), nil),
			MemorySize:    new(float64(settings.Memory)),
			Timeout:       lasting(settings.Timeout),
			Environment:   s.environment(f.name),
			Role:          s.role(f.name, f.id+"Role"),
			LogGroup:      s.logs[f.name],
			LoggingFormat: awslambda.LoggingFormat_JSON,
		}
		if s.key != nil {
			props.EnvironmentEncryption = s.key
		}
		if n := f.reserved(&s.stage.Reserved); n > 0 {
			props.ReservedConcurrentExecutions = new(float64(n))
		}
		fn := called(awslambda.NewFunction(s.Stack, new(f.id+"Function"), props), f.id+"Function")
		if s.stage.Tracing {
			fn.Node().DefaultChild().(awslambda.CfnFunction).SetTracingConfig(&awslambda.CfnFunction_TracingConfigProperty{Mode: new("Active")})
		}
		s.functions[f.name] = fn
	}
}

// role is what a function runs as: a role of its own, with its privileges and no
// policy that AWS keeps.
func (s *stack) role(function, id string) awsiam.Role {
	return called(awsiam.NewRole(s.Stack, &id, &awsiam.RoleProps{
		AssumedBy:      awsiam.NewServicePrincipal(new("lambda.amazonaws.com"), nil),
		Description:    new("What " + *s.name(function) + " may do"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{"privileges": s.policy(function)},
	}), id)
}

// environment is what a function is told beside its tidemark.yaml.
func (s *stack) environment(function string) *map[string]*string {
	env := map[string]*string{}
	if len(tableVerbs[function]) > 0 {
		env[config.EnvTable] = s.table.TableName()
	}
	if claim := s.stage.Access.OwnerClaim; claim != "" && (function == ingest || function == query || function == purge) {
		env[config.EnvOwnerClaim] = &claim
	}
	switch function {
	case aggregate:
		env[config.EnvAlertBus] = s.bus.Ref()
	case query:
		env[config.EnvCursorSecret] = s.cursorSecret.SecretArn()
	case authorize:
		env[config.EnvSiteSecret] = s.siteSecret.SecretArn()
	}
	return &env
}

// logGroup makes a log group that forgets after the stage's retention. It goes with
// the stack: a log is no data.
func (s *stack) logGroup(id, name string) awslogs.LogGroup {
	props := &awslogs.LogGroupProps{LogGroupName: &name, RemovalPolicy: awscdk.RemovalPolicy_DESTROY}
	if s.key != nil {
		props.EncryptionKey = s.key
	}
	group := called(awslogs.NewLogGroup(s.Stack, &id, props), id)
	// The retention in days: the library's own words for it have gaps.
	group.Node().DefaultChild().(awslogs.CfnLogGroup).SetRetentionInDays(new(float64(s.stage.LogRetention / tier.Day24)))
	return group
}

// seconds is a duration as CloudFormation counts it.
func seconds(d time.Duration) *float64 { return new(d.Seconds()) }
