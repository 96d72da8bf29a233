package httpapi

// Scope is what a token must allow for an action. A token may have several; none includes
// another.
type Scope string

// The scopes.
const (
	ScopeRead   Scope = "read"   // of events, rollups, profiles, rules and alerts
	ScopeWrite  Scope = "write"  // appends
	ScopeManage Scope = "manage" // changes of subjects, rules and alerts
	ScopePurge  Scope = "purge"  // requests and withdrawals of purges
)

// scopes has the actions whose scope does not follow from Changes.
var scopes = map[Action]Scope{
	Append:       ScopeWrite,
	PurgeSubject: ScopePurge,
	CallOffPurge: ScopePurge,
}

// Scope returns the scope that an action requires.
func (a Action) Scope() Scope {
	switch scope, ok := scopes[a]; {
	case ok:
		return scope
	case a.Changes():
		return ScopeManage
	}
	return ScopeRead
}
