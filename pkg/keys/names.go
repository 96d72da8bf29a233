package keys

import "strings"

// Attributes of the primary key and of the two indexes.
const (
	AttrPK     = "pk"
	AttrSK     = "sk"
	AttrGSI1PK = "gsi1pk"
	AttrGSI1SK = "gsi1sk"
	AttrGSI2PK = "gsi2pk"
	AttrGSI2SK = "gsi2sk"
)

// The indexes.
const (
	IndexGSI1 = "gsi1"
	IndexGSI2 = "gsi2"
)

// Attributes of our own that every class of item may carry.
const (
	AttrVersion   = "v"         // Number: format version of the item
	AttrExpiresAt = "expiresAt" // Number: TTL, epoch seconds; absent on what never expires
	AttrCreatedAt = "createdAt" // String: the door's clock at the first append
)

// Attributes of events and currents. An event's time and id stand in its key alone.
const (
	AttrAt      = "_at"      // String, current: time of its newest event
	AttrID      = "_id"      // String, current: id of its newest event, "" included
	AttrHash    = "_hash"    // Binary: payload identity
	AttrArrived = "_arrived" // String, event: the door's clock when it came in
	AttrLate    = "_late"    // Bool, event: stored as late; absent where it was applied
	AttrFence   = "_fence"   // current: its presence says that the subject is being purged
)

// Attributes of rollup rows.
const (
	AttrRev        = "_rev"        // Binary: the nonce of this write, the optimistic lock
	AttrSummary    = "_summary"    // Binary: canonical bytes of the summary
	AttrDigest     = "_digest"     // Binary: sum over identity and values of the events
	AttrUnreadable = "_unreadable" // Number: events that could not be decoded; absent where none
	AttrExact      = "_exact"      // Bool: every change is in it
	AttrUntil      = "_until"      // Number: least expiresAt of the children; absent where none expires
	AttrEmpty      = "_empty"      // Bool: folded from no children; absent where false
	AttrWritten    = "_written"    // String: the writer's clock
	AttrLag        = "_lag"        // String: arrival of the newest folded event; absent where none
	AttrResume     = "_resume"     // Binary: the resume point; absent where none
)

// Attributes of a gap in the table stream.
const AttrTo = "_to" // String: its end

// Attributes of quarantined things.
const (
	AttrDoor    = "_door"    // String: where it came in
	AttrReason  = "_reason"  // String: one sentence
	AttrErrors  = "_errors"  // String: JSON list of field errors; absent where none
	AttrPayload = "_payload" // Binary: as it came; absent where empty
)

// Attributes of profiles, and of what a subject's life leaves. The two without an
// underscore are ours in profiles only: an event may have fields of these names.
const (
	AttrUpdatedAt = "updatedAt" // String: the clock at the last change
	AttrDeletedAt = "deletedAt" // String, tombstone: the clock at its deletion
	AttrNumber    = "_version"  // Number: changes so far, the optimistic lock
	AttrLife      = "_life"     // Binary: nonce of the creation; what a life left behind names it
	AttrUnique    = "_unique"   // String: JSON list of the partitions of its sentinels; absent where none
	AttrOwner     = "_owner"    // String, sentinel: its owner's partition
	AttrChange    = "_change"   // String, version: created, updated, deleted or restored
)

// Attributes of purges and gates.
const (
	AttrStep    = "_step"    // String: how far the purge is
	AttrSince   = "_since"   // String: since when it is there
	AttrBy      = "_by"      // String: who asked
	AttrAsked   = "_asked"   // String: when
	AttrDue     = "_due"     // String: when it may begin
	AttrGated   = "_gated"   // String, purge: when the gate was shut; absent before
	AttrPurgeID = "_purge"   // String: by which the receipt names it
	AttrCounts  = "_counts"  // String: JSON, what was removed by class
	AttrReceipt = "_receipt" // String, gate: JSON, once the purge is done
)

// Attributes of alerts, of rules and of what is to be told of them.
const (
	AttrAlert  = "_alert"  // String, alert and notice: JSON, as it stands
	AttrRule   = "_rule"   // String, rule: JSON
	AttrTested = "_tested" // String, state of a series: JSON list, how far each rule has been tested
	AttrRaised = "_raised" // String, alert: id of the event that raised it; its time is the alert id's
	AttrKind   = "_kind"   // String, alert and notice: of its series
	AttrStream = "_stream" // String, alert and notice: of its series
)

// Classes: the first word of a sort key, or of a partition key that is no subject's.
const (
	ClassMetadata   = "METADATA"
	ClassCurrent    = "CURRENT"
	ClassEvent      = "EVENT"
	ClassRow        = "AGG"
	ClassGate       = "GATE"
	ClassQuarantine = "QUARANTINE"
)

// ours are the attribute names of our own that do not begin with an underscore.
var ours = map[string]bool{
	AttrPK: true, AttrSK: true,
	AttrGSI1PK: true, AttrGSI1SK: true, AttrGSI2PK: true, AttrGSI2SK: true,
	AttrVersion: true, AttrExpiresAt: true, AttrCreatedAt: true,
}

// Reserved reports whether an attribute name is ours, so that no field may bear it:
// the names above and every name that begins with an underscore.
func Reserved(name string) bool { return strings.HasPrefix(name, "_") || ours[name] }

// ReservedInProfile is Reserved, and the names that are ours in profiles alone.
func ReservedInProfile(name string) bool {
	return Reserved(name) || name == AttrUpdatedAt || name == AttrDeletedAt
}

// ownPartitions are the first words of partition keys that belong to no subject.
var ownPartitions = map[string]bool{ClassGate: true, ClassQuarantine: true, ClassIndexed: true, ClassSalt: true, ClassUnique: true, ClassRule: true, classJob: true}

// ReservedType reports whether no subject type may have this name, because
// partitions of our own begin with it.
func ReservedType(name string) bool { return ownPartitions[name] }
