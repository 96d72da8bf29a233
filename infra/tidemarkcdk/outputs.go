package tidemarkcdk

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// addOutputs adds the outputs that callers, devices and the command line need.
func (s *Tidemark) addOutputs() {
	add := func(id string, value *string, description string) {
		awscdk.NewCfnOutput(s.Construct, &id,
			&awscdk.CfnOutputProps{Value: value, Description: &description}).OverrideLogicalId(s.logicalID(id))
	}
	add("TableName", s.Table.TableName(), "Name of the table")
	add("TableStreamArn", s.Table.TableStreamArn(), "The table stream, which tidemark failed retry reads")
	add("ApiUrl", s.API.ApiEndpoint(), "URL of the HTTP API")
	add("OnFailureQueueUrl", s.OnFailure.QueueUrl(), "Ranges of the table stream that Lambda stopped retrying")
	add("UndeliveredQueueUrl", s.Undelivered.QueueUrl(), "Observations that were not delivered to ingest")
	add("AlertBusName", s.AlertBus.Ref(), "The event bus for alerts: put a rule on it to receive them")
	add("MappingId", s.mapping.Ref(), "The event source mapping from the table stream to aggregate")
	add("Monitoring", new(string(s.stage.Monitoring)),
		"Which metrics are published: all, or those with an alarm")
	if len(s.stage.Sources.Things) > 0 {
		add("Topic", new(s.topic()), "First level of the MQTT topics: {topic}/devices/{id}/readings")
	}
	if s.siteSecret != nil {
		add("SiteSecretArn", s.siteSecret.SecretArn(), "The secret that tidemark site create signs site keys with")
	}
	if s.stage.UI {
		add("LinkSecretArn", s.siteSecret.SecretArn(),
			"The secret that tidemark access link signs shared links with")
	}
	if s.originSecret != nil {
		add("OriginSecretArn", s.originSecret.SecretArn(),
			"The secret that CloudFront sends in the header X-Tidemark-Origin")
	}
	if s.distribution != nil {
		add("CollectorHost", s.distribution.DomainName(),
			"The host name of the collector, for the tags of websites")
	}
	if s.Inbox != nil {
		add("InboxQueueUrl", s.Inbox.QueueUrl(), "The SQS queue that ingest reads")
	}
	if s.Inlet != nil {
		add("InletStreamName", s.Inlet.StreamName(), "The Kinesis stream that ingest reads")
	}
}

// retained keeps a resource when it or its stack is deleted, except when its own creation or
// the first deployment fails: then there is no data in it yet.
const retained = awscdk.RemovalPolicy_RETAIN_ON_UPDATE_OR_DELETE

// removalPolicy is the removal policy of resources with data that cannot be recreated.
func (s *Tidemark) removalPolicy() awscdk.RemovalPolicy {
	if s.stage.Removal == config.Retain {
		return retained
	}
	return awscdk.RemovalPolicy_DESTROY
}
