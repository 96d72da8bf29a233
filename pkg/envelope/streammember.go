package envelope

import (
	"math/bits"

	"github.com/tidemark-db/tidemark/pkg/jsonscan"
)

// members is a set of the members of a record that are read.
type members uint16

const (
	theID members = 1 << iota
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
	// Passed, and named here only because they come with every record.
	aNumber
	aConstant
)

// readOnce are those that mean something, and that must not come twice.
const readOnce = aNumber - 1

var memberNames = [...]string{
	"eventID", "eventName", "eventSourceARN", "userIdentity", "type", "principalId",
	"dynamodb", "ApproximateCreationDateTime", "Keys", "NewImage", "OldImage", "SequenceNumber",
}

// String is the name of the one member in m.
func (m members) String() string { return memberNames[bits.TrailingZeros16(uint16(m))] }

// memberLevel is an object of a record: the names in it, and the leads met so far.
type memberLevel struct {
	names map[string]members
	leads jsonscan.Leads[recordLead]
}

// recordLead is what a lead means. A whole one has the value too, which is the same
// from record to record: text is what it says.
type recordLead struct {
	member members
	whole  bool
	text   string
}

// memberLevels are the objects of a record.
type memberLevels struct{ record, identity, body memberLevel }

var (
	recordNames = map[string]members{
		"eventID": theID, "eventName": theName, "eventSourceARN": theSource, "userIdentity": theIdentity, "dynamodb": theBody,
		"eventVersion": aConstant, "eventSource": aConstant, "awsRegion": aConstant,
	}
	identityNames = map[string]members{"type": theType, "principalId": thePrincipal}
	bodyNames     = map[string]members{
		"ApproximateCreationDateTime": theTime, "Keys": theKeys, "NewImage": theNew, "OldImage": theOld,
		"SequenceNumber": theSeq, "SizeBytes": aNumber, "StreamViewType": aConstant,
	}
)
