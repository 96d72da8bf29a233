package tidemarkcdk

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The functions, named by their folders.
const (
	ingest     = "ingest"
	aggregate  = "aggregate"
	query      = "query"
	manage     = "manage"
	purge      = "purge"
	authorize  = "authorize"
	prometheus = "prometheus"
	pages      = "pages"
)

// functionRow describes a function.
type functionRow struct {
	name, id, purpose string
	settings          func(*config.Functions) config.Function
	reserved          func(*config.Reserved) int
}

// deployed returns the functions of the stage: without page views, senders of other databases and
// shared links there are no keys to check; Prometheus's HTTP API and the pages are off by default.
func (s *Tidemark) deployed() (all []functionRow) {
	needed := map[string]bool{
		authorize:  s.stage.Sources.Pages || s.stage.Sources.Senders || s.stage.UI,
		prometheus: s.settings.Prometheus, pages: s.stage.UI,
	}
	for _, f := range functions {
		if condition, optional := needed[f.name]; !optional || condition {
			all = append(all, f)
		}
	}
	return all
}

// functions has a row for each function. Memory and timeout come from the configuration;
// tidemark.yaml gives the reasons.
var functions = []functionRow{
	{
		name: ingest, id: "Ingest",
		purpose:  "Appends observations: from the HTTP API, AWS IoT rules, queues and data streams",
		settings: func(f *config.Functions) config.Function { return f.Ingest },
		reserved: func(r *config.Reserved) int { return r.Ingest },
	},
	{
		name: aggregate, id: "Aggregate",
		purpose: "Recomputes rollups and evaluates alert rules: invoked by the table stream",
		settings: func(f *config.Functions) config.Function {
			return f.Aggregate
		},
		reserved: func(r *config.Reserved) int { return r.Aggregate },
	},
	{name: query, id: "Query", purpose: "Serves reads: GET requests of the HTTP API",
		settings: func(f *config.Functions) config.Function { return f.Query },
		reserved: func(r *config.Reserved) int { return r.Query }},
	{
		name: manage, id: "Manage",
		purpose: "Writes profiles, purge requests, alerts and rules: " +
			"PUT, PATCH, POST and DELETE requests of the HTTP API",
		settings: func(*config.Functions) config.Function { return config.Manage },
		reserved: func(*config.Reserved) int { return 0 },
	},
	{
		name: purge, id: "Purge",
		purpose: "Erases subjects whose purge was requested, on a schedule, " +
			"and cleans up after expired tombstones",
		settings: func(f *config.Functions) config.Function { return f.Purge },
		reserved: func(*config.Reserved) int { return 0 },
	},
	{
		name: authorize, id: "Authorize",
		purpose:  "Checks the site keys of web pages, the write keys of senders and shared links",
		settings: func(*config.Functions) config.Function { return config.Authorize },
		reserved: func(r *config.Reserved) int { return r.Authorize },
	},
	{name: prometheus, id: "Prometheus", purpose: "Serves Prometheus's HTTP API over rollups, for Grafana",
		settings: func(*config.Functions) config.Function { return config.PrometheusFunction },
		reserved: func(r *config.Reserved) int { return r.Prometheus }},
	{name: pages, id: "Pages", purpose: "Serves the files of the pages at /ui/",
		settings: func(*config.Functions) config.Function { return config.Pages },
		reserved: func(r *config.Reserved) int { return r.Pages }},
}

func (s *Tidemark) addFunctions() {
	s.logs, s.Functions = map[string]awslogs.LogGroup{}, map[string]awslambda.Function{}
	for _, f := range s.deployed() {
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
			Timeout:       cdkDuration(settings.Timeout),
			Environment:   s.environment(f.name),
			Role:          s.role(f.name, f.id+"Role"),
			LogGroup:      s.logs[f.name],
			LoggingFormat: awslambda.LoggingFormat_JSON,
		}
		if s.key != nil {
			props.EnvironmentEncryption = s.key
		}
		if s.lean() { // no line at the begin and the end of each invocation
			props.SystemLogLevelV2 = awslambda.SystemLogLevel_WARN
		}
		props.ReservedConcurrentExecutions = positive(f.reserved(&s.stage.Reserved))
		fn := withLogicalID(s, awslambda.NewFunction(s.Construct, new(f.id+"Function"), props), f.id+"Function")
		if s.stage.Tracing {
			fn.Node().DefaultChild().(awslambda.CfnFunction).SetTracingConfig(
				&awslambda.CfnFunction_TracingConfigProperty{Mode: new("Active")})
		}
		s.Functions[f.name] = fn
	}
}

// role creates the role of one function, with its privileges and without AWS managed
// policies.
func (s *Tidemark) role(function, id string) awsiam.Role {
	return withLogicalID(s, awsiam.NewRole(s.Construct, &id, &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(new("lambda.amazonaws.com"), nil),
		Description: new("Role of " + *s.name(function)),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"privileges": newDocument(s.privileges(function), s.partitionRules(function)...),
		},
	}), id)
}

// environment returns the environment variables of a function.
func (s *Tidemark) environment(function string) *map[string]*string {
	env := map[string]*string{}
	s.addCommon(env, function)
	s.addOwn(env, function)
	return &env
}

// addCommon adds the variables that several functions have.
func (s *Tidemark) addCommon(env map[string]*string, function string) {
	if len(tableActions[function]) > 0 {
		env[config.EnvTable] = s.Table.TableName()
	}
	if claim := s.stage.Access.OwnerClaim; claim != "" &&
		(function == ingest || function == query || function == manage || function == prometheus) {
		env[config.EnvOwnerClaim] = &claim
	}
	if s.lean() {
		env[config.EnvMonitoring] = new(string(config.LeanMonitoring))
	}
	if s.stage.Tracing && (function == ingest || function == aggregate) {
		env[config.EnvTracing] = new("true")
	}
}

// addOwn adds the variables that one function alone has.
func (s *Tidemark) addOwn(env map[string]*string, function string) {
	switch function {
	case ingest:
		if s.originSecret != nil {
			env[config.EnvOriginSecret] = s.originSecret.SecretArn()
		}
	case aggregate:
		env[config.EnvAlertBus] = s.AlertBus.Ref()
		env[config.EnvSelf] = new(s.self(function))
	case query:
		env[config.EnvCursorSecret] = s.cursorSecret.SecretArn()
	case authorize:
		if s.siteSecret != nil {
			env[config.EnvSiteSecret] = s.siteSecret.SecretArn()
		}
	case pages:
		env[config.EnvSignIn] = s.signIn()
	}
}

// self is the ARN by which a function invokes itself: its alias if new versions are tried. It has the name of
// the function as text, because a reference from its own environment or role would be a cycle.
func (s *Tidemark) self(function string) string {
	return s.functionARN(function) + map[bool]string{true: ":" + liveAlias}[s.stage.Canary]
}

// functionARN is the ARN of a function by its name as text.
func (s *Tidemark) functionARN(function string) string {
	return fmt.Sprintf("arn:%s:lambda:%s:%s:function:%s", *s.stack.Partition(), *s.stack.Region(),
		*s.stack.Account(), *s.name(function))
}

// logGroup creates a log group with the stage's retention. It is deleted with the stack, since
// logs hold no data.
func (s *Tidemark) logGroup(id, name string) awslogs.LogGroup {
	props := &awslogs.LogGroupProps{LogGroupName: &name, RemovalPolicy: awscdk.RemovalPolicy_DESTROY}
	if s.key != nil {
		props.EncryptionKey = s.key
	}
	group := withLogicalID(s, awslogs.NewLogGroup(s.Construct, &id, props), id)
	// Set on the L1 construct: the RetentionDays enum lacks some numbers of days.
	group.Node().DefaultChild().(awslogs.CfnLogGroup).SetRetentionInDays(
		new(float64(s.stage.LogRetention / tier.Day24)))
	return group
}

// seconds is a duration in CloudFormation's unit.
func seconds(d time.Duration) *float64 { return new(d.Seconds()) }
