package tablestream

import "github.com/tidemark-db/tidemark/internal/store/jsonscan"

// member identifies a member of a record. members is a set of them.
type (
	member  uint8
	members uint16
)

// The numbers have no gaps, so that a switch on them compiles to one jump.
const (
	memberUnknown member = iota
	// Skipped members, which every record has.
	memberSkippedNumber
	memberSkippedConstant

	memberID
	memberName
	memberSource
	memberIdentity
	memberType
	memberPrincipal
	memberBody
	memberTime
	memberKeys
	memberNewImage
	memberOldImage
	memberSeq
)

// readOnce has the members that are decoded, and must not be repeated.
const readOnce = ^members(1<<memberID - 1)

// has reports whether m is in the set and must not be repeated.
func (set members) has(m member) bool { return set&readOnce&(1<<m) != 0 }

var memberTexts = [...]string{
	memberID: "eventID", memberName: "eventName", memberSource: "eventSourceARN", memberIdentity: "userIdentity",
	memberType: "type", memberPrincipal: "principalId", memberBody: "dynamodb",
	memberTime: "ApproximateCreationDateTime", memberKeys: "Keys", memberNewImage: "NewImage",
	memberOldImage: "OldImage", memberSeq: "SequenceNumber",
}

func (m member) String() string { return memberTexts[m] }

// memberObject is one object of a record: its member names, and the members that are cached
// by their text up to the value.
type memberObject struct {
	names map[string]member
	cache jsonscan.MemberCache[cachedMember]
}

// cachedMember is a cached member. A complete one includes the value, text, which is the same in all records.
type cachedMember struct {
	member   member
	complete bool
	text     string
}

// memberObjects are the objects of a record.
type memberObjects struct{ record, identity, body memberObject }

var (
	recordNames = map[string]member{
		"eventID": memberID, "eventName": memberName, "eventSourceARN": memberSource,
		"userIdentity": memberIdentity, "dynamodb": memberBody, "eventVersion": memberSkippedConstant,
		"eventSource": memberSkippedConstant,
		"awsRegion":   memberSkippedConstant,
	}
	identityNames = map[string]member{"type": memberType, "principalId": memberPrincipal}
	bodyNames     = map[string]member{
		"ApproximateCreationDateTime": memberTime, "Keys": memberKeys, "NewImage": memberNewImage,
		"OldImage": memberOldImage, "SequenceNumber": memberSeq, "SizeBytes": memberSkippedNumber,
		"StreamViewType": memberSkippedConstant,
	}
)
