package httpapi

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

// A key or a link opens its own routes. If a gateway's authorizer let it in by a wider route, it reads and
// writes nothing else, with owners and without.
func TestCheckOwner_AKeyOpensNoOtherRoute(t *testing.T) {
	link, err := access.CheckLink(access.NewLink([]byte("secret"), access.Link{Subject: "pumps/acme:1",
		Until: time.Unix(9, 0)}), time.Unix(0, 0), []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]string{"account": "acme"}
	for name, context := range map[string]map[string]any{
		"a link": link, "a write key": access.Scope{Key: "k"}.Context(),
		"a read key": access.Scope{Key: "k", Sites: []string{"x"}}.Context(),
		"":           {"subjects": "x"}, // of an authorizer of one's own
	} {
		for _, claim := range []string{"", "account"} {
			r := Request{Method: "POST", Path: "/v1/flows", Claims: claims, Authorizer: context,
				Body: `[{"pumpId":"acme:1"}]`}
			for _, part := range []OwnerPart{OwnerSubject, OwnerList, OwnerAll} {
				if _, problem := r.CheckOwner(claim, part, "acme:1"); (problem != nil) != (name != "") {
					t.Errorf("%q, claim %q, %s: %v", name, claim, part, problem)
				}
			}
			o := AppendOptions{Catalog: newCatalog(t, flow), OwnerClaim: claim}
			o.Limits.Body, o.Limits.Observations = 1000, 10
			if _, problem := DecodeAppend(&r, o); (problem != nil) != (name != "") {
				t.Errorf("%q, claim %q, append: %v", name, claim, problem)
			}
		}
	}
}
