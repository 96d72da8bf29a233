package envelope

import (
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// ProblemForeign is a request for a subject of somebody else.
var ProblemForeign = ProblemType{"/problems/foreign-subject", "The subject belongs to somebody else", 403}

// ownerEnds stands between the owner and the rest of a subject's id.
const ownerEnds = ":"

// Owner is whose subjects a caller reaches: those whose id begins with its name and
// a colon, as acme:sensor_01. The id alone says so, hence nothing need be read, a
// subject has an owner before its first event, and it holds for kinds without
// current. The zero Owner reaches all subjects.
type Owner struct{ prefix string }

// OwnerOf is the owner that claim names in r's token, the zero Owner where claim is
// "". Where a caller must be bound and is not, it is a Problem: a door that was
// opened without a check of tokens answers nobody.
func OwnerOf(r *events.APIGatewayV2HTTPRequest, claim string) (Owner, *Problem) {
	if claim == "" {
		return Owner{}, nil
	}
	name := ""
	if a := r.RequestContext.Authorizer; a != nil && a.JWT != nil {
		name = a.JWT.Claims[claim]
	}
	if name == "" || strings.Contains(name, ownerEnds) {
		return Owner{}, ProblemForeign.New("the token does not say whose subjects these are: its claim %q must name an owner, without a colon", claim)
	}
	return Owner{name + ownerEnds}, nil
}

// Owns reports whether the owner's callers reach the subject of this id.
func (o Owner) Owns(subject string) bool { return strings.HasPrefix(subject, o.prefix) }

// Refusal says why a subject that o does not own is out of reach, as a sentence.
func (o Owner) Refusal(subject string) string {
	return "the caller reaches subjects whose id begins with " + clip(o.prefix) + ", and this is " + clip(subject)
}
