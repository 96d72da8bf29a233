package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FuzzHandle sends any payload to the authorizer of a deployed stage: it allows the one site key and the one
// link that the stage signed, and nothing else.
func FuzzHandle(f *testing.F) {
	signing := []byte("a-long-secret-of-the-stage")
	key := access.NewSiteKey(signing, "my-site")
	link := access.NewLink(signing, access.Link{Subject: "devices/a", Until: time.Unix(2_000_000_000, 0)})
	now := func() model.Time { return model.NewTime(time.Unix(1_900_000_000, 0)) }
	log := slog.New(slog.DiscardHandler)
	h := &handler{secrets: secret.Fixed(signing), keys: memory.New(now), now: now, log: log}
	for _, routeKey := range []string{
		"POST " + access.SiteKeyRoute, "GET " + access.LinkRoute, "POST /write", "GET " + access.ReportRoute,
		"$default", "", "ANY /{proxy+}",
	} {
		for _, credential := range []string{key, link, key + "=", "tm_a_b", ""} {
			f.Add(routeKey, "/shared/v1/devices/a", credential, "Bearer "+credential, false)
			f.Add(routeKey, "/v1/collect/"+credential, credential, "", true)
		}
	}
	f.Fuzz(func(t *testing.T, routeKey, path, parameter, header string, named bool) {
		r := events.APIGatewayV2CustomAuthorizerV2Request{RouteKey: routeKey, RawPath: path,
			Headers: map[string]string{"authorization": header}}
		if named {
			r.PathParameters = map[string]string{access.SiteKeyPathParam: parameter}
		}
		got, err := h.handle(t.Context(), r)
		if err != nil && !errors.Is(err, errNotChecked) {
			t.Fatal(err)
		}
		bySite := named && parameter == key
		byLink := access.Token(header) == link
		if got.IsAuthorized && !bySite && !byLink {
			t.Errorf("%q %s, %q, %q: authorized as %v", routeKey, path, parameter, header, got.Context)
		}
		text := fmt.Sprint(got.Context)
		if got.IsAuthorized && !strings.Contains(text, "my-site") && !strings.Contains(text, "devices/a") {
			t.Errorf("%q %s: authorized for %s", routeKey, path, text)
		}
	})
}
