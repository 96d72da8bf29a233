package httpapi

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

// ProblemForeign is the problem of a request for a subject of another owner.
var ProblemForeign = ProblemType{
	URI: "/problems/foreign-subject", Title: "The subject belongs to another owner", Status: 403,
}

// ownerSeparator separates the owner from the rest of a subject's id.
const ownerSeparator = ":"

// Owner limits a caller to the subjects whose id begins with the owner's name and a
// colon, as acme:sensor_01. Since the id names the owner, checking it reads nothing and
// works before the first event of a subject. The zero Owner owns all subjects.
type Owner struct{ prefix string }

// Owner returns the owner that the token's claim names, or the zero Owner if claim is "". A request without a
// valid claim is a Problem, so that an API deployed without an authorizer serves no caller.
func (r *Request) Owner(claim string) (Owner, *Problem) {
	if claim == "" {
		return Owner{}, nil
	}
	name := r.Claims[claim]
	if name == "" || strings.Contains(name, ownerSeparator) {
		return Owner{}, ProblemForeign.New(
			"the token names no owner: its claim %q must be the owner's name, without a colon", claim)
	}
	return Owner{name + ownerSeparator}, nil
}

// checkBound returns a problem if a key or a link let the request in: these have routes of their own, which
// do not ask for an owner. A gateway with a wider route may use them for any other.
func (r *Request) checkBound() *Problem {
	if access.IsBound(r.Authorizer) {
		return ProblemForeign.New("the key or the link of the request is for other routes")
	}
	return nil
}

// Owns reports whether the subject with this id belongs to the owner.
func (o Owner) Owns(subject string) bool { return strings.HasPrefix(subject, o.prefix) }

// Prefix returns what the ids of the owner's subjects begin with; "" for the zero Owner.
func (o Owner) Prefix() string { return o.prefix }

// ForeignDetail says why a caller of this owner may not access the subject.
func (o Owner) ForeignDetail(subject string) string {
	return "the caller may only access subjects whose id begins with " + clip(o.prefix) + ", not " +
		clip(subject)
}

// Scope is what a token must allow for an action. A token may have several; none includes another.
type Scope string

// The scopes.
const (
	ScopeRead   Scope = "read"   // of events, rollups, profiles, rules and alerts
	ScopeWrite  Scope = "write"  // appends
	ScopeManage Scope = "manage" // changes of subjects, rules and alerts
	ScopePurge  Scope = "purge"  // requests and withdrawals of purges
)

// Scopes has all of them.
var Scopes = []Scope{ScopeRead, ScopeWrite, ScopeManage, ScopePurge}
