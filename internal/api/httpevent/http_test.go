package httpevent_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent"
)

func decode(t *testing.T, payload string) (*httpapi.Request, httpevent.EncodeResponse) {
	t.Helper()
	r, encode, err := httpevent.Decode([]byte(payload))
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	return r, encode
}

func TestDecodeHTTP_RemovesTheStageFromThePath(t *testing.T) {
	t.Parallel()
	cases := []struct{ stage, raw, want string }{
		{"$default", "/v1/readings", "/v1/readings"},
		{"", "/v1/readings", "/v1/readings"},
		{"prod", "/prod/v1/readings", "/v1/readings"},
		{"prod", "/v1/readings", "/v1/readings"}, // a custom domain hides the stage
		{"v1", "/v1", "/v1"},
		{"prod", "/production/v1", "/production/v1"},
	}
	for _, c := range cases {
		r := events.APIGatewayV2HTTPRequest{RawPath: c.raw}
		r.RequestContext.Stage = c.stage
		payload, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := decode(t, string(payload)); got.Path != c.want {
			t.Errorf("%s at stage %q: got %s, want %s", c.raw, c.stage, got.Path, c.want)
		}
	}
	r, _ := decode(t, `{"version":"1.0","httpMethod":"POST","path":"/prod/v1/readings","requestContext":{"stage":"prod"}}`)
	if r.Path != "/v1/readings" {
		t.Errorf("format 1.0 of the HTTP API: path %s, want /v1/readings", r.Path)
	}
	r, _ = decode(t, `{"httpMethod":"POST","path":"/v1/readings","requestContext":{"stage":"v1"}}`)
	if r.Path != "/v1/readings" {
		t.Errorf("REST API, whose path has no stage: path %s, want /v1/readings", r.Path)
	}
}

func TestDecodeHTTP_ReadsTheCaller(t *testing.T) {
	t.Parallel()
	r, _ := decode(t, `{"version":"2.0","requestContext":{"http":{"method":"GET","sourceIp":"203.0.113.7"},"requestId":"7",
		"authorizer":{"jwt":{"claims":{"sub":"u1"}},"iam":{"userArn":"arn:u"},"lambda":{"site":"s"}}}}`)
	if r.Claims["sub"] != "u1" || r.UserARN != "arn:u" || r.Authorizer["site"] != "s" || r.ID != "7" ||
		r.SourceIP != "203.0.113.7" || r.Method != "GET" {
		t.Errorf("got %+v", r)
	}
}

func TestDecodeHTTP_ReadsTheOlderFormat(t *testing.T) {
	t.Parallel()
	r, _ := decode(t, `{"httpMethod":"DELETE","path":"/v1/devices/a%2Fb","headers":{"X-One":"1","X-Two":"b"},"multiValueHeaders":{"X-One":["1"],"X-Two":["a","b"]},
		"queryStringParameters":{"a":"2"},"multiValueQueryStringParameters":{"a":["1","2"]},"body":"e30=","isBase64Encoded":true,
		"requestContext":{"stage":"v1","requestId":"7","identity":{"sourceIp":"203.0.113.7"},"authorizer":{"claims":{"sub":"acme","n":5}}}}`)
	if r.Path != "/v1/devices/a/b" || r.Method != "DELETE" || r.ID != "7" {
		t.Errorf("got %s %s with id %s", r.Method, r.Path, r.ID)
	}
	if r.Header("x-two") != "a,b" || r.RawQuery != "a=1&a=2" {
		t.Errorf("headers %v, query %q: want every value", r.Headers, r.RawQuery)
	}
	if r.SourceIP != "203.0.113.7" || !r.Base64 || r.Body != "e30=" {
		t.Errorf("got %+v", r)
	}
	if owner, problem := r.Owner("sub"); problem != nil || !owner.Owns("acme:sensor_01") ||
		owner.Owns("other:sensor_01") {
		t.Errorf("owner %+v, %v: want the owner that the claim names", owner, problem)
	}
	if _, problem := r.Owner("n"); problem == nil {
		t.Error("a claim that is not text named an owner")
	}
}

func TestDecodeHTTP_ALoadBalancerHasNoClaims(t *testing.T) {
	t.Parallel()
	r, _ := decode(t, `{"httpMethod":"POST","path":"/v1/readings","headers":{"x-forwarded-for":"10.0.0.1, 203.0.113.7","x-amzn-trace-id":"Root=1"},"requestContext":{"elb":{}}}`)
	if r.SourceIP != "203.0.113.7" || r.ID != "Root=1" {
		t.Errorf("address %q, id %q: want the address that the load balancer saw, and its trace id", r.SourceIP,
			r.ID)
	}
	if _, problem := r.Owner("sub"); problem == nil {
		t.Error("a caller without a token got an owner")
	}
}

// A load balancer passes the query as it is in the URL, and a REST API passes it decoded.
func TestDecodeHTTP_DecodesTheQueryOnce(t *testing.T) {
	t.Parallel()
	const single, several = `"queryStringParameters":`, `"multiValueQueryStringParameters":`
	const balancer, rest = `,"requestContext":{"elb":{}}`, `,"requestContext":{}`
	for payload, want := range map[string]string{
		single + `{"from":"14%3A00Z","a%20b":"1+2"}` + balancer: `map[a b:[1 2] from:[14:00Z]]`,
		several + `{"with":["a%26with=b","c"]}` + balancer:      `map[with:[a&with=b c]]`,
		single + `{"from":"14:00Z","a":"%3A"}` + rest:           `map[a:[%3A] from:[14:00Z]]`,
		several + `{"with":["a&with=b","c"]}` + rest:            `map[with:[a&with=b c]]`,
	} {
		r, _ := decode(t, `{"httpMethod":"GET","path":"/v1/readings",`+payload+`}`)
		values, err := url.ParseQuery(r.RawQuery)
		if got := fmt.Sprint(values); err != nil || got != want {
			t.Errorf("%s: got %s (%v), want %s", payload, got, err, want)
		}
	}
}

func TestEncodeResponse_HasTheGatewaysFormat(t *testing.T) {
	t.Parallel()
	response := httpapi.ProblemMethod.New("no").With("Allow", "POST").Response()
	for payload, want := range map[string]string{
		`{"version":"2.0","requestContext":{"http":{"method":"GET"}}}`:            `"headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{}}`:                                `"headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{"elb":{}},"headers":{}}`:           `"statusDescription":"405 Method Not Allowed","headers":{"Allow":"POST",`,
		`{"httpMethod":"GET","requestContext":{"elb":{}},"multiValueHeaders":{}}`: `"multiValueHeaders":{"Allow":["POST"],`,
	} {
		_, encode := decode(t, payload)
		text, err := json.Marshal(encode(response))
		if err != nil || !strings.Contains(string(text), want) ||
			!strings.Contains(string(text), `"statusCode":405`) {
			t.Errorf("%s: got %s (%v), want %s", payload, text, err, want)
		}
	}
}

func TestDecodeHTTP_RejectsInvalidPayloads(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`{"httpMethod":"POST","requestContext":{},"body":5}`,
		`{"version":"2.0","requestContext":{"http":{"method":"POST"}},"body":[]}`} {
		if _, _, err := httpevent.Decode([]byte(payload)); err == nil {
			t.Errorf("%s: want an error", payload)
		}
	}
}
