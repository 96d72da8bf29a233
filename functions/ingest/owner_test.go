package main

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"

	"github.com/aws/aws-lambda-go/events"
)

// ownedBy is the owner that a token names.
func ownedBy(t *testing.T, name string) envelope.Owner {
	t.Helper()
	r := &events.APIGatewayV2HTTPRequest{}
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": name}},
	}
	owner, problem := envelope.OwnerOf(r, "account")
	if problem != nil {
		t.Fatal(problem)
	}
	return owner
}

func TestFlagForeign_RejectsWhatTheCallerDoesNotOwn(t *testing.T) {
	of := func(name, text string, form ingest.Form) ingest.Observation {
		return ingest.Observation{Fields: []ingest.Field{{Name: "temperature", Form: ingest.NumberForm, Text: "1"}, {Name: name, Form: form, Text: text}}}
	}
	observations := []ingest.Observation{
		of("deviceId", "acme:sensor_01", ingest.TextForm),
		of("deviceId", "sensor_01", ingest.TextForm),
		of("deviceId", "other:sensor_01", ingest.TextForm),
		of("location", "other:hall", ingest.TextForm), // no subject: admission says so
	}
	flagForeign(observations, "deviceId", ownedBy(t, "acme"))
	for i, want := range []string{"", codeForeign, codeForeign, ""} {
		got := ""
		if f := observations[i].Flaw; f != nil {
			got = f.Code
		}
		if got != want {
			t.Errorf("observation %d is flagged %q, want %q", i, got, want)
		}
	}
}

func TestFlagForeign_BindsNobodyWithoutAClaim(t *testing.T) {
	observations := []ingest.Observation{{Fields: []ingest.Field{{Name: "deviceId", Form: ingest.TextForm, Text: "sensor_01"}}}}
	flagForeign(observations, "deviceId", envelope.Owner{})
	if observations[0].Flaw != nil {
		t.Errorf("flagged: %v", observations[0].Flaw)
	}
}
