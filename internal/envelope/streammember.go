package envelope

import "github.com/tidemark-db/tidemark/internal/jsonscan"

// member is a member of a record, by what it means. members is a set of them.
type (
	member  uint8
	members uint16
)

// The numbers have no gaps: members come in no order to be foreseen, and a switch on
// them is one jump.
const (
	aStranger member = iota
	// Passed, and named here only because they come with every record.
	aNumber
	aConstant

	theID
	theName
	theSource
	theIdentity
	theType
	thePrincipal
	theBody
	theTime
	theKeys
	theNew
	theOld
	theSeq
)

// readOnce are those that mean something, and that must not come twice.
const readOnce = ^members(1<<theID - 1)

// has reports whether m is in the set, and must not come again.
func (set members) has(m member) bool { return set&readOnce&(1<<m) != 0 }

var memberNames = [...]string{
	theID: "eventID", theName: "eventName", theSource: "eventSourceARN", theIdentity: "userIdentity", theType: "type",
	thePrincipal: "principalId", theBody: "dynamodb", theTime: "ApproximateCreationDateTime", theKeys: "Keys",
	theNew: "NewImage", theOld: "OldImage", theSeq: "SequenceNumber",
}

func (m member) String() string { return memberNames[m] }

// memberLevel is an object of a record: the names in it, and the leads met so far.
type memberLevel struct {
	names map[string]member
	leads jsonscan.Leads[recordLead]
}

// recordLead is what a lead means. A whole one has the value too, which is the same
// from record to record: text is what it says.
type recordLead struct {
	member member
	whole  bool
	text   string
}

// memberLevels are the objects of a record.
type memberLevels struct{ record, identity, body memberLevel }

var (
	recordNames = map[string]member{
		"eventID": theID, "eventName": theName, "eventSourceARN": theSource, "userIdentity": theIdentity, "dynamodb": theBody,
		"eventVersion": aConstant, "eventSource": aConstant, "awsRegion": aConstant,
	}
	identityNames = map[string]member{"type": theType, "principalId": thePrincipal}
	bodyNames     = map[string]member{
		"ApproximateCreationDateTime": theTime, "Keys": theKeys, "NewImage": theNew, "OldImage": theOld,
		"SequenceNumber": theSeq, "SizeBytes": aNumber, "StreamViewType": aConstant,
	}
)
