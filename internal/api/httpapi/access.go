package httpapi

// Access says who may request an action, besides callers whom IAM or a token without scopes allows
// everything.
type Access struct {
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

// OwnerPart says on which subjects a caller who is bound to an owner may perform an action.
type OwnerPart string

// The parts of owners.
const (
	OwnerSubject OwnerPart = "own subjects"
	OwnerList    OwnerPart = "own subjects of the list" // the others are left out
	OwnerNone    OwnerPart = "nothing"                  // the action is about the subjects of all owners
	OwnerAll     OwnerPart = "all"                      // the action is about no subject
)

// actionAccess has the row of every action.
//
// A link shows figures, and the subject as it is now. It never shows what its owner deleted or replaced
// (versions, deleted profiles, purges), nor who works on it (rules, alerts).
var actionAccess = map[Action]Access{
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
	VerifyBucket:   {Scope: ScopeRead, Link: LinkEvents, Owner: OwnerSubject}, // it names events
	ReadMembers:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerSubject},
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
	ListSubjects:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ListSilent:     {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	CountSilent:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ReadIncreases:  {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ListOpenAlerts: {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	CountAlerts:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ListRules:      {Scope: ScopeRead, Link: LinkNever, Owner: OwnerNone},
	ReadByIndex:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ReadLatestBy:   {Scope: ScopeRead, Link: LinkNever, Owner: OwnerList},
	ReadAPI:        {Scope: ScopeRead, Link: LinkAlways, Owner: OwnerAll},
	ReadHealth:     {Scope: ScopeRead, Link: LinkNever, Owner: OwnerAll},
	ReadRelease:    {Scope: ScopeRead, Link: LinkNever, Owner: OwnerAll},

	Append:           {Scope: ScopeWrite, Link: LinkNever, Owner: OwnerSubject},
	CreateSubject:    {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	UpdateSubject:    {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	DeleteSubject:    {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	RestoreSubject:   {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	CorrectEvent:     {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	CorrectEventByID: {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	DeleteEvent:      {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	DeleteEventByID:  {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	AcknowledgeAlert: {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	ResolveAlert:     {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	AddOwnRule:       {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	RemoveOwnRule:    {Scope: ScopeManage, Link: LinkNever, Owner: OwnerSubject},
	AddRule:          {Scope: ScopeManage, Link: LinkNever, Owner: OwnerNone},
	RemoveRule:       {Scope: ScopeManage, Link: LinkNever, Owner: OwnerNone},
	PurgeSubject:     {Scope: ScopePurge, Link: LinkNever, Owner: OwnerSubject},
	CallOffPurge:     {Scope: ScopePurge, Link: LinkNever, Owner: OwnerSubject},
}

// Access returns who may request the action. The zero Access is of no action, and allows nothing.
func (a Action) Access() Access { return actionAccess[a] }

// Scope returns the scope that an action requires.
func (a Action) Scope() Scope { return a.Access().Scope }

// CheckOwner returns the owner that the request's caller is bound to by the token's claim, or a problem if
// that owner may not perform an action with this part on all of the subjects. With OwnerList, the action
// must leave out the subjects that the owner does not own.
func (r *Request) CheckOwner(claim string, part OwnerPart, subjects ...string) (Owner, *Problem) {
	problem := r.checkBound()
	if problem != nil || claim == "" || part == OwnerAll {
		return Owner{}, problem
	}
	owner, problem := r.Owner(claim)
	switch {
	case problem != nil:
		return owner, problem
	case part == OwnerNone:
		return owner, ProblemForeign.New("it is about the subjects of all owners: name one of your own subjects")
	case part == OwnerList:
		return owner, nil
	}
	for _, subject := range subjects {
		if !owner.Owns(subject) {
			return owner, ProblemForeign.New("%s", owner.ForeignDetail(subject))
		}
	}
	return owner, nil
}
