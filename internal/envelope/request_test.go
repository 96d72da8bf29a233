package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/envelope"
)

func read(t *testing.T, payload string) (*events.APIGatewayV2HTTPRequest, envelope.Answer) {
	t.Helper()
	r, answer, err := envelope.ReadRequest([]byte(payload))
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	return r, answer
}

func TestReadRequest_WordsTheOlderFormInTheNewer(t *testing.T) {
	t.Parallel()
	r, _ := read(t, `{"httpMethod":"DELETE","path":"/v1/devices/a%2Fb","headers":{"X-One":"1","X-Two":"b"},"multiValueHeaders":{"X-One":["1"],"X-Two":["a","b"]},
		"queryStringParameters":{"a":"2"},"multiValueQueryStringParameters":{"a":["1","2"]},"body":"e30=","isBase64Encoded":true,
		"requestContext":{"stage":"v1","requestId":"7","identity":{"sourceIp":"203.0.113.7","userAgent":"curl"},"authorizer":{"claims":{"sub":"acme","n":5}}}}`)
	if envelope.Path(r) != "/v1/devices/a/b" || r.RequestContext.HTTP.Method != "DELETE" || r.RequestContext.RequestID != "7" {
		t.Errorf("%s %s as %s", r.RequestContext.HTTP.Method, envelope.Path(r), r.RequestContext.RequestID)
	}
	if envelope.Header(r, "x-two") != "a,b" || r.RawQueryString != "a=1&a=2" || r.QueryStringParameters["a"] != "1,2" {
		t.Errorf("headers %v, query %q %v: want every value", r.Headers, r.RawQueryString, r.QueryStringParameters)
	}
	if r.RequestContext.HTTP.SourceIP != "203.0.113.7" || r.RequestContext.HTTP.UserAgent != "curl" || !r.IsBase64Encoded || r.Body != "e30=" {
		t.Errorf("request %+v", r)
	}
	if owner, problem := envelope.OwnerOf(r, "sub"); problem != nil || !owner.Owns("acme:sensor_01") || owner.Owns("other:sensor_01") {
		t.Errorf("owner %+v, %v: want the one that the token's claim names", owner, problem)
	}
	if _, problem := envelope.OwnerOf(r, "n"); problem == nil {
		t.Error("a claim that is no text named an owner")
	}
}

func TestReadRequest_ALoadBalancerVouchesForNobody(t *testing.T) {
	t.Parallel()
	r, _ := read(t, `{"httpMethod":"POST","path":"/v1/readings","headers":{"x-forwarded-for":"10.0.0.1, 203.0.113.7","x-amzn-trace-id":"Root=1"},"requestContext":{"elb":{}}}`)
	if r.RequestContext.HTTP.SourceIP != "203.0.113.7" || r.RequestContext.RequestID != "Root=1" {
		t.Errorf("came from %q as %q, want what the balancer itself has seen", r.RequestContext.HTTP.SourceIP, r.RequestContext.RequestID)
	}
	if _, problem := envelope.OwnerOf(r, "sub"); problem == nil {
		t.Error("a caller without a token was given an owner")
	}
}

func TestReadRequest_StageInThePathOfTheHTTPAPIsOlderForm(t *testing.T) {
	t.Parallel()
	r, _ := read(t, `{"version":"1.0","httpMethod":"POST","path":"/prod/v1/readings","requestContext":{"stage":"prod"}}`)
	if got := envelope.Path(r); got != "/v1/readings" {
		t.Errorf("path %s, want /v1/readings", got)
	}
	r, _ = read(t, `{"httpMethod":"POST","path":"/v1/readings","requestContext":{"stage":"v1"}}`)
	if got := envelope.Path(r); got != "/v1/readings" {
		t.Errorf("of a REST API, whose path has no stage: path %s, want /v1/readings", got)
	}
}

func TestAnswer_IsInTheGatewaysOwnShape(t *testing.T) {
	t.Parallel()
	response := envelope.ProblemMethod.New("no").With("Allow", "POST").Response()
	for payload, want := range map[string]string{
		`{"version":"2.0","requestContext":{"http":{"method":"GET"}}}`:            `"headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{}}`:                                `"headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{"elb":{}},"headers":{}}`:           `"statusDescription":"405 Method Not Allowed","headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{"elb":{}},"multiValueHeaders":{}}`: `"multiValueHeaders":{"Allow":["POST"],`,
	} {
		_, answer := read(t, payload)
		text, err := json.Marshal(answer(response))
		if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), `"statusCode":405`) {
			t.Errorf("%s: answered %s (%v), want %s", payload, text, err, want)
		}
	}
}

func TestReadRequest_SaysWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`{"httpMethod":"POST","requestContext":{},"body":5}`, `{"version":"2.0","requestContext":{"http":{"method":"POST"}},"body":[]}`} {
		if _, _, err := envelope.ReadRequest([]byte(payload)); err == nil {
			t.Errorf("%s was read", payload)
		}
	}
}
