package onfailure

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// repeatingSQS returns the same messages at every request.
type repeatingSQS struct {
	messages   []types.Message
	visibility int32
	attributes []types.MessageSystemAttributeName
	deleted    []string
}

func (s *repeatingSQS) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput,
	_ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	s.visibility, s.attributes = in.VisibilityTimeout, in.MessageSystemAttributeNames
	return &sqs.ReceiveMessageOutput{Messages: s.messages}, nil
}

func (s *repeatingSQS) DeleteMessage(_ context.Context, in *sqs.DeleteMessageInput,
	_ ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error) {
	s.deleted = append(s.deleted, *in.ReceiptHandle)
	return &sqs.DeleteMessageOutput{}, nil
}

func TestQueue_ReturnsEachMessageOnce(t *testing.T) {
	client := &repeatingSQS{messages: []types.Message{
		{MessageId: new("m"), ReceiptHandle: new("receipt"), Body: new("body")},
		{MessageId: new("without a body"), ReceiptHandle: new("receipt 2")},
	}}
	q := NewQueue(client, "https://queue", false)
	got, err := q.Receive(t.Context())
	if err != nil || len(got) != 1 || got[0].ID != "m" || string(got[0].Body) != "body" {
		t.Fatalf("received %+v, %v", got, err)
	}
	if again, err := q.Receive(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("received again %+v, %v; want none", again, err)
	}
	if err := q.Remove(t.Context(), got[0]); err != nil || len(client.deleted) != 1 ||
		client.deleted[0] != "receipt" {
		t.Errorf("deleted %v, %v; want the receipt of the message", client.deleted, err)
	}
}

func TestQueue_HidesMessagesShortlyIfReadOnly(t *testing.T) {
	for readOnly, want := range map[bool]int32{true: 30, false: 900} {
		client := &repeatingSQS{}
		if _, err := NewQueue(client, "https://queue", readOnly).Receive(t.Context()); err != nil ||
			client.visibility != want {
			t.Errorf("read-only %t: hidden for %d s, %v; want %d s", readOnly, client.visibility, err, want)
		}
	}
}

// SQS says which messages it moved from another queue, to who asks for it.
func TestQueue_SaysWhatWasMoved(t *testing.T) {
	message := func(id string, attributes map[string]string) types.Message {
		return types.Message{MessageId: &id, ReceiptHandle: &id, Body: &id, Attributes: attributes}
	}
	client := &repeatingSQS{messages: []types.Message{
		message("moved", map[string]string{"DeadLetterQueueSourceArn": "arn:aws:sqs:eu-west-1:123456789012:inbox"}),
		message("sent", nil),
	}}
	got, err := NewQueue(client, "https://queue", true).Receive(t.Context())
	if err != nil || len(got) != 2 || !got[0].Moved || got[1].Moved {
		t.Errorf("received %+v, %v; want the first moved", got, err)
	}
	if !slices.Contains(client.attributes, "DeadLetterQueueSourceArn") {
		t.Errorf("the request names the attributes %q", client.attributes)
	}
}
