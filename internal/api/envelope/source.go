package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Source is where an invocation comes from, recognised by the format of its payload.
type Source string

// The sources of observations.
const (
	HTTP    Source = "http"    // any HTTP gateway: the caller gets a response
	Collect Source = "collect" // browsers, through the HTTP API: the response has no content
	Senders Source = "senders" // of other databases, through the HTTP API: with a write key
	IoT     Source = "iot"     // an IoT rule: without a response, so rejected messages are quarantined
	SQS     Source = "sqs"     // a queue: like IoT, in batches
	Kinesis Source = "kinesis" // a data stream: like IoT, in ordered batches
)

// ErrUnknownSource reports a payload of a service that is not a Source.
var ErrUnknownSource = errors.New(
	"the source of the payload is unknown: want a request from API Gateway, a function URL or a load " +
		"balancer, a batch from SQS or Kinesis, or a message from an IoT rule")

// sourceRules has a row for each payload format; the first match wins. A payload with the rule's field is a
// device's message whatever its other fields are, so that a device cannot impersonate a caller or a queue.
var sourceRules = []struct {
	source  Source
	matches func(payloadShape) bool
	records func(payload []byte) ([]batchRecord, error) // of a batch; nil for HTTP and IoT, which have none
}{
	{source: IoT, matches: func(s payloadShape) bool { return s.has(RuleSubject) }},
	{
		source: SQS, records: recordsOfSQS,
		matches: func(s payloadShape) bool { return s.eventSource() == "aws:sqs" },
	},
	{
		source: Kinesis, records: recordsOfKinesis,
		matches: func(s payloadShape) bool { return s.eventSource() == "aws:kinesis" },
	},
	{source: HTTP, matches: func(s payloadShape) bool {
		return s.text("version") == "2.0" && s.context().HTTP.Method != ""
	}},
	{source: HTTP, matches: func(s payloadShape) bool {
		return s.text("httpMethod") != "" && s.has("requestContext")
	}},
	{source: IoT, matches: func(s payloadShape) bool { return s.serviceSign() == "" }},
}

// DetectSource returns the source of a payload. A payload without the format of any service has
// the source IoT, since devices send anything; FromDevice refuses it unless a rule has marked
// it. The error wraps ErrUnknownSource.
func DetectSource(payload []byte) (Source, error) {
	s := detectShape(payload)
	for _, rule := range sourceRules {
		if rule.matches(s) {
			return rule.source, nil
		}
	}
	return "", fmt.Errorf("%w; it has %s", ErrUnknownSource, s.serviceSign())
}

// payloadShape has the members of a payload that is an object, undecoded; nil for any other
// payload. Names are case-sensitive.
type payloadShape map[string]json.RawMessage

func detectShape(payload []byte) payloadShape {
	var s payloadShape
	if json.Unmarshal(payload, &s) != nil {
		return nil
	}
	return s
}

func (s payloadShape) has(name string) bool {
	_, ok := s[name]
	return ok
}

func (s payloadShape) text(name string) (text string) {
	if json.Unmarshal(s[name], &text) != nil {
		return ""
	}
	return text
}

// eventSource returns the service that the records come from.
func (s payloadShape) eventSource() string {
	var records []struct {
		Source string `json:"eventSource"`
	}
	if json.Unmarshal(s["Records"], &records) != nil || len(records) == 0 {
		return ""
	}
	return records[0].Source
}

// requestContext is the part of a gateway's request context that identifies the gateway.
type requestContext struct {
	HTTP struct {
		Method string `json:"method"`
	} `json:"http"`
}

func (s payloadShape) context() (c requestContext) {
	_ = json.Unmarshal(s["requestContext"], &c) // an invalid context has no method
	return c
}

// serviceSign returns the member that shows that a service sent the payload, "" if there is none.
func (s payloadShape) serviceSign() string {
	for _, name := range []string{"Records", "requestContext", "detail-type", "awslogs"} {
		if s.has(name) {
			return fmt.Sprintf("%s %.80s", name, s[name])
		}
	}
	return ""
}
