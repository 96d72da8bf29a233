package envelope_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

func TestDetectSource(t *testing.T) {
	t.Parallel()
	cases := map[string]envelope.Source{
		`{"version":"2.0","requestContext":{"http":{"method":"POST"}}}`:           envelope.HTTP,
		`{"version":"1.0","httpMethod":"POST","requestContext":{"stage":"a"}}`:    envelope.HTTP,
		`{"httpMethod":"POST","requestContext":{"apiId":"a"}}`:                    envelope.HTTP,
		`{"httpMethod":"POST","requestContext":{"elb":{"targetGroupArn":"arn"}}}`: envelope.HTTP,
		`{"Records":[{"eventSource":"aws:sqs"}]}`:                                 envelope.SQS,
		`{"Records":[{"eventSource":"aws:kinesis"}]}`:                             envelope.Kinesis,
		// A device may send any fields, and is still a device.
		`{"version":"2.0","requestContext":{"http":{"method":"POST"}},"tidemark_subject":"a"}`: envelope.IoT,
		`{"httpMethod":"POST","requestContext":{},"tidemark_subject":"a"}`:                     envelope.IoT,
		`{"Records":[{"eventSource":"aws:sqs"}],"tidemark_subject":"a"}`:                       envelope.IoT,
		`{"Records":[{"eventSource":"aws:kinesis"}],"tidemark_subject":null}`:                  envelope.IoT,
		`{"version":2}`:                          envelope.IoT,
		`{"version":"2.0"}`:                      envelope.IoT,
		`{"httpMethod":"POST"}`:                  envelope.IoT,
		`{"records":[1]}`:                        envelope.IoT,
		`{"temperature":1}`:                      envelope.IoT,
		`[{}]`:                                   envelope.IoT,
		`[{"Records":[{}]}]`:                     envelope.IoT,
		`5`:                                      envelope.IoT,
		``:                                       envelope.IoT,
		`{"Records":[{"eventS`:                   envelope.IoT,
		`{"awslogs":{"data":""}}`:                "",
		`{"Records":[]}`:                         "",
		`{"Records":5}`:                          "",
		`{"Records":[{"eventSource":"aws:s3"}]}`: "",
		`{"Records":[{"EventSource":"aws:sns"}],"version":"2.0"}`:    "",
		`{"version":"0","detail-type":"Object Created","detail":{}}`: "",
		`{"version":"2.0","requestContext":{"http":{}}}`:             "",
		`{"version":2,"requestContext":{"http":{"method":"POST"}}}`:  "",
	}
	for payload, want := range cases {
		got, err := envelope.DetectSource([]byte(payload))
		if got != want || errors.Is(err, envelope.ErrUnknownSource) != (want == "") {
			t.Errorf("%s: got %q, %v; want %q", payload, got, err, want)
		}
	}
}

// A payload with the rule's field is a device's message, whatever its other fields are.
func FuzzDetectSource(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add(`"Records":[{"eventSource":"aws:sqs"}]`)
	f.Add(`"version":"2.0","requestContext":{"http":{"method":"POST"}}`)
	f.Fuzz(func(t *testing.T, members string) {
		payload := []byte(`{` + members + `,"tidemark_subject":"sensor_01"}`)
		if source, err := envelope.DetectSource(payload); err == nil && source != envelope.IoT {
			t.Errorf("%s: got source %s, want %s", payload, source, envelope.IoT)
		}
	})
}
