package tablekeys

import "github.com/tidemark-db/tidemark/internal/base/reserved"

// Attributes of events and latest items. The time and the id of an event are stored only in its key.
const (
	AttrBegun     = "_begun"   // Boolean, true: stream progress before the first processed change
	AttrAt        = "_at"      // String, latest item: time of its newest event
	AttrID        = "_id"      // String, latest item: id of its newest event, possibly empty
	AttrHash      = "_hash"    // Binary: payload identity
	AttrArrivedAt = "_arrived" // String, event: the source's clock when the event arrived
	AttrLate      = "_late"    // Bool, event: stored as late; absent if it was applied
	// Binary, event: random, of the call that stored it; absent if the latest item was written with it
	AttrAttempt   = "_try"
	AttrTrace     = "_trace" // String, event: the X-Ray segment that stored it; absent if it is not sampled
	AttrPurgeLock = "_fence" // Bool, latest item: present while the subject is being purged
)

// AttrCorrected is the attribute of events and rollups with the time of a correction, a String: the event's
// last, the newest of a rollup's events. Absent if there is none.
const AttrCorrected = "_corrected"

// Attributes of rollups.
const (
	AttrRev        = "_rev"        // Binary: random revision of this write, for the optimistic lock
	AttrSummary    = "_summary"    // Binary: canonical bytes of the summary
	AttrDigest     = "_digest"     // Binary: sum over identity and values of the events
	AttrUnreadable = "_unreadable" // Number: events that could not be decoded; absent if none
	AttrExact      = "_exact"      // Bool: the rollup includes every change
	// Number: earliest expiresAt of the children; absent if none expires. Derived latest item: expiresAt of
	// its event, 0 if never
	AttrUntil     = "_until"
	AttrEmpty     = "_empty"   // Bool: computed from no children; absent if false
	AttrWrittenAt = "_written" // String: the writer's clock
	AttrLag       = "_lag"     // String: arrival time of the newest event in it; absent if none
	// String: version of the kind's fields by which it was folded; absent if they never changed
	AttrFields = "_fields"
	// Number: source events of derived events in the bucket; absent for other kinds, with the four below
	AttrSources    = "_sources"
	AttrCarried    = "_carried"    // Number: derived events that began before the bucket and go on in it
	AttrSourceLast = "_sourceLast" // String: time of the newest source event in the bucket
	// String: until when the derived events that began in the bucket may go on; absent if none began
	AttrReach   = "_reach"
	AttrSettles = "_settles" // String: when none of them can go on any more
	// String: the groups in which its events count, also of an invalidation; absent if none
	AttrGroups = "_groups"
)

// Attributes of a gap in the table stream.
const AttrGapEnd = "_to" // String: the end of the gap

// Attributes of invalidations.
const (
	AttrRowPK = "_row_pk" // String: partition key of the bucket's row
	AttrRowSK = "_row_sk" // String: sort key of the bucket's row
)

// Attributes of the list of series, with AttrOwner, AttrKind and AttrStream. An entry
// without a kind is of a profile, and has no times.
const (
	AttrName  = "_name"  // String: the field name of the profile, cut; absent if it has none
	AttrFirst = "_first" // String: beginning of the hour, or day, of the earliest event
	AttrLast  = "_last"  // String: beginning of the hour, or day, of the newest event
	// String: beginning of the hour, or day, of the newest event that was deleted; absent unless it is _last
	AttrRemoved = "_removed"
)

// Attributes of quarantined items.
const (
	AttrSource = "_door"   // String: the source from which it arrived
	AttrReason = "_reason" // String: one sentence
	AttrErrors = "_errors" // String: JSON list of field errors; absent if none
	// String: JSON, the subject and kind that the source decided; absent if any are allowed
	AttrSender  = "_sender"
	AttrPayload = "_payload" // Binary: the original bytes; absent if empty
)

// Attributes of profiles, tombstones, versions and sentinels. The two names without an
// underscore are reserved in profiles only: an event may have fields with these names.
const (
	AttrUpdatedAt      = reserved.UpdatedAt // String: the clock at the last change
	AttrDeletedAt      = reserved.DeletedAt // String, tombstone: the clock at the deletion
	AttrProfileVersion = "_version"         // Number: number of changes so far, for the optimistic lock
	AttrGeneration     = "_life"            // Binary: the generation, a nonce drawn when the profile is created
	// String: JSON list of the partitions of its sentinels; absent if none
	AttrUnique      = "_unique"
	AttrOwner       = "_owner"  // String, sentinel and entry of the list of series: the subject's partition
	AttrMemberships = "_groups" // String, log of groups: JSON list of the fields from each time on
	AttrChange      = "_change" // String, version: created, updated, deleted or restored
)

// Attributes of purges and purge locks.
const (
	AttrStep        = "_step"    // String: the last step that the purge has completed
	AttrSince       = "_since"   // String: time of the last step, or of the lock
	AttrRequestedBy = "_by"      // String: who requested the purge
	AttrRequestedAt = "_asked"   // String: when the purge was requested
	AttrDue         = "_due"     // String: when the purge may start
	AttrLockedAt    = "_gated"   // String, purge: when the subject was locked; absent before
	AttrPurgeID     = "_purge"   // String: id of the purge, as in its receipt
	AttrCounts      = "_counts"  // String: JSON, the number of removed items by class
	AttrReceipt     = "_receipt" // String, purge lock: JSON; absent until the purge is done
)

// Attributes of alerts, rules and notifications.
const (
	AttrAlert = "_alert" // String, alert and notification: JSON
	AttrRule  = "_rule"  // String, rule: JSON
	// String, state of a series: JSON list, the position up to which each rule was evaluated
	AttrTested = "_tested"
	// String, alert: id of the event that raised it; the alert's id contains the event's time
	AttrRaised = "_raised"
	AttrKind   = "_kind"   // String, alert and notification: kind of the series
	AttrStream = "_stream" // String, alert and notification: stream of the series
)
