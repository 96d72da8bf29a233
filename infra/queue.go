package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
)

// addQueues makes the places for what could not be done: ranges of the table stream
// that the mapping gave up, and observations that no retry brought to ingest.
func (s *stack) addQueues() {
	s.onFailure = s.queue("OnFailureQueue", &awssqs.QueueProps{RetentionPeriod: lasting(s.settings.Mapping.FailureRetention)})
	s.undelivered = s.queue("UndeliveredQueue", &awssqs.QueueProps{RetentionPeriod: lasting(s.settings.Mapping.FailureRetention)})
}

// queue makes a queue that is encrypted and takes requests over TLS only.
func (s *stack) queue(id string, props *awssqs.QueueProps) awssqs.Queue {
	props.EnforceSSL = new(true)
	props.Encryption = awssqs.QueueEncryption_SQS_MANAGED
	if s.key != nil {
		props.Encryption, props.EncryptionMasterKey = awssqs.QueueEncryption_KMS, s.key
	}
	props.RemovalPolicy = s.gone()
	q := called(awssqs.NewQueue(s.Stack, &id, props), id)
	called(q.Node().FindChild(new("Policy")), id+"Policy")
	return q
}

func lasting(d time.Duration) awscdk.Duration { return awscdk.Duration_Seconds(new(d.Seconds())) }
