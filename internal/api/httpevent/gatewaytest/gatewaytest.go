// Package gatewaytest makes the payloads that the gateways of AWS send a function for one HTTP request, and
// tests what a function serves by which route.
package gatewaytest

import (
	"encoding/json"
	"strings"
	"testing"
)

// Request is a request that a gateway authorized by a route.
type Request struct {
	Method string
	Route  string // the path of the route, as "/v1/{read+}"; "$default" if the API has no other
	Path   string // as the gateway hands it over
	Body   string
	Claims map[string]any // of the caller's token
	Forged bool           // the claims stand where another gateway has them
	Signer string         // the ARN of the caller who signed the request
	Alike  []string       // paths of other routes by which the function serves it too
}

// Gateways are the forms of payloads, by name.
var Gateways = map[string]func(*testing.T, Request) json.RawMessage{
	"HTTP API": func(t *testing.T, r Request) json.RawMessage {
		key := r.Method + " " + r.Route
		if !strings.HasPrefix(r.Route, "/") {
			key = r.Route
		}
		context := object{"stage": "prod", "routeKey": key, "http": object{"method": r.Method, "path": "/health"}}
		context["authorizer"] = object{"jwt": object{"claims": r.Claims}}
		if r.Forged {
			context["authorizer"] = object{"claims": r.Claims, "lambda": r.Claims}
		}
		if r.Signer != "" {
			context["authorizer"] = object{"iam": object{"userArn": r.Signer}}
		}
		return encode(t, object{"version": "2.0", "routeKey": key, "rawPath": "/prod" + r.Path, "body": r.Body,
			"path": "/health", "headers": r.Claims, "requestContext": context})
	},
	"HTTP API 1.0": func(t *testing.T, r Request) json.RawMessage {
		payload := format1(r)
		payload["version"], payload["path"] = "1.0", "/prod"+r.Path
		return encode(t, payload)
	},
	"REST API": func(t *testing.T, r Request) json.RawMessage { return encode(t, format1(r)) },
	LoadBalancer: func(t *testing.T, r Request) json.RawMessage {
		return encode(t, object{"httpMethod": r.Method, "path": r.Path, "body": r.Body, "headers": r.Claims,
			"requestContext": object{"elb": object{"targetGroupArn": "arn:aws:elasticloadbalancing:…"}}})
	},
}

// LoadBalancer is the gateway without routes, which authorizes every path alike.
const LoadBalancer = "load balancer"

type object map[string]any

func format1(r Request) object {
	context := object{"stage": "prod", "path": "/prod/health", "resourcePath": "/health",
		"authorizer": object{"claims": r.Claims}, "identity": object{"userArn": r.Signer}}
	if r.Forged {
		context["authorizer"] = object{"jwt": object{"claims": r.Claims}, "lambda": r.Claims}
	}
	return object{"httpMethod": r.Method, "resource": r.Route, "path": r.Path, "rawPath": "/health",
		"body": r.Body, "headers": r.Claims, "requestContext": context}
}

func encode(t *testing.T, payload object) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Status returns the status of a function's response to a request of any gateway.
func Status(t *testing.T, response any) (status int) {
	t.Helper()
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	decoded := struct{ StatusCode *int }{&status}
	if err := json.Unmarshal(text, &decoded); err != nil || status == 0 {
		t.Fatalf("%s is not the response to a request of a gateway: %v", text, err)
	}
	return status
}
