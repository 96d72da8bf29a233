package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiot"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// addBatching returns the action of rules that send batches to the API. It makes the API accept their
// requests, which are signed, and AWS IoT's confirmation requests, which are not.
func (s *Tidemark) addBatching() *awsiot.CfnTopicRule_ActionProperty {
	target := s.integration("ThingsIntegration", ingest)
	s.allowInvokeForMethod(ingest, "POST")
	address := func(path string) *string { return new(*s.API.ApiEndpoint() + path) }
	s.things = awsiot.NewCfnTopicRuleDestination(s.Construct, new("ThingsDestination"),
		&awsiot.CfnTopicRuleDestinationProps{
			HttpUrlProperties: &awsiot.CfnTopicRuleDestination_HttpUrlDestinationSummaryProperty{
				ConfirmationUrl: address(envelope.PathConfirmation)},
		})
	// It is confirmed while it is created.
	s.things.Node().AddDependency(
		s.route("ThingsRoute", "POST "+envelope.PathMessages, target, "AWS_IAM", nil, nil),
		s.publicRoute("ConfirmationRoute", "POST "+envelope.PathThings+"{proxy+}", target, nil))
	for _, id := range []string{"ApiStage", "IngestPostPermission"} {
		s.things.Node().AddDependency(s.Node().FindChild(&id).(constructs.IDependable))
	}
	role := s.ruleRole("RuleRequestRole", "Sends messages of things to the API of "+s.prefix,
		privilege{sid: "Messages", actions: []string{"execute-api:Invoke"},
			resources: []string{s.apiSource("*/POST" + envelope.PathMessages)}})
	return &awsiot.CfnTopicRule_ActionProperty{Http: &awsiot.CfnTopicRule_HttpActionProperty{
		Url:             address(envelope.PathMessages),
		ConfirmationUrl: address(envelope.PathConfirmation),
		Auth: &awsiot.CfnTopicRule_HttpAuthorizationProperty{Sigv4: &awsiot.CfnTopicRule_SigV4AuthorizationProperty{
			RoleArn: role.RoleArn(), ServiceName: new("execute-api"), SigningRegion: s.stack.Region(),
		}},
		EnableBatching: true,
		BatchConfig: &awsiot.CfnTopicRule_BatchConfigProperty{
			// the largest there are
			BatchAcrossTopics: true, MaxBatchOpenMs: new(200.0), MaxBatchSize: new(10.0),
			MaxBatchSizeBytes: new(131072.0),
		},
	}}
}
