package main

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
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

func (k keyChecker) List(ctx context.Context, l table.ListRequest) (table.ListPage, error) {
	if err := (keys.Key{PK: l.Partition, SK: l.Prefix + "x"}).Check(); err != nil {
		return table.ListPage{}, err
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

func TestHTTP_ACallerBoundToAnOwnerChangesOnlyItsOwnSubjects(t *testing.T) {
	f := newFixture(t)
	f.ownerClaim = "account"
	for path, want := range map[string]string{"/v1/devices/acme:1": "201 created", "/v1/devices/other:1": "403 /problems/foreign-subject", "/v1/devices/acme:2/purge": "202 requested"} {
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
