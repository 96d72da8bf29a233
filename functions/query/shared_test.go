package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// The path alone does not say which subject it names, and parameters can name others.
func TestHandle_ASharedLinkReadsItsSubjectOnly(t *testing.T) {
	h, _ := newHandler(t)
	h.OwnerClaim = "account" // a link needs no token
	secret := []byte("the secret of the stage")
	token := access.NewLink(secret, access.Link{Subject: "devices/sensor_01", Until: time.Unix(200, 0),
		Events: true})
	link, err := access.CheckLink(token, time.Unix(100, 0), secret)
	if err != nil {
		t.Fatal(err)
	}
	token = access.NewLink(secret, access.Link{Subject: "devices/sensor_01", Until: time.Unix(200, 0)})
	figures, err := access.CheckLink(token, time.Unix(100, 0), secret)
	if err != nil {
		t.Fatal(err)
	}
	const recount = "readings/verify/hour?at=2026-04-20T13:10:00Z"
	for _, c := range []struct {
		method, target string
		link           map[string]any
		status         int
	}{
		{"GET", "/shared/v1/devices/sensor_01/readings", link, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_01/readings/rollups?last=1d", link, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_01/readings/rollups?last=1d&with=sensor_01", link, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_01/" + recount, link, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_02/" + recount, link, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/" + recount, figures, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/readings/rollups?last=1d", figures, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_01/alerts", link, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/versions/1", link, http.StatusForbidden},
		{"GET", "/shared/openapi.json", link, http.StatusOK},
		{"GET", "/shared/v1/devices/sensor_02/readings", link, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/x/readings", link, http.StatusForbidden}, // the subject sensor_01/x
		{"GET", "/shared/v1/devices/sensor_01/readings/readings", link, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/readings/rollups?last=1d&with=sensor_02", link, http.StatusForbidden},
		{"GET", "/shared/v1/devices/sensor_01/readings/rollups?last=1d&with=sensor_01&with=sensor_02", link, http.StatusForbidden},
		{"GET", "/shared/v1/sites/sensor_01/pageviews", link, http.StatusNotFound},
		{"GET", "/shared/v1/devices", link, http.StatusForbidden},
		{"GET", "/shared/v1/alerts/devices", link, http.StatusForbidden},
		{"GET", "/shared/health", link, http.StatusForbidden},
		{"GET", "/shared/version", link, http.StatusForbidden},
		{"POST", "/shared/v1/devices/sensor_01/readings", link, http.StatusMethodNotAllowed},
		{"GET", "/shared/api/v2/query", link, http.StatusNotFound},
		{"GET", "/shared/v1/devices/sensor_01/readings", nil, http.StatusForbidden},
		{"GET", "/shared/openapi.json", nil, http.StatusForbidden},
		{"GET", "/v1/devices/sensor_01/readings", link, http.StatusForbidden}, // of callers with a token
		{"GET", "/sharedv1/devices/sensor_01/readings", link, http.StatusNotFound},
	} {
		r := httpapi.Request{Method: c.method, Authorizer: c.link}
		r.Path, r.RawQuery, _ = strings.Cut(c.target, "?")
		if got := h.serve(t.Context(), &r); got.Status != c.status {
			t.Errorf("%s %s: status %d %.120s, want %d", c.method, c.target, got.Status, got.Body, c.status)
		}
	}
}
