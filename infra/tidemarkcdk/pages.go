package tidemarkcdk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// addPages creates the public routes of the pages, and the route of shared links. Query serves what
// a link shows; the result for a token is used for other requests too, since it depends on no path.
func (s *Tidemark) addPages(target *string) {
	files := s.integration("PagesIntegration", pages)
	for i, path := range httpapi.PagePaths {
		s.publicRoute(fmt.Sprintf("Pages%dRoute", i+1), "GET "+path, files, nil)
	}
	s.allowInvoke("PagesPermission", pages, apiGateway, nil, s.apiSource("*/GET/ui*"))
	authorizer := s.keyAuthorizer("LinkAuthorizer", "shared-links", keyCache,
		jsii.Strings("$request.header.Authorization"))
	s.publicRoute("SharedRoute", "GET "+access.LinkRoute, target, authorizer.Ref())
}

// signIn returns how people sign in to the pages, as JSON. The pages request the rights of reads only.
func (s *Tidemark) signIn() *string {
	access := s.stage.Access
	in := config.SignIn{Issuer: access.Issuer, Client: cmp.Or(access.Client, access.Audience[0]),
		Scope: "openid"}
	if access.ScopePrefix != "" {
		in.Scope += " " + access.ScopePrefix + string(httpapi.ScopeRead)
	}
	if !slices.Contains(access.Audience, in.Client) {
		in.Audience = access.Audience[0]
	}
	text, _ := json.Marshal(in) // plain texts
	return new(string(text))
}
