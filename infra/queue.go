package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
)

// addQueues creates the queues for failed deliveries: ranges of the table stream that a
// mapping stopped retrying, and observations that could not be delivered to ingest.
func (s *stack) addQueues() {
	s.onFailure = s.queue("OnFailureQueue", &awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
	s.undelivered = s.queue("UndeliveredQueue", &awssqs.QueueProps{RetentionPeriod: cdkDuration(s.settings.Mapping.FailureRetention)})
}

// queue creates an encrypted queue that accepts requests over TLS only.
func (s *stack) queue(id string, props *awssqs.QueueProps) awssqs.Queue {
	props.EnforceSSL = new(true)
	props.Encryption = awssqs.QueueEncryption_SQS_MANAGED
	if s.key != nil {
		props.Encryption, props.EncryptionMasterKey = awssqs.QueueEncryption_KMS, s.key
	}
	props.RemovalPolicy = s.removalPolicy()
	q := withLogicalID(awssqs.NewQueue(s.Stack, &id, props), id)
	withLogicalID(q.Node().FindChild(new("Policy")), id+"Policy")
	return q
}

func cdkDuration(d time.Duration) awscdk.Duration { return awscdk.Duration_Seconds(new(d.Seconds())) }
