// Package undelivered appends what ingest did not receive: the messages of a stack's undelivered queue,
// of which there are four forms. The package prints nothing.
package undelivered

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Form is how a message came into the queue.
type Form string

// The forms.
const (
	Inbox      Form = "inbox"      // ingest failed to process it as often as the inbox queue allows
	Invocation Form = "invocation" // Lambda gave up an asynchronous invocation, of an IoT rule
	Rule       Form = "rule"       // an IoT rule could not invoke ingest
	Stream     Form = "stream"     // a range of the data stream was discarded; the message has its position
)

var errNotRule = errors.New("the invocation was not of an IoT rule: send its payload to its source again")

// Message is one message of the queue.
type Message struct {
	onfailure.Message
	Form   Form
	Detail string // a topic, a condition or a shard, for people
	Err    error  // why it cannot be replayed as it is; nil if it can

	origin  string // identifies its observations, as it did when they were delivered to ingest
	payload []byte
	decode  envelope.Decoder
	lost    Range // of a Stream
}

// Decode finds out the form of a message. What SQS moved from the inbox queue, and what has no form of a
// service, is the body of a message of the inbox queue. So no sender of that queue can have a message taken
// for one of a service.
func Decode(m onfailure.Message, kinds *catalog.Catalog) Message {
	if m.Moved {
		return ofInbox(m)
	}
	var in struct {
		RequestContext struct{ RequestID, Condition string }
		RequestPayload json.RawMessage
		Batch          Range `json:"KinesisBatchInfo"`
		RuleName       string
		failedByRule
		Batched []failedByRule `json:"payloadsWithMetadata"`
	}
	_ = json.Unmarshal(m.Body, &in) // what is not an object has no member
	switch {
	case in.Batch.StreamARN != "":
		return Message{Message: m, Form: Stream, Detail: in.RequestContext.Condition + " " + in.Batch.ShardID,
			lost: in.Batch, decode: envelope.FromRule}
	case in.RequestPayload != nil:
		d := Message{Message: m, Form: Invocation, Detail: in.RequestContext.Condition,
			origin: in.RequestContext.RequestID, payload: in.RequestPayload, decode: envelope.FromDevice}
		if source, err := envelope.DetectSource(d.payload); err != nil || source != envelope.IoT {
			d.Err = errNotRule
		}
		return d
	case in.RuleName != "" && in.Topic != "":
		d := Message{Message: m, Form: Rule, Detail: in.Topic, origin: m.ID, decode: envelope.FromDevice}
		d.payload, d.Err = in.evaluate(kinds)
		return d
	case in.RuleName != "" && len(in.Batched) > 0:
		d := Message{Message: m, Form: Rule, Detail: in.Batched[0].Topic, origin: m.ID, decode: envelope.FromThings}
		payloads := make([]json.RawMessage, len(in.Batched))
		for i, one := range in.Batched {
			if payloads[i], d.Err = one.evaluate(kinds); d.Err != nil {
				return d
			}
		}
		d.payload, d.Err = json.Marshal(payloads)
		return d
	}
	return ofInbox(m)
}

func ofInbox(m onfailure.Message) Message {
	return Message{Message: m, Form: Inbox, origin: m.ID, payload: m.Body, decode: envelope.FromRule}
}

// failedByRule is a message of a device that a rule could not deliver.
type failedByRule struct {
	Topic    string
	Original []byte `json:"base64OriginalPayload"`
}

// evaluate returns what the rule of the topic would have sent.
func (f failedByRule) evaluate(kinds *catalog.Catalog) ([]byte, error) {
	topic, ok := envelope.FindTopic(kinds, f.Topic)
	if !ok {
		return nil, fmt.Errorf("no kind has the topic %.200q: declare the kind", f.Topic)
	}
	if topic.Source != "" {
		return nil, fmt.Errorf("messages of %.200q are mapped by sources: publish it again", f.Topic)
	}
	return envelope.ByRule(f.Original, topic.Kind.Name, topic.Subject, topic.Batch)
}

// Queue has the messages. Receive returns messages that were not returned before; none means that
// there are no more at the moment.
type Queue interface {
	Receive(ctx context.Context) ([]onfailure.Message, error)
	Remove(ctx context.Context, m onfailure.Message) error
}

// Replayer appends the observations of messages and removes those messages. Replaying is safe at any
// time: an event that is stored is a duplicate, also of a kind whose ids are minted, because observations
// keep the identity that they had when they were delivered. It is for one goroutine.
type Replayer struct {
	Queue    Queue
	Catalog  *catalog.Catalog
	Appender *quarantine.Retrier
	Stream   Reader
}

// Each calls visit for each message of the queue.
func (r *Replayer) Each(ctx context.Context, visit func(Message) error) error {
	for {
		received, err := r.Queue.Receive(ctx)
		if err != nil || len(received) == 0 {
			return err
		}
		for _, m := range received {
			if err := visit(Decode(m, r.Catalog)); err != nil {
				return err
			}
		}
	}
}

// Replay appends the observations of a message and, if each is stored, removes it. An error says why the
// message stays.
func (r *Replayer) Replay(ctx context.Context, m Message) (done quarantine.Result, err error) {
	if m.Err != nil {
		return done, m.Err
	}
	add := func(origin string, payload []byte) error {
		result, err := r.Appender.Append(ctx, m.decode, payload, origin)
		done.Outcomes = append(done.Outcomes, result.Outcomes...)
		return err
	}
	if m.Form == Stream {
		err = r.Stream.Read(ctx, m.lost, add)
	} else {
		err = add(m.origin, m.payload)
	}
	done.Outcomes = slices.Compact(done.Outcomes)
	if err == nil {
		err = r.Queue.Remove(ctx, m.Message)
	}
	return done, err
}
