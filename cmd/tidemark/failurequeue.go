package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// failureQueue is the on-failure queue of a deployed mapping.
type failureQueue struct {
	client *sqs.Client
	url    string
	hidden int32           // seconds that a message is ours alone
	seen   map[string]bool // ids handed out
}

// How long received messages are hidden from others: long enough to settle them, and
// a moment only where they are but looked at.
const (
	hiddenToSettle = 15 * 60
	hiddenToLook   = 30
)

func openQueue(ctx context.Context, to *connection, url string, look bool) (*failureQueue, error) {
	if !strings.HasPrefix(url, "http") {
		return nil, usagef("--queue %s: want its URL, the stack's output OnFailureQueueUrl", url)
	}
	read, err := awsConfig(ctx, to)
	if err != nil {
		return nil, err
	}
	client := sqs.NewFromConfig(read, func(o *sqs.Options) {
		if to.endpoint != "" { // a server on this machine
			o.BaseEndpoint = &url
		}
	})
	q := &failureQueue{client: client, url: url, hidden: hiddenToSettle, seen: map[string]bool{}}
	if look {
		q.hidden = hiddenToLook
	}
	return q, nil
}

func (q *failureQueue) receive(ctx context.Context) ([]message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: 10, VisibilityTimeout: q.hidden, WaitTimeSeconds: 2,
	})
	if err != nil {
		return nil, fmt.Errorf("queue %s: %w", q.url, err)
	}
	var fresh []message
	for _, m := range out.Messages {
		if m.MessageId == nil || m.Body == nil || m.ReceiptHandle == nil || q.seen[*m.MessageId] {
			continue
		}
		q.seen[*m.MessageId] = true
		fresh = append(fresh, message{id: *m.MessageId, handle: *m.ReceiptHandle, body: []byte(*m.Body)})
	}
	return fresh, nil
}

func (q *failureQueue) remove(ctx context.Context, m message) error {
	if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &m.handle}); err != nil {
		return fmt.Errorf("queue %s: %w", q.url, err)
	}
	return nil
}

// close does nothing: what was not removed shows again by itself.
func (q *failureQueue) close() error { return nil }
