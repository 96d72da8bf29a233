package httpapi

// ReadAccess says who may have the result of a read, besides callers whom IAM or a token without scopes
// allows everything.
type ReadAccess struct {
	Scope Scope // that a token needs
	Link  LinkPart
	Owner OwnerPart
}

// LinkPart says whether a shared link shows the result of a read.
type LinkPart string

// The parts of links.
const (
	LinkNever  LinkPart = "never"
	LinkEvents LinkPart = "with events" // if the maker of the link asked for events
	LinkAlways LinkPart = "always"
)

// OwnerPart says what a caller who is bound to an owner may have of a read.
type OwnerPart string

// The parts of owners.
const (
	OwnerSubject OwnerPart = "own subjects"
	OwnerNone    OwnerPart = "nothing" // the result is about subjects of all owners
	OwnerAll     OwnerPart = "all"     // the result is about no subject
)

// readAccess has the row of every read.
//
// A link shows figures, and the subject as it is now. It never shows what its owner deleted or replaced
// (versions, deleted profiles, purges), nor who works on it (rules, alerts).
var readAccess = map[Action]ReadAccess{
	ReadChart:      {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadRollups:    {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadTotal:      {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadTop:        {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadAllChart:   {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadAllRollups: {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadAllTotal:   {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadAllTop:     {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadLatest:     {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadProfile:    {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadSeries:     {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerSubject},
	ReadHistory:    {Scope: ScopeRead, Link: LinkEvents, Owner: OwnerSubject},
	ReadCount:      {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadEvent:      {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadEventByID:  {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadDeleted:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadVersions:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadVersion:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	CheckPurge:     {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ListAlerts:     {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ReadAlert:      {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ListOwnRules:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
	ListSubjects:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ListOpenAlerts: {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ListRules:      {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ReadByIndex:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ReadLatestBy:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ReadAPI:        {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerAll},
	ReadHealth:     {Scope: ScopeRead, Link: LinkNever, Owner: OwnerAll},
	ReadRelease:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerAll},
}

// ReadAccess returns who may have the result of the action. ok is false for an action that changes something.
func (a Action) ReadAccess() (who ReadAccess, ok bool) {
	who, ok = readAccess[a]
	return who, ok
}
