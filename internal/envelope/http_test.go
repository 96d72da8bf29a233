package envelope_test

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/envelope"
)

func TestPath(t *testing.T) {
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
		if got := envelope.Path(&r); got != c.want {
			t.Errorf("%s at stage %q: got %s, want %s", c.raw, c.stage, got, c.want)
		}
	}
}

func TestHeader_WhateverItsCase(t *testing.T) {
	t.Parallel()
	r := events.APIGatewayV2HTTPRequest{Headers: map[string]string{"CONTENT-type": "a/b"}}
	if got := envelope.Header(&r, "Content-Type"); got != "a/b" {
		t.Errorf("got %q, want a/b", got)
	}
	if got := envelope.Header(&r, "Accept"); got != "" {
		t.Errorf("absent: got %q, want none", got)
	}
}
