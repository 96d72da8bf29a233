package tidemarkcdk

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// liveAlias is the alias that everything invokes in a stage with canaries.
const liveAlias = "live"

// canaryConfig sends a tenth of the invocations to the new version for five minutes.
const canaryConfig = "CodeDeployDefault.LambdaCanary10Percent5Minutes"

// addReleases gives each function a version and an alias that AWS CodeDeploy moves to a new
// version step by step. If the new version fails in two minutes of five, CodeDeploy moves the
// alias back, and CloudFormation rolls the deployment back.
func (s *Tidemark) addReleases() {
	if !s.stage.Canary {
		return
	}
	s.aliases = map[string]awslambda.CfnAlias{}
	app := awscodedeploy.NewCfnApplication(s.Construct, new("Releases"),
		&awscodedeploy.CfnApplicationProps{ComputePlatform: new("Lambda")})
	role := s.releaseRole()
	for _, f := range s.deployed() {
		fn := s.Functions[f.name]
		alias := awslambda.NewCfnAlias(s.Construct, new(f.id+"Alias"), &awslambda.CfnAliasProps{
			Name: new(liveAlias), FunctionName: fn.FunctionName(), FunctionVersion: fn.CurrentVersion().Version(),
		})
		s.aliases[f.name] = alias
		failing := s.releaseAlarm(f.id, f.name)
		group := awscodedeploy.NewCfnDeploymentGroup(s.Construct, new(f.id+"Release"),
			&awscodedeploy.CfnDeploymentGroupProps{
				ApplicationName: app.Ref(), ServiceRoleArn: role.RoleArn(), DeploymentConfigName: new(canaryConfig),
				DeploymentStyle: &awscodedeploy.CfnDeploymentGroup_DeploymentStyleProperty{
					DeploymentType: new("BLUE_GREEN"), DeploymentOption: new("WITH_TRAFFIC_CONTROL"),
				},
				AlarmConfiguration: &awscodedeploy.CfnDeploymentGroup_AlarmConfigurationProperty{
					Enabled: true, Alarms: []any{&awscodedeploy.CfnDeploymentGroup_AlarmProperty{Name: failing.AlarmName()}},
				},
				AutoRollbackConfiguration: &awscodedeploy.CfnDeploymentGroup_AutoRollbackConfigurationProperty{
					Enabled: true, Events: jsii.Strings("DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"),
				},
			})
		alias.CfnOptions().SetUpdatePolicy(
			&awscdk.CfnUpdatePolicy{CodeDeployLambdaAliasUpdate: &awscdk.CfnCodeDeployLambdaAliasUpdate{
				ApplicationName: app.Ref(), DeploymentGroupName: group.Ref(),
			}})
	}
}

// releaseAlarm goes off when the alias of a function fails. It notifies no topic: the alarm on
// the errors of the function does.
func (s *Tidemark) releaseAlarm(id, function string) awscloudwatch.Alarm {
	name := s.Functions[function].FunctionName()
	return withLogicalID(s,
		awscloudwatch.NewAlarm(s.Construct, new(id+"ReleaseAlarm"), &awscloudwatch.AlarmProps{
			AlarmName: s.name(id + "Release"),
			AlarmDescription: new("Invocations of a new version of " + function +
				" fail: its deployment is rolled back. Read its log."),
			Metric: newMetric("AWS/Lambda", "Errors", "Sum", time.Minute, map[string]*string{
				"FunctionName": name, "Resource": new(*name + ":" + liveAlias),
			}),
			Threshold: new(0.0), DatapointsToAlarm: new(2.0), EvaluationPeriods: new(5.0),
			ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
			TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
		}), id+"ReleaseAlarm")
}

// releaseRole lets CodeDeploy move the aliases of this stack and read the alarms.
func (s *Tidemark) releaseRole() awsiam.Role {
	all := lists.Map(s.deployed(), func(f functionRow) string { return s.functionARN(f.name) })
	document := newDocument([]privilege{
		{
			sid: "Aliases",
			actions: []string{
				"lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias",
			},
			resources: all,
		},
		{
			sid: "Alarms", actions: []string{"cloudwatch:DescribeAlarms"},
			resources: []string{"*"}, // it has no resources to name
		},
	})
	return withLogicalID(s, awsiam.NewRole(s.Construct, new("ReleaseRole"), &awsiam.RoleProps{
		AssumedBy:      awsiam.NewServicePrincipal(new("codedeploy.amazonaws.com"), nil),
		Description:    new("Moves the aliases of " + s.prefix + " to new versions"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{"privileges": document},
	}), "ReleaseRole")
}

// invoked is the ARN that invokes a function: its alias if new versions are tried, otherwise
// the function itself.
func (s *Tidemark) invoked(function string) *string {
	if alias := s.aliases[function]; alias != nil {
		return alias.Ref()
	}
	return s.Functions[function].FunctionArn()
}

// qualifier is the version of a function that is invoked.
func (s *Tidemark) qualifier() *string {
	if s.stage.Canary {
		return new(liveAlias)
	}
	return new("$LATEST")
}
