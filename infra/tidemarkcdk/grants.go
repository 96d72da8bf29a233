package tidemarkcdk

import (
	"regexp"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// GrantRead allows signed requests to the API that read. Like the other grants, it needs a stage
// whose access is iam.
func (s *Tidemark) GrantRead(to awsiam.IGrantable) awsiam.Grant {
	return s.grant(to, httpapi.ScopeRead)
}

// GrantWrite allows requests that append events.
func (s *Tidemark) GrantWrite(to awsiam.IGrantable) awsiam.Grant {
	return s.grant(to, httpapi.ScopeWrite)
}

// GrantManage allows requests that change profiles, alerts and events.
func (s *Tidemark) GrantManage(to awsiam.IGrantable) awsiam.Grant {
	return s.grant(to, httpapi.ScopeManage)
}

// GrantPurge allows requests that erase subjects.
func (s *Tidemark) GrantPurge(to awsiam.IGrantable) awsiam.Grant {
	return s.grant(to, httpapi.ScopePurge)
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// grant names the routes of a scope, or a method as a whole if it has routes of no other scope:
// the policies of a role have at most 10,240 characters. It names the proxy routes too, because IAM may
// compare the path of the request or the path of the route.
func (s *Tidemark) grant(grantee awsiam.IGrantable, scope httpapi.Scope) awsiam.Grant {
	shared := map[string]bool{}
	routes := slices.Concat(s.routes(), httpapi.GatewayRoutes(s.routes()))
	for _, r := range routes {
		shared[r.Method] = shared[r.Method] || r.Action.Scope() != scope
	}
	var resources []string
	for _, r := range routes {
		if r.Action.Scope() != scope {
			continue
		}
		resources = append(resources, s.apiSource("*/"+r.Method+grantedPath(r, shared[r.Method])))
	}
	slices.Sort(resources)
	return awsiam.Grant_AddToPrincipal(&awsiam.GrantOnPrincipalOptions{
		Grantee: grantee, Actions: jsii.Strings("execute-api:Invoke"),
		ResourceArns: jsii.Strings(slices.Compact(resources)...),
	})
}

// grantedPath is the path of a route in a grant, whose parameters are any text. A proxy route's parameter
// stands for itself: any text in its place would be the paths of other scopes.
func grantedPath(r httpapi.Route, shared bool) string {
	switch {
	case !shared:
		return "/*"
	case httpapi.NewRouteKey(r.Method, r.Path).Wide():
		return r.Path
	}
	return parameter.ReplaceAllString(r.Path, "*")
}
