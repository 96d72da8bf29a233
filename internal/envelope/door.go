package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Door is a way in, told by the shape of what it sends.
type Door string

// The doors of observations.
const (
	HTTP    Door = "http"    // a gateway of whatever make: the caller is told
	Collect Door = "collect" // browsers, through the HTTP API: told no more than that it went well
	IoT     Door = "iot"     // an IoT rule: nobody is told, so what is rejected is kept
	SQS     Door = "sqs"     // a queue: as IoT, in batches
	Kinesis Door = "kinesis" // a data stream: as IoT, in batches, in order
)

// ErrNoDoor is a payload of a service that no door of ours is for.
var ErrNoDoor = errors.New("the payload is that of no door: want a request of API Gateway, of a function URL or of a load balancer, a batch of SQS or Kinesis, or a message of an IoT rule")

// signs has a row for each shape a door may send, the first that fits wins. What a
// rule has marked with a topic's subject is a device's message whatever else it says:
// a device cannot pass for a caller, nor for a queue.
var signs = []struct {
	door Door
	fits func(shape) bool
}{
	{IoT, func(s shape) bool { return s.has(RuleSubject) }},
	{SQS, func(s shape) bool { return s.source() == "aws:sqs" }},
	{Kinesis, func(s shape) bool { return s.source() == "aws:kinesis" }},
	{HTTP, func(s shape) bool { return s.text("version") == "2.0" && s.context().HTTP.Method != "" }},
	{HTTP, func(s shape) bool { return s.text("httpMethod") != "" && s.has("requestContext") }},
	{IoT, func(s shape) bool { return s.foreign() == "" }},
}

// DoorOf tells whose payload it is. What bears no sign of any service is taken for a
// device's message, since one may be anything; the error is ErrNoDoor.
func DoorOf(payload []byte) (Door, error) {
	s := shapeOf(payload)
	for _, sign := range signs {
		if sign.fits(s) {
			return sign.door, nil
		}
	}
	return "", fmt.Errorf("%w; this has %s", ErrNoDoor, s.foreign())
}

// shape is the members of a payload that is an object, none of any other: names as
// they are spelled, values unread.
type shape map[string]json.RawMessage

func shapeOf(payload []byte) shape {
	var s shape
	if json.Unmarshal(payload, &s) != nil {
		return nil
	}
	return s
}

func (s shape) has(name string) bool {
	_, ok := s[name]
	return ok
}

func (s shape) text(name string) (text string) {
	if json.Unmarshal(s[name], &text) != nil {
		return ""
	}
	return text
}

// source is the service whose records these are.
func (s shape) source() string {
	var records []struct {
		Source string `json:"eventSource"`
	}
	if json.Unmarshal(s["Records"], &records) != nil || len(records) == 0 {
		return ""
	}
	return records[0].Source
}

// requestContext is what a gateway says of a request beside the request.
type requestContext struct {
	HTTP struct {
		Method string `json:"method"`
	} `json:"http"`
	Balancer *struct{} `json:"elb"` // of a load balancer alone
}

func (s shape) context() (c requestContext) {
	_ = json.Unmarshal(s["requestContext"], &c) // what is not one has no method either
	return c
}

// foreign is what shows that a payload is some service's, and no device's; "" where
// nothing does.
func (s shape) foreign() string {
	for _, name := range []string{"Records", "requestContext", "detail-type", "awslogs"} {
		if s.has(name) {
			return fmt.Sprintf("%s %.80s", name, s[name])
		}
	}
	return ""
}
