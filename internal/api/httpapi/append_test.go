package httpapi_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

func options(t *testing.T) httpapi.AppendOptions {
	t.Helper()
	kinds, err := catalog.New(catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}})
	if err != nil {
		t.Fatal(err)
	}
	return httpapi.AppendOptions{Catalog: kinds, Limits: config.Default().Limits, OwnerClaim: "account"}
}

func TestDecodeAppend_FlagsSubjectsOfAnotherOwner(t *testing.T) {
	t.Parallel()
	r := &httpapi.Request{
		Method: "POST", Path: "/v1/readings", Claims: map[string]string{"account": "acme"},
		Body: `[{"deviceId":"acme:a","t":1},{"deviceId":"other:a","t":1},{"t":1},{"deviceId":5},` +
			`{"deviceId":null}, {"deviceId":"acme:a","deviceId":5},` +
			`{"deviceId":true},{"deviceId":["acme:a"]}]`,
	}
	got, problem := httpapi.DecodeAppend(r, options(t))
	if problem != nil || got.Kind.Name != "READING" || !got.Many || len(got.Observations) != 8 {
		t.Fatalf("got %+v, %v", got, problem)
	}
	for i, want := range []bool{false, true, false, true, false, false, true, true} {
		e := got.Observations[i].DecodeError
		if (e != nil) != want || want && e.Code != "foreign-subject" {
			t.Errorf("observation %d: error %v, want one: %t", i, e, want)
		}
	}
}

func TestDecodeAppend_RejectsTheRequestAsAWhole(t *testing.T) {
	t.Parallel()
	claims := map[string]string{"account": "acme"}
	for name, c := range map[string]struct {
		request httpapi.Request
		status  int
	}{
		"unknown kind":           {httpapi.Request{Method: "POST", Path: "/v1/others", Claims: claims}, 404},
		"no POST":                {httpapi.Request{Method: "GET", Path: "/v1/readings", Claims: claims}, 405},
		"no such parameter":      {httpapi.Request{Method: "POST", Path: "/v1/readings", Claims: claims, Body: "{}", RawQuery: "strickt=true"}, 400},
		"neither true nor false": {httpapi.Request{Method: "POST", Path: "/v1/readings", Claims: claims, Body: "{}", RawQuery: "strict=yes"}, 400},
		"no owner":               {httpapi.Request{Method: "POST", Path: "/v1/readings", Body: "{}"}, 403},
		"invalid body":           {httpapi.Request{Method: "POST", Path: "/v1/readings", Claims: claims, Body: "{"}, 400},
		"wrong content type":     {httpapi.Request{Method: "POST", Path: "/v1/readings", Claims: claims, Headers: map[string]string{"content-type": "text/xml"}}, 415},
	} {
		if _, problem := httpapi.DecodeAppend(&c.request, options(t)); problem == nil ||
			problem.Status != c.status {
			t.Errorf("%s: %v, want status %d", name, problem, c.status)
		}
	}
}
