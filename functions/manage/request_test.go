package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// keyChecker is a table that rejects keys as DynamoDB does.
type keyChecker struct{ *memory.Table }

func (k keyChecker) GetItem(ctx context.Context, key keys.Key) (item.Item, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	return k.Table.GetItem(ctx, key)
}

func (k keyChecker) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	if err := (keys.Key{PK: l.Partition, SK: l.Prefix + "x"}).Check(); err != nil {
		return itemop.ListPage{}, err
	}
	return k.Table.List(ctx, l)
}

// No item can have such a key, so a retry would not help.
func TestHTTP_AnIDTooLongForAKeyIsNotFound(t *testing.T) {
	f := newFixtureOn(t, func(m *memory.Table) store { return keyChecker{m} })
	long := strings.Repeat("x", 2100)
	for _, c := range []struct{ method, path string }{
		{"POST", "/v1/devices/" + long + "/purge"},
		{"POST", "/v1/devices/" + long[:1100] + "/purge"},
		{"DELETE", "/v1/devices/" + long + "/purge"},
		{"PATCH", "/v1/devices/" + long},
		{"DELETE", "/v1/devices/" + long + "/rules/too-hot"},
		{"POST", "/v1/devices/sensor_01/alerts/" + long + "/acknowledge"},
		{"POST", "/v1/devices/" + long + "/alerts/x/resolve"},
	} {
		r := events.APIGatewayV2HTTPRequest{RawPath: c.path, Body: "{}"}
		r.RequestContext.HTTP.Method = c.method
		if got := f.send(r); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s %.40s…: got %.200s, want 404", c.method, c.path, got)
		}
	}
}

// A caller who may delete a subject, and not withdraw purges, writes the one path as the other.
func TestHTTP_APurgeIsCalledOffByItsOwnRouteAlone(t *testing.T) {
	const carol = "/v1/devices/carol"
	for key, want := range map[string]bool{
		"DELETE /v1/devices/{id}": true, "DELETE /v1/devices/{id}/rules/{rule}": true, "POST /v1/devices/{id}/purge": true, "DELETE /v1/{manage+}": true,
		"DELETE /v1/devices/{id}/purge": false, "DELETE /v1/{proxy+}": false, "$default": false, "": false,
	} {
		f := newFixture(t)
		request := func(method, key string) {
			r := events.APIGatewayV2HTTPRequest{RouteKey: key, RawPath: carol + "/purge"}
			r.RequestContext.HTTP.Method = method
			f.send(r)
		}
		request("POST", "POST /v1/devices/{id}/purge")
		request("DELETE", key)
		p, err := f.purges.Active(t.Context(), model.Subject{Type: "DEVICE", ID: "carol"})
		if err != nil || (p != nil) != want {
			t.Errorf("%q: purge %+v, %v; want one: %v", key, p, err, want)
		}
	}
}

func TestHTTP_ACallerBoundToAnOwnerChangesOnlyItsOwnSubjects(t *testing.T) {
	f := newFixture(t)
	f.ownerClaim = "account"
	for path, want := range map[string]string{"/v1/devices/acme:1": "201 created",
		"/v1/devices/other:1": "403 /problems/foreign-subject", "/v1/devices/acme:2/purge": "202 requested"} {
		r := events.APIGatewayV2HTTPRequest{RawPath: path, Body: "{}"}
		r.RequestContext.HTTP.Method = "PUT"
		if strings.HasSuffix(path, "purge") {
			r.RequestContext.HTTP.Method = "POST"
		}
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": "acme", "sub": "u1"}},
		}
		if got := f.send(r); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	p, err := f.purges.Active(t.Context(), model.Subject{Type: "DEVICE", ID: "acme:2"})
	if err != nil || p == nil || p.By != "u1" {
		t.Errorf("got purge %+v, %v; want one by the token's subject", p, err)
	}
}

// Profiles have lists and maps. Events have none.
func TestHTTP_AProfileHasListsAndMaps(t *testing.T) {
	f := newFixture(t)
	f.appendReading()
	for _, c := range []struct{ method, path, body, want string }{
		{"PUT", "/v1/devices/sensor_01/readings/2026-04-20T14:00:00Z", `{"temperature":[21]}`, "400 /problems/rejected"},
		{"PUT", "/v1/sites/shop", `{"domains":["b.example","a.example"],"place":{"floor":1.50}}`, "201 created"},
		{"PATCH", "/v1/sites/shop", `{"domains":["b.example", "a.example"]}`, "200 unchanged"},
		{"PATCH", "/v1/sites/shop", `{"place":{"floor":1,"floor":2}}`, "400 /problems/rejected-profile"},
		{"DELETE", "/v1/sites/shop", ``, "200 deleted"},
		{"POST", "/v1/sites/shop/restore", ``, "200 restored"},
		{"PUT", "/v1/devices/sensor_01", `{"status":["active"]}`, "400 /problems/rejected-profile"},
	} {
		r := events.APIGatewayV2HTTPRequest{RawPath: c.path, Body: c.body}
		r.RequestContext.HTTP.Method = c.method
		if got := f.send(r); got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
	p, err := f.profiles.Get(t.Context(), model.Subject{Type: "SITE", ID: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(views.NewProfile(p).Fields)
	if want := `{"domains":["b.example","a.example"],"place":{"floor":1.5}}`; err != nil ||
		string(text) != want {
		t.Errorf("stored as %s, %v; want %s", text, err, want)
	}
}
