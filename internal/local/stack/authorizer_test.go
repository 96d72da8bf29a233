package stack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// guard authorizes requests with the site key open.
type guard struct{ err error }

func (g guard) Invoke(_ context.Context, payload []byte) ([]byte, error) {
	var r events.APIGatewayV2CustomAuthorizerV2Request
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, err
	}
	answer, err := json.Marshal(events.APIGatewayV2CustomAuthorizerSimpleResponse{
		IsAuthorized: r.Type == "REQUEST" && r.PathParameters["key"] == "open", Context: map[string]any{"site": "my-site"},
	})
	return answer, errors.Join(g.err, err)
}

func TestFront_CallsTheAuthorizerOfTheRoute(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		guard  guard
		status int
	}{
		"let through":          {"/v1/in/open", guard{}, 204},
		"refused":              {"/v1/in/shut", guard{}, 403},
		"the authorizer fails": {"/v1/in/open", guard{errors.New("down")}, 500},
	} {
		function := &seen{answer: `{"statusCode":204}`}
		front, err := StartFront("0", "run-1", clock.Clock{},
			[]Route{{Method: "POST", Path: "/v1/in/{key}", Authorizer: c.guard, To: function}}, http.NotFoundHandler())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { front.Stop(context.Background()) })
		resp, _ := send(t, "POST", front.URL+c.path, "", nil)
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", name, resp.Status, c.status)
		}
		asked := function.request.RouteKey != ""
		if asked != (c.status == 204) {
			t.Errorf("%s: the function was invoked: %v", name, asked)
		}
		if asked && function.request.RequestContext.Authorizer.Lambda["site"] != "my-site" {
			t.Errorf("%s: the context of the authorizer is missing", name)
		}
	}
}
