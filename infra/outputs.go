package main

import "github.com/aws/aws-cdk-go/awscdk/v2"

// addOutputs says what a caller, a device and the command line need to know.
func (s *stack) addOutputs() {
	outputs := []struct{ id, value, description string }{
		{"TableName", *s.table.TableName(), "The table"},
		{"TableStreamArn", *s.table.TableStreamArn(), "The table's stream, which redrive reads again"},
		{"ApiUrl", *s.api.AttrApiEndpoint(), "The HTTP API"},
		{"OnFailureQueueUrl", *s.onFailure.QueueUrl(), "Ranges of the table stream that were given up"},
		{"UndeliveredQueueUrl", *s.undelivered.QueueUrl(), "What reached no ingest"},
		{"SiteSecretArn", *s.siteSecret.SecretArn(), "The secret of site keys, which tidemark site-key signs with"},
		{"AlertBusName", *s.bus.Ref(), "The event bus that is told of alerts: put a rule on it to hear of them"},
		{"MappingId", *s.mapping.Ref(), "The mapping from the table stream to aggregate"},
	}
	if len(s.stage.Doors.Things) > 0 {
		outputs = append(outputs, struct{ id, value, description string }{"Topic", s.stage.Doors.Topic, "First level of the MQTT topics: {topic}/devices/{id}/readings"})
	}
	if s.inbox != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InboxQueueUrl", *s.inbox.QueueUrl(), "The SQS door"})
	}
	if s.inlet != nil {
		outputs = append(outputs, struct{ id, value, description string }{"InletStreamName", *s.inlet.StreamName(), "The Kinesis door"})
	}
	for _, o := range outputs {
		awscdk.NewCfnOutput(s.Stack, new(o.id), &awscdk.CfnOutputProps{Value: &o.value, Description: &o.description})
	}
}
