// Package onfailure reads the messages that name the ranges of the table stream which
// the functions failed to process: from the on-failure queue of a deployed stack, or
// from the on-failure file of a stack on this machine.
package onfailure

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// SQS is the part of the SDK's client that a Queue calls.
type SQS interface {
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput,
		options ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(ctx context.Context, in *sqs.DeleteMessageInput,
		options ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
}

var _ SQS = (*sqs.Client)(nil)

// Queue is the on-failure queue of a deployed stack. It is for one goroutine.
type Queue struct {
	client     SQS
	url        string
	visibility int32           // seconds that a received message is hidden from other readers
	seen       map[string]bool // IDs of messages that were returned
}

// How long a received message is hidden, in seconds: long enough to process it, and
// short where it is only counted.
const (
	hiddenToProcess = 15 * 60
	hiddenToCount   = 30
)

// OpenQueue returns the queue at a URL; see NewQueue. If local, requests go to the server
// of the URL itself, on this machine, and not to AWS.
func OpenQueue(config aws.Config, url string, local, readOnly bool) *Queue {
	client := sqs.NewFromConfig(config, func(o *sqs.Options) {
		if local {
			o.BaseEndpoint = &url
		}
	})
	return NewQueue(client, url, readOnly)
}

// NewQueue returns the queue at a URL. If readOnly, messages are hidden for a short
// time only, and the caller must not remove them.
func NewQueue(client SQS, url string, readOnly bool) *Queue {
	q := &Queue{client: client, url: url, visibility: hiddenToProcess, seen: map[string]bool{}}
	if readOnly {
		q.visibility = hiddenToCount
	}
	return q
}

// Receive returns messages that were not returned before; none means that there are no more at the moment.
func (q *Queue) Receive(ctx context.Context) ([]Message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: 10, VisibilityTimeout: q.visibility, WaitTimeSeconds: 2,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{movedFrom},
	})
	if err != nil {
		return nil, fmt.Errorf("queue %s: %w", q.url, err)
	}
	var fresh []Message
	for _, m := range out.Messages {
		if m.MessageId == nil || m.Body == nil || m.ReceiptHandle == nil || q.seen[*m.MessageId] {
			continue
		}
		q.seen[*m.MessageId] = true
		_, moved := m.Attributes[string(movedFrom)]
		fresh = append(fresh,
			Message{ID: *m.MessageId, Handle: *m.ReceiptHandle, Body: []byte(*m.Body), Moved: moved})
	}
	return fresh, nil
}

// Remove deletes a message.
func (q *Queue) Remove(ctx context.Context, m Message) error {
	if _, err := q.client.DeleteMessage(ctx,
		&sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &m.Handle}); err != nil {
		return fmt.Errorf("queue %s: %w", q.url, err)
	}
	return nil
}

// Close does nothing: messages that were not removed become visible again by themselves.
func (q *Queue) Close() error { return nil }

// movedFrom is the attribute that SQS gives to a message that it moves to a dead-letter queue. No sender can
// set it.
const movedFrom = types.MessageSystemAttributeNameDeadLetterQueueSourceArn

// Message is one on-failure message.
type Message struct {
	ID     string // identifies it for people
	Handle string // identifies it for Remove
	Body   []byte
	Moved  bool // SQS moved it from another queue, so its body is what that queue's sender wrote
}
