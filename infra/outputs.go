package main

import "github.com/aws/aws-cdk-go/awscdk/v2"

// addOutputs adds the outputs that callers, devices and the command line need.
func (s *stack) addOutputs() {
	outputs := []struct{ id, value, description string }{
		{"TableName", *s.table.TableName(), "Name of the table"},
		{"TableStreamArn", *s.table.TableStreamArn(), "The table stream, which tidemark redrive reads"},
		{"ApiUrl", *s.api.AttrApiEndpoint(), "URL of the HTTP API"},
		{"OnFailureQueueUrl", *s.onFailure.QueueUrl(), "Ranges of the table stream that Lambda stopped retrying"},
		{"UndeliveredQueueUrl", *s.undelivered.QueueUrl(), "Observations that were not delivered to ingest"},
		{"AlertBusName", *s.bus.Ref(), "The event bus for alerts: put a rule on it to receive them"},
		{"MappingId", *s.mapping.Ref(), "The event source mapping from the table stream to aggregate"},
	}
	if len(s.stage.Sources.Things) > 0 {
		outputs = append(outputs, struct{ id, value, description string }{"Topic", s.stage.Sources.Topic, "First level of the MQTT topics: {topic}/devices/{id}/readings"})
	}
	if s.siteSecret != nil {
		outputs = append(outputs, struct{ id, value, description string }{"SiteSecretArn", *s.siteSecret.SecretArn(), "The secret that tidemark site-key signs site keys with"})
	}
	if s.originSecret != nil {
		outputs = append(outputs, struct{ id, value, description string }{"OriginSecretArn", *s.originSecret.SecretArn(), "The secret that CloudFront sends in the header X-Tidemark-Origin"})
	}
	if s.inboxQueue != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InboxQueueUrl", *s.inboxQueue.QueueUrl(), "The SQS queue that ingest reads"})
	}
	if s.inletStream != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InletStreamName", *s.inletStream.StreamName(), "The Kinesis stream that ingest reads"})
	}
	for _, o := range outputs {
		awscdk.NewCfnOutput(s.Stack, new(o.id), &awscdk.CfnOutputProps{Value: &o.value, Description: &o.description})
	}
}
