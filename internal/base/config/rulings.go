package config

// ruling is what a change does, and why.
type ruling struct {
	Class Class
	Why   string
}

// rulings has the ruling of each change, by the place of what changes and how it does.
var rulings = map[string]ruling{
	"dimensions.added": {Class: NeedsRebuild, Why: "stored rollups do not have it: a day would count " +
		"only its later hours until it is rebuilt"},
	"dimensions.detail": {Class: NeedsRebuild, Why: "stored rollups have the details of values as before " +
		"until they are rebuilt, and figures of values that need them are not known"},
	"dimensions.of": {Class: Refused, Why: "stored rollups have the values of other fields: declare a " +
		"dimension of another name"},
	"dimensions.removed": {Class: NeedsRebuild, Why: "stored rollups keep it until they are rebuilt"},
	"dimensions.top": {Class: NeedsRebuild, Why: "stored rollups keep as many values as before until " +
		"they are rebuilt"},
	"distinct.added": {Class: NeedsRebuild, Why: "stored rollups do not have it: a day would count " +
		"only its later hours until it is rebuilt"},
	"distinct.removed": {Class: NeedsRebuild, Why: "stored rollups keep it until they are rebuilt"},
	"enrichment.added": {Class: Safe, Why: "from now on, observations that have this field are " +
		"rejected"},
	"enrichment.removed": {Class: Safe, Why: "from now on, observations can overwrite the value that " +
		"another writer stored in the latest item"},
	"fields.added":   {Class: Safe, Why: "it is checked when a profile is written next"},
	"fields.checked": {Class: Safe, Why: "it is checked when a profile is written next"},
	"fields.default": {Class: Safe, Why: "it applies to profiles that are created from now on"},
	"fields.removed": {Class: Safe, Why: "the field may have any value from now on"},
	"goals.added": {Class: NeedsRebuild, Why: "sessions of stored rollups did not count it: tidemark " +
		"reshape recomputes those whose events are stored, and rollups say from when it is whole"},
	"goals.changed": {Class: Refused, Why: "stored rollups have the sessions that met what was " +
		"declared before: declare a goal of another name"},
	"goals.removed": {Class: NeedsRebuild, Why: "stored rollups keep it until they are rebuilt"},
	"groups.added": {Class: Safe,
		Why: "its rollups begin an hour after tidemark config apply, with the next " +
			"bucket: deploy first; if it is by profiles, run tidemark subject backfill then"},
	"groups.finest": {Class: Refused,
		Why: "shares of members are of the finest buckets: keep the finest tier of " +
			"the members, or retire the groups first"},
	"groups.removed": {Class: Safe, Why: "the kind of its groups is removed"},
	"indexes.added":  {Class: Safe, Why: "a profile enters the index when it is written next"},
	"indexes.fields": {Class: Safe, Why: "a profile enters the changed index when it is written next: " +
		"tidemark subject backfill writes all"},
	"indexes.index": {Class: Safe, Why: "a profile enters the new index when it is written next"},
	"indexes.removed": {Class: Safe, Why: "profiles keep the unused keys of the index until they are " +
		"written again"},
	"indexes.shards": {Class: Refused, Why: "stored profiles would be searched in other partitions: " +
		"the number of shards of an index cannot change"},
	"kinds.added":     {Class: Safe, Why: "events of the new kind have their own keys"},
	"kinds.finerTime": {Class: Safe, Why: "it applies to new events"},
	"kinds.ids": {Class: Safe, Why: "it applies to new events: an event that is sent before and " +
		"again after the change gets another id, and counts twice"},
	"kinds.indexBy": {Class: Safe, Why: "it applies to new events: stored events stay in the index " +
		"under the field that was declared when they were appended"},
	"kinds.late": {Class: Safe, Why: "it applies to new events"},
	"kinds.latest": {Class: Safe, Why: "it applies to new events; a latest item changes with the " +
		"next event or rollup of its series, and keeps its value under none"},
	"kinds.latestBy": {Class: Safe, Why: "a latest item enters the new index with its next append; " +
		"until then its old index entry stays"},
	"kinds.maxMeasures": {Class: NeedsRebuild, Why: "rollups that had no space for a measure do not " +
		"have it until they are rebuilt"},
	"kinds.onCollision": {Class: Safe, Why: "it applies to new events; events that are stored or in " +
		"quarantine do not change"},
	"kinds.orderBy": {Class: Refused, Why: "stored events are ordered by what was declared when they " +
		"were appended: declare a new kind"},
	"kinds.path": {Class: Safe, Why: "the routes and topics of the kind change: update callers and " +
		"things"},
	"kinds.removed": {Class: Refused, Why: "its events and rollups could no longer be read, and " +
		"their stream records would go to quarantine: keep the kind until the last of them has " +
		"expired"},
	"kinds.sessionsOf": {Class: Refused, Why: "stored rows were folded by what was declared before, " +
		"and merge with new ones to neither: declare a new kind"},
	"kinds.shards": {Class: Refused, Why: "stored events would be searched in other partitions, and " +
		"count twice if they are sent again: the number of shards of a kind cannot change; declare a " +
		"new kind"},
	"kinds.undeclared": {Class: Safe, Why: "it applies to new events; stored events and rollups keep " +
		"the fields that they have"},
	"measures.added":         {Class: Safe, Why: "it is summarised as declared from now on"},
	"measures.counter.false": {Class: Safe, Why: "new rollups have no increase; stored ones keep theirs"},
	"measures.counter.true": {Class: NeedsRebuild, Why: "stored rollups have no increase: the " +
		"increase of a day is not known until its hours are recomputed"},
	"measures.mean.false": {Class: Safe, Why: "new rollups have no mean over time; stored ones keep theirs"},
	"measures.mean.true": {Class: NeedsRebuild, Why: "stored rollups have no mean over time: the mean of a " +
		"day is not known until its hours are recomputed"},
	"measures.percentiles.false": {Class: Safe, Why: "new rollups have no percentiles; stored ones " +
		"keep theirs"},
	"measures.percentiles.true": {Class: NeedsRebuild, Why: "stored rollups have no percentiles: " +
		"the percentiles of a day would cover only its later hours until it is rebuilt"},
	"measures.removed": {Class: NeedsRebuild, Why: "its numbers are still summarised, with scale 9 " +
		"and without percentiles, but values that are not numbers no longer count as invalid; stored " +
		"rollups keep their counts until they are rebuilt"},
	"measures.scale.less": {Class: Refused, Why: "stored sums have more digits than the new scale " +
		"allows: a scale can only grow"},
	"measures.scale.more": {Class: Safe, Why: "new events keep more digits; stored rollups do not " +
		"change"},
	"measures.unit": {Class: Safe, Why: "numbers are shown with the new unit, stored ones too: no value is " +
		"converted. If devices send another unit from now on, declare a measure of another name"},
	"measures.wrap": {Class: Refused, Why: "the increase of stored rollups counts lower readings as " +
		"declared before: declare a measure of another name"},
	"otherFields.added":   {Class: Safe, Why: "it applies to new events"},
	"otherFields.removed": {Class: Safe, Why: "it applies to new events"},
	"profile.deletedFor":  {Class: Safe, Why: "it applies to subjects that are deleted from now on"},
	"profile.release":     {Class: Safe, Why: "it applies to subjects that are deleted from now on"},
	"profile.versions":    {Class: Safe, Why: "it applies to profiles that are written from now on"},
	"settings":            {Class: Safe, Why: "it takes effect with the deployment"},
	"settings.access":     {Class: Safe, Why: "other callers are authorized: update the callers"},
	"settings.customerKey": {Class: Safe, Why: "AWS encrypts the stored data with the new key, and " +
		"readers outside the stack need access to it"},
	"settings.quarantine.retention": {Class: Safe, Why: "it applies to new entries of the quarantine"},
	"settings.removal": {Class: Safe, Why: "when the stack is destroyed, retain keeps the table, and " +
		"destroy deletes it with all data"},
	"settings.sources.batched": {Class: Safe, Why: "rules send to another address, and AWS IoT asks " +
		"the API to confirm it: see docs/use/SENDERS.md"},
	"settings.sources.kinesis": {Class: Safe, Why: "if it is disabled, the data stream is deleted " +
		"with its records"},
	"settings.sources.sqs": {Class: Safe, Why: "if it is disabled, the queue is deleted with its " +
		"messages"},
	"settings.sources.things": {Class: Safe, Why: "only things of these subject types can publish"},
	"settings.sources.topic": {Class: Safe, Why: "things must publish to the new topics, and their " +
		"policies must allow it"},
	"stages.added": {Class: Safe, Why: "a new stack, with its own table"},
	"stages.removed": {Class: Safe, Why: "its stack is not changed: destroy it by name if you no " +
		"longer need it"},
	"subject.field": {Class: Safe, Why: "observations must have the subject's id in the new field"},
	"subject.name": {Class: Refused, Why: "it is part of every key of the kind, and stored items " +
		"would not be found: declare a new kind"},
	"subjects.added": {Class: Safe, Why: "profiles of the new type have their own keys"},
	"subjects.path": {Class: Safe, Why: "the routes and topics of the subject type change: update " +
		"callers and things"},
	"subjects.removed": {Class: Refused, Why: "its profiles could no longer be read: purge its " +
		"subjects first, or keep the type"},
	"tiers.added.coarsest": {Class: NeedsRebuild, Why: "past buckets have no row until one of their " +
		"events changes: run tidemark rebuild to compute them from the tier below"},
	"tiers.added.finer": {Class: Safe, Why: "its rows begin with the first bucket of the next " +
		"coarser tier that starts an hour or more after tidemark config apply; earlier buckets are " +
		"computed without it"},
	"tiers.added.from": {Class: Safe, Why: "its rows begin at its from, or later if it is applied " +
		"later; earlier buckets are computed without it"},
	"tiers.closing.deferred": {Class: Refused, Why: "readers could take an open bucket for a closed " +
		"one: make the tiers immediate first (tidemark config immediate), then deferred with the new " +
		"value"},
	"tiers.closing.immediate": {Class: Safe, Why: "it applies when the tiers become deferred"},
	"tiers.from":              {Class: Safe, Why: "the table keeps the time from which the tier has rows"},
	"tiers.mode.deferred": {Class: Safe, Why: "readers fold open buckets as soon as it is applied, " +
		"and aggregation leaves these buckets an hour later"},
	"tiers.mode.immediate": {Class: Safe, Why: "aggregation writes rows with each batch again; run " +
		"tidemark config immediate to let readers use them"},
	"tiers.raw.less": {Class: Safe, Why: "new events expire sooner, so late data is exact for a " +
		"shorter time; stored events keep their time of expiry"},
	"tiers.raw.more": {Class: Safe, Why: "new events expire later, so late data is exact for longer; " +
		"stored events keep their time of expiry"},
	"tiers.removed.coarsest.false": {Class: Refused, Why: "coarser rollups are computed from this " +
		"tier and are kept longer than the tier below it: recomputing them would lose data that only " +
		"this tier has. A section tiers has all tiers of a kind: to change one, write the others too"},
	"tiers.removed.coarsest.true": {Class: Safe, Why: "its stored rows are no longer updated or " +
		"read, and expire"},
	"tiers.retention.less": {Class: Safe, Why: "rollups written from now on expire sooner"},
	"tiers.retention.more": {Class: Safe, Why: "rollups written from now on expire later"},
	"unique.added": {Class: Safe, Why: "it is checked when a profile is written next: existing " +
		"duplicates stay until then"},
	"unique.changed": {Class: Refused, Why: "the items that reserve the values in use would no " +
		"longer be found, and two subjects could have the same value: declare a constraint with " +
		"another name"},
	"unique.removed": {Class: Safe, Why: "values need no longer be unique; the items that reserved " +
		"them stay and are unused"},
}
