package configfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// bad is a configuration with one mistake.
type bad struct {
	name   string
	yaml   string
	want   string // the mistake begins so, file name left out
	says   string // and says this
	unseen bool   // no schema can see it
}

// ofVisits begins a kind of sessions with a goal.
const ofVisits = "kinds: {V: {subject: {name: DEVICE}, latest: none, tiers: {raw: 30d, hour: {retention: 90d, grace: 40m}}, sessionsOf: {kind: READING, by: who, gap: 30m}, goals: {x: "

// withSlack begins a stage with a webhook.
const withSlack = "stages: {prod: {webhooks: {slack: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:s-AbCdEf', "

// inFrankfurt begins a stage of one account and region.
const inFrankfurt = "stages: {prod: {account: '123456789012', region: eu-central-1, "

var badConfigs = []bad{
	// Form.
	{name: "unknown section", yaml: "limit: {}", want: "1:1: limit: ", says: "did you mean limits?"},
	{
		name: "unknown key", yaml: "limits:\n  bodySize: 1MiB", want: "2:3: limits.bodySize: ",
		says: "want one of: body, decompressed",
	},
	{
		name: "unknown key far from any", yaml: "mapping: {zzzzzzzzz: 1}", want: "1:11: mapping.zzzzzzzzz: ",
		says: "unknown key; want one of",
	},
	{
		name: "a key that people try", yaml: "kinds:\n  READING:\n    retention: 30d",
		want: "3:5: kinds.READING.retention: ", says: "did you mean tiers?",
	},
	{
		name: "key in another case", yaml: "mapping:\n  batchsize: 10", want: "2:3: mapping.batchsize: ",
		says: "did you mean batchSize?",
	},
	{
		name: "there twice", yaml: "limits:\n  fields: 10\n  fields: 20", want: "3:3: limits.fields: ",
		says: "there twice", unseen: true,
	},
	{name: "scalar for a section", yaml: "limits: 5", want: "1:9: limits: ", says: "want a mapping"},
	{
		name: "list for a section", yaml: "limits: [5]", want: "1:9: limits: ",
		says: "this is a list, want a mapping",
	},
	{name: "list for the whole", yaml: "- limits", want: "1:1: ", says: "want a mapping"},
	{
		name: "mapping for a scalar", yaml: "limits: {fields: {most: 3}}", want: "1:18: limits.fields: ",
		says: "this is a mapping, want a whole number",
	},
	{name: "no value", yaml: "limits:\n  fields:", want: "2:10: limits.fields: ", says: "there is no value"},
	{
		name: "text for a number", yaml: "limits: {fields: many}", want: "1:18: limits.fields: ",
		says: `"many" is not a whole number`,
	},
	{
		name: "fraction for a number", yaml: "limits: {fields: 1.5}", want: "1:18: limits.fields: ",
		says: "not a whole number",
	},
	{
		name: "number beyond any", yaml: "limits: {fields: 99999999999999999999}",
		want: "1:18: limits.fields: ", says: "whole number",
	},
	{
		name: "text for a boolean", yaml: "mapping: {bisect: yes}", want: "1:19: mapping.bisect: ",
		says: `"yes" is not true or false`,
	},
	{
		name: "number for text", yaml: "kinds: {READING: {path: 7}}", want: "1:25: kinds.READING.path: ",
		says: "in quotes",
	},
	{
		name: "alias", yaml: "limits: {fields: &n 10, observations: *n}",
		want: "1:39: limits.observations: ", says: "write the value out", unseen: true,
	},
	{
		name: "two documents", yaml: "limits: {}\n---\nlimits: {}", want: "2:1: ", says: "one document",
		unseen: true,
	},
	{name: "a key that is no word", yaml: "? [a]\n: 1", want: "1:3: ", says: "not text", unseen: true},

	// Subject types without kinds.
	{
		name: "a type with a reserved name", yaml: "subjects: {JOB: {}}", want: "1:12: subjects.JOB.name: ",
		says: "partition prefix", unseen: true,
	},
	{
		name: "a type with a reserved field", yaml: "subjects:\n  A: {profile: {fields: {deletedAt: {}}}}",
		want: "2:26: subjects.A.profile.fields.deletedAt: ", says: "Tidemark's own", unseen: true,
	},
	{
		name: "a type with the path of a kind", yaml: "subjects: {A: {path: readings}}",
		want: "1:22: subjects.A.path: ", says: "see kind READING", unseen: true,
	},
	{name: "a type in lower case", yaml: "subjects: {a: {}}", want: "1:12: subjects.a", says: "upper-case"},

	// Durations and sizes.
	{
		name: "duration without unit", yaml: "mapping: {window: 5}", want: "1:19: mapping.window: ",
		says: "a number and its unit",
	},
	{
		name: "duration of an unknown unit", yaml: "mapping: {window: 5min}", want: "1:19: mapping.window: ",
		says: `"5min" is not a duration`,
	},
	{
		name: "duration in words", yaml: "tiers: {raw: a month, hour: 90d}", want: "1:14: tiers.raw: ",
		says: "30d, 2y",
	},
	{
		name: "duration below nothing", yaml: "mapping: {window: -5s}", want: "1:19: mapping.window: ",
		says: "not a duration",
	},
	{
		name: "duration beyond the clock", yaml: "tiers: {raw: 900y, hour: forever}",
		want: "1:14: tiers.raw: ", says: "write forever", unseen: true,
	},
	{
		name: "a retention of nothing", yaml: "tiers: {raw: 30d, hour: 0d}", want: "1:25: tiers.hour: ",
		says: "would keep nothing",
	},
	{
		name: "forever where it ends", yaml: "quarantine: {retention: forever}",
		want: "1:25: quarantine.retention: ", says: "not a duration",
	},
	{name: "size of an unknown unit", yaml: "limits: {body: 1MB}", want: "1:16: limits.body: ", says: "1MiB"},
	{
		name: "size beyond any", yaml: "limits: {body: 9999999MiB}", want: "1:16: limits.body: ",
		says: "more than any limit", unseen: true,
	},

	// Profiles.
	{
		name: "an index that is none",
		yaml: "kinds: {READING: {subject: {profile: {indexes: {site: {index: gsi3}}}}}}",
		want: "1:49: kinds.READING.subject.profile.indexes.site: ", says: "want gsi1 or gsi2",
	},
	{
		name: "an index of two fields",
		yaml: "kinds: {READING: {subject: {profile: {indexes: {site: {}, status: {}}}}}}",
		want: "1:59: kinds.READING.subject.profile.indexes.status: ", says: "an index has one field",
		unseen: true,
	},
	{name: "a further field that seems misspelt",
		yaml:   "kinds: {READING: {subject: {profile: {indexes: {accountId: {and: [statu]}}}}}}",
		want:   "1:61: kinds.READING.subject.profile.indexes.accountId.and: ",
		says:   "\"statu\" is not in fields (did you mean status?): correct it, or declare it there",
		unseen: true,
	},
	{name: "a field twice in an index",
		yaml:   "kinds: {READING: {subject: {profile: {indexes: {accountId: {and: [status], sort: [status]}}}}}}",
		want:   "1:76: kinds.READING.subject.profile.indexes.accountId.sort: ",
		says:   "\"status\" is in the index twice: remove one",
		unseen: true,
	},
	{name: "a field without an order",
		yaml: "kinds: {READING: {subject: {profile: {indexes: {accountId: {sort: [a], types: {a: boolean}}}}}}}",
		want: "1:72: kinds.READING.subject.profile.indexes.accountId.types: ",
		says: "has no order: want text, number or time",
	},
	{name: "a declared field as a number",
		yaml:   "kinds: {READING: {subject: {profile: {indexes: {type: {sort: [name], types: {name: number}}}}}}}",
		want:   "1:70: kinds.READING.subject.profile.indexes.type.types: ",
		says:   "these are texts: remove it from fields, or sort it as text",
		unseen: true,
	},
	{name: "a type of a field that sorts nothing",
		yaml:   "kinds: {READING: {subject: {profile: {indexes: {accountId: {types: {floor: number}}}}}}}",
		want:   "1:61: kinds.READING.subject.profile.indexes.accountId.types: ",
		says:   "add it to sort, or remove its type",
		unseen: true,
	},
	{name: "too many fields of an index",
		yaml: "kinds: {READING: {subject: {profile: {indexes: {accountId: {and: [a1, a2, a3, a4]}}}}}}",
		want: "1:61: kinds.READING.subject.profile.indexes.accountId.and: ",
		says: "5 fields to find profiles by: want at most 4",
	},
	{name: "an order of an index with shards",
		yaml:   "kinds: {READING: {subject: {profile: {indexes: {status: {shards: 8, sort: [name]}}}}}}",
		want:   "1:69: kinds.READING.subject.profile.indexes.status.sort: ",
		says:   "a sorted list would read every shard for each page: remove shards",
		unseen: true,
	},
	{
		name: "a constraint without fields",
		yaml: "kinds: {READING: {subject: {profile: {unique: {serial: {case: fold}}}}}}",
		want: "1:48: kinds.READING.subject.profile.unique.serial", says: "missing: list the fields",
	},
	{
		name: "a case rule that is none",
		yaml: "kinds: {READING: {subject: {profile: {unique: {s: {fields: [a], case: upper}}}}}}",
		want: "1:71: kinds.READING.subject.profile.unique.s.case: ", says: "want exact or fold",
	},
	{
		name: "a unique attribute of ours",
		yaml: "kinds: {READING: {subject: {profile: {unique: {s: {fields: [deletedAt]}}}}}}",
		want: "1:52: kinds.READING.subject.profile.unique.s.fields: ", says: "Tidemark's own",
	},
	{
		name: "a release that is none", yaml: "kinds: {READING: {subject: {profile: {release: later}}}}",
		want: "1:48: kinds.READING.subject.profile.release: ", says: "want free or reserve",
	},
	{
		name: "a bin emptied at once", yaml: "kinds: {READING: {subject: {profile: {deletedFor: 5m}}}}",
		want: "1:51: kinds.READING.subject.profile.deletedFor: ", says: "less than a day", unseen: true,
	},

	// Bounds.
	{
		name: "body over Lambda's", yaml: "limits: {body: 5MiB}", want: "1:16: limits.body: ",
		says: "5MiB is out of bounds: want 1KiB to 4MiB, because Lambda", unseen: true,
	},
	{
		name: "clock far ahead", yaml: "limits: {maxAhead: 2d}", want: "1:20: limits.maxAhead: ",
		says: "want 0s to 1d", unseen: true,
	},
	{
		name: "batch over the mapping's", yaml: "mapping: {batchSize: 20000}",
		want: "1:22: mapping.batchSize: ", says: "want 1 to 10000",
	},
	{
		name: "window over the mapping's", yaml: "mapping: {window: 10m}", want: "1:19: mapping.window: ",
		says: "want 0s to 5m", unseen: true,
	},
	{
		name: "endless retries", yaml: "mapping: {maxRetries: -1}", want: "1:23: mapping.maxRetries: ",
		says: "block its stream shard",
	},
	{
		name: "age beyond the table stream's", yaml: "mapping: {maxAge: 24h}",
		want: "1:19: mapping.maxAge: ", says: "keeps a change for 24 hours", unseen: true,
	},
	{
		name: "timeout beyond the caller's", yaml: "functions: {query: {timeout: 30s}}",
		want: "1:30: functions.query.timeout: ", says: "30 seconds", unseen: true,
	},
	{
		name: "too little memory", yaml: "functions: {ingest: {memory: 64}}",
		want: "1:30: functions.ingest.memory: ", says: "want 128 to 10240",
	},
	{
		name: "decompressed below body", yaml: "limits: {body: 2MiB, decompressed: 1MiB}",
		want: "1:36: limits.decompressed: ", says: "less than limits.body", unseen: true,
	},

	// Retention policies.
	{name: "no raw", yaml: "tiers: {hour: 90d}", want: "1:8: tiers: ", says: "raw is missing"},
	{
		name: "events for a moment", yaml: "tiers: {raw: 5m}", want: "1:1: tiers: ",
		says: "shorter than 1h0m0s", unseen: true,
	},
	{
		name: "jitter without tiers", yaml: "tiers: {raw: 30d, jitter: 1m}", want: "1:1: tiers: ",
		says: "there are none", unseen: true,
	},
	{
		name: "unknown tier", yaml: "tiers: {raw: 30d, decade: 90d}", want: "1:19: tiers.decade: ",
		says: "want one of: raw, jitter, lateEvery, minute, hour, day, week, week-sunday, month, quarter",
	},
	{
		name: "raw too short", yaml: "tiers: {raw: 1d, month: forever}", want: "1:1: tiers: ",
		says: "shorter than 3 d", unseen: true,
	},
	{
		name: "hour shorter than raw allows", yaml: "tiers:\n  raw: 90d\n  hour: 90d\n  day: 2y",
		want: "3:9: tiers.hour: ", says: "want at least raw 90 d", unseen: true,
	},
	{
		name: "tier without retention", yaml: "tiers: {raw: 30d, hour: {least: 90d}}",
		want: "1:25: tiers.hour: ", says: "retention is missing",
	},
	{
		name: "least that is forever", yaml: "tiers: {raw: 30d, hour: {retention: 90d, least: forever}}",
		want: "1:49: tiers.hour.least: ", says: "not a duration",
	},
	{
		name: "least over retention", yaml: "tiers: {raw: 30d, hour: {retention: 90d, least: 91d}}",
		want: "1:19: tiers.hour: ", says: "least retention", unseen: true,
	},
	{
		name: "from that is no time", yaml: "tiers: {raw: 30d, hour: {retention: 90d, from: soon}}",
		want: "1:48: tiers.hour.from: ", says: "not a time",
	},
	{
		name: "from off the edge",
		yaml: "tiers: {raw: 30d, hour: {retention: 90d, from: 2026-11-01T06:00:00Z}, day: 2y}",
		want: "1:19: tiers.hour: ", says: "not the start of a day", unseen: true,
	},
	{
		name: "tiers of a kind",
		yaml: "kinds:\n  READING:\n    tiers:\n      raw: 90d\n      hour: 30d\n      day: 2y",
		want: "5:13: kinds.READING.tiers.hour: ", says: "too short", unseen: true,
	},

	// Kinds.
	{
		name: "kind misspelled", yaml: "kinds: {READNG: {late: drop}}", want: "1:9: kinds.READNG: ",
		says: "did you mean READING?", unseen: true,
	},
	{
		name: "new kind without subject", yaml: "kinds: {VIBRATION: {late: drop}}",
		want: "1:9: kinds.VIBRATION: ", says: "needs a subject", unseen: true,
	},
	{
		name: "kind in lower case", yaml: "kinds: {vibration: {subject: {name: MACHINE}}}",
		want: "1:9: kinds.vibration.name: ", says: "want upper-case letters",
	},
	{
		name: "path in capitals", yaml: "kinds: {READING: {path: Readings}}",
		want: "1:25: kinds.READING.path: ", says: "want lower-case letters",
	},
	{
		name: "path taken", yaml: "kinds: {VIBRATION: {path: readings, subject: {name: MACHINE}}}",
		want: "1:27: kinds.VIBRATION.path: ", says: "of kind READING already", unseen: true,
	},
	{
		name: "subject declared otherwise",
		yaml: "kinds: {VIBRATION: {subject: {name: DEVICE, field: device}}}",
		want: "1:21: kinds.VIBRATION.subject: ", says: "kind READING declares DEVICE differently",
		unseen: true,
	},
	{
		name: "unknown late policy", yaml: "kinds: {READING: {late: sometimes}}",
		want: "1:25: kinds.READING.late: ", says: "want keep or drop",
	},
	{
		name: "unknown id policy", yaml: "kinds: {READING: {ids: maybe}}", want: "1:24: kinds.READING.ids: ",
		says: "optional, required or minted",
	},
	{
		name: "unknown time policy", yaml: "kinds: {READING: {finerTime: round}}",
		want: "1:30: kinds.READING.finerTime: ", says: "reject or truncate",
	},
	{
		name: "drop without latest", yaml: "kinds: {READING: {latest: none, late: drop}}",
		want: "1:39: kinds.READING.late: ", says: "compares events with the latest item",
	},
	{
		name: "drop with derived latest", yaml: "kinds: {READING: {latest: derived, late: drop}}",
		want: "1:42: kinds.READING.late: ", says: "write late: keep, or latest: transaction",
	},
	{
		name: "index of derived latest items",
		yaml: "kinds: {READING: {latest: derived, latestBy: {gsi1: {by: [state]}}}}",
		want: "1:36: kinds.READING.latestBy: ", says: "write latest: transaction", unseen: true,
	},
	{
		name: "the former latest", yaml: "kinds: {READING: {latest: false}}",
		want: "1:27: kinds.READING.latest: ",
		says: "write transaction in place of true, and none in place of false",
	},
	{
		name: "unknown latest", yaml: "kinds: {READING: {latest: sometimes}}",
		want: "1:27: kinds.READING.latest: ", says: "want transaction, derived or none",
	},
	{
		name: "derived latest without tiers", yaml: "kinds: {READING: {latest: derived, tiers: {raw: 30d}}}",
		want: "1:27: kinds.READING.latest: ", says: "add a tier, keep raw forever", unseen: true,
	},
	{
		name: "scale too fine", yaml: "kinds: {READING: {measures: {t: {scale: 16}}}}",
		want: "1:41: kinds.READING.measures.t.scale: ", says: "want 0 to 15",
	},
	{name: "a unit that turns text", yaml: `kinds: {READING: {measures: {t: {unit: "\u202eC"}}}}`,
		want: "1:40: kinds.READING.measures.t.unit: ", says: "characters that a reader cannot see", unseen: true},
	{name: "a unit that controls a terminal", yaml: `kinds: {READING: {measures: {t: {unit: "\e[2J"}}}}`,
		want: "1:40: kinds.READING.measures.t.unit: ", says: "write the unit as it is printed", unseen: true},
	{name: "a sentence as a unit", yaml: "kinds: {READING: {measures: {t: {unit: degrees of Celsius}}}}",
		want: "1:40: kinds.READING.measures.t.unit: ", says: "longer than 16 characters: write its symbol"},
	{name: "a unit with a space", yaml: `kinds: {READING: {measures: {t: {unit: " kWh"}}}}`,
		want: "1:40: kinds.READING.measures.t.unit: ", says: "begins or ends with a space", unseen: true},
	{name: "a number as a unit", yaml: "kinds: {READING: {measures: {t: {unit: 7}}}}",
		want: "1:40: kinds.READING.measures.t.unit: ", says: "in quotes"},
	{
		name: "measure and enrichment", yaml: "kinds: {READING: {enrichment: [battery]}}",
		want: "1:32: kinds.READING.enrichment.battery: ", says: "a measure already", unseen: true,
	},
	{
		name: "subject's field as measure", yaml: "kinds: {READING: {measures: {deviceId: {}}}}",
		want: "1:30: kinds.READING.measures.deviceId: ", says: "the subject's field already", unseen: true,
	},
	{
		name: "measure named as the time", yaml: "kinds: {READING: {measures: {timestamp: {}}}}",
		want: "1:30: kinds.READING.measures.timestamp: ", says: "fixed meaning in every observation",
	},
	{
		name: "measure named as a stored attribute", yaml: "kinds: {READING: {measures: {expiresAt: {}}}}",
		want: "1:30: kinds.READING.measures.expiresAt: ", says: "Tidemark's own items",
	},
	{
		name: "measure with an underscore", yaml: "kinds: {READING: {measures: {_t: {}}}}",
		want: "1:30: kinds.READING.measures._t: ", says: "reserved for Tidemark",
	},
	{
		name: "subject type of our own", yaml: "kinds: {X: {subject: {name: QUARANTINE}}}",
		want: "1:29: kinds.X.subject.name: ", says: "Tidemark's own", unseen: true,
	},
	{
		name: "distinct is no list", yaml: "kinds: {READING: {distinct: visitor}}",
		want: "1:29: kinds.READING.distinct: ", says: "want a list",
	},
	{
		name: "a number in a list", yaml: "kinds: {READING: {distinct: [7]}}",
		want: "1:30: kinds.READING.distinct.7: ", says: "in quotes",
	},
	{
		name: "too many shards", yaml: "kinds: {READING: {shards: 65}}",
		want: "1:27: kinds.READING.shards: ", says: "want 1 to 64",
	},

	// Goals.
	{
		name: "a goal of no sessions", yaml: "kinds: {READING: {goals: {x: {minDuration: 1m}}}}",
		want: "1:19: kinds.READING.goals: ", says: "declare them for a kind with sessionsOf", unseen: true,
	},
	{
		name: "a goal without a condition", yaml: ofVisits + "{}}}}", want: "1:163: kinds.V.goals.x: ",
		says: "every session would meet it",
	},
	{
		name: "a goal of an event and steps", yaml: ofVisits + "{of: READING, steps: [{of: READING}]}}}}",
		want: "1:166: kinds.V.goals.x: ", says: "make the event one of the steps",
	},
	{
		name: "steps that are no list", yaml: ofVisits + "{steps: {of: READING}, minDuration: 1m}}}}",
		want: "1:174: kinds.V.goals.x.steps: ", says: "want a list of events",
	},
	{
		name: "a step of an unknown key", yaml: ofVisits + "{steps: [{of: READING, wher: {path: /}}]}}}}",
		want: "1:189: kinds.V.goals.x.steps.wher: ", says: "did you mean where?",
	},
	{
		name: "a pattern that is a number", yaml: ofVisits + "{of: READING, where: {path: 7}}}}}",
		want: "1:194: kinds.V.goals.x.where.path: ", says: "in quotes",
	},

	// Stages.
	{
		name: "stage in capitals", yaml: "stages: {Prod: {}}", want: "1:10: stages.Prod: ",
		says: "lower-case letters",
	},
	{
		name: "unknown billing", yaml: "stages: {prod: {billing: free}}",
		want: "1:26: stages.prod.billing: ", says: "want onDemand",
	},
	{
		name: "half provisioned", yaml: "stages: {prod: {billing: {readUnits: 5}}}",
		want: "1:17: stages.prod.billing: ", says: "give both",
	},
	{
		name: "autoscaling below the provisioned units",
		yaml: "stages: {prod: {billing: {readUnits: 5, writeUnits: 5, " +
			"autoscale: {readUnits: 4, writeUnits: 9, utilization: 70}}}}",
		want: "1:56: stages.prod.billing.autoscale: ", says: "not below", unseen: true,
	},
	{
		name: "autoscaling to all units",
		yaml: "stages: {prod: {billing: {readUnits: 5, writeUnits: 5, " +
			"autoscale: {readUnits: 9, writeUnits: 9, utilization: 91}}}}",
		want: "1:110: stages.prod.billing.autoscale.utilization: ", says: "want 20 to 90",
	},
	{
		name: "autoscaling on demand",
		yaml: "stages: {prod: {billing: {autoscale: {readUnits: 9, writeUnits: 9, utilization: 70}}}}",
		want: "1:17: stages.prod.billing: ", says: "give both",
	},
	{
		name: "unknown removal", yaml: "stages: {prod: {removal: keep}}",
		want: "1:26: stages.prod.removal: ", says: "want retain",
	},
	{
		name: "log retention unknown to CloudWatch", yaml: "stages: {prod: {logRetention: 10d}}",
		want: "1:31: stages.prod.logRetention: ", says: "1d, 3d, 5d, 7d",
	},
	{
		name: "mail address without a domain", yaml: "stages: {prod: {alarmMail: team}}",
		want: "1:28: stages.prod.alarmMail: ", says: "not a mail address",
	},
	{name: "an address for a secret", yaml: "stages: {prod: {webhooks: {slack: 'https://hooks.slack.com/x'}}}",
		want: "1:35: stages.prod.webhooks.slack: ", says: "not the ARN of a secret"},
	{name: "an address without https", yaml: withSlack + "pagerDutyUrl: 'http://a.example/x'}}}",
		want: "1:117: stages.prod.webhooks.pagerDutyUrl: ", says: "want https://"},
	{name: "an unknown severity", yaml: withSlack + "severity: loud}}}",
		want: "1:113: stages.prod.webhooks.severity: ", says: "want info, warning or critical"},
	{name: "webhooks without a receiver", yaml: "stages: {prod: {webhooks: {severity: info}}}",
		want: "1:17: stages.prod.webhooks: ", says: "no receiver", unseen: true},
	{name: "an archive on this machine", yaml: "stages: {prod: {archive: {to: exports}}}",
		want: "1:31: stages.prod.archive.to: ", says: "not a folder in S3"},
	{name: "an archive from a month", yaml: "stages: {prod: {archive: {to: 's3://bucket/a', from: 2015-01}}}",
		want: "1:54: stages.prod.archive.from: ", says: "not a day"},
	{
		name: "a name for a topic's ARN", yaml: "stages: {prod: {alarmTopic: on-call}}",
		want: "1:29: stages.prod.alarmTopic: ", says: "not the ARN",
	},
	{
		name: "monitoring that is not known", yaml: "stages: {prod: {monitoring: some}}",
		want: "1:29: stages.prod.monitoring: ", says: "want full",
	},
	{
		name: "units of provisioned capacity limited",
		yaml: "stages: {prod: {billing: {readUnits: 5, writeUnits: 5}, ceiling: {writeUnits: 9}}}",
		want: "1:57: stages.prod.ceiling: ", says: "its own limit", unseen: true,
	},
	{
		name: "a queue for one invocation", yaml: "stages: {prod: {ceiling: {inbox: 1}}}",
		want: "1:34: stages.prod.ceiling.inbox: ", says: "want 2 to 1000", unseen: true,
	},
	{
		name: "a distribution without a collector",
		yaml: "stages: {prod: {cloudFront: {rate: 100}, region: us-east-1, sources: {pages: false}}}",
		want: "1:17: stages.prod.cloudFront: ", says: "does not have", unseen: true,
	},
	{
		name: "two web ACLs",
		yaml: "stages: {prod: {region: us-east-1, " +
			"cloudFront: {rate: 100, webAcl: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/1'}}}",
		want: "1:36: stages.prod.cloudFront: ", says: "not both", unseen: true,
	},
	{
		name: "a web ACL of another region",
		yaml: "stages: {prod: {cloudFront: {webAcl: " +
			"'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/1'}}}",
		want: "1:17: stages.prod.cloudFront: ", says: "for CloudFront",
	},
	{
		name: "a web ACL created in another region",
		yaml: "stages: {prod: {region: eu-west-1, cloudFront: {rate: 100}}}",
		want: "1:55: stages.prod.cloudFront.rate: ", says: "us-east-1 only", unseen: true,
	},
	{
		name: "a distribution's certificate of another region",
		yaml: "stages: {prod: {region: us-east-1, cloudFront: {rate: 100, " +
			"domain: {name: stats.example.com, " +
			"certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1'}}}}",
		want: "1:60: stages.prod.cloudFront.domain: ", says: "in us-east-1", unseen: true,
	},
	{
		name: "a distribution's domain without a name",
		yaml: "stages: {prod: {region: us-east-1, " +
			"cloudFront: {rate: 100, domain: {" +
			"certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/1'}}}}",
		want: "1:60: stages.prod.cloudFront.domain: ", says: "give both", unseen: true,
	},
	{
		name: "a rate below AWS's", yaml: "stages: {prod: {region: us-east-1, cloudFront: {rate: 9}}}",
		want: "1:55: stages.prod.cloudFront.rate: ", says: "AWS WAF", unseen: true,
	},
	{
		name: "less than no ceiling", yaml: "stages: {prod: {ceiling: {readUnits: -1}}}",
		want: "1:38: stages.prod.ceiling.readUnits: ", says: "0 sets no limit",
	},
	{
		name: "an account as a name", yaml: "stages: {prod: {account: main}}",
		want: "1:26: stages.prod.account: ", says: "12 digits",
	},
	{
		name: "a region as a name", yaml: "stages: {prod: {region: Frankfurt}}",
		want: "1:25: stages.prod.region: ", says: "such as eu-central-1",
	},
	{
		name: "a path as an origin", yaml: "stages: {prod: {cors: [https://x/app]}}",
		want: "1:17: stages.prod.cors: ", says: "without a path",
	},
	{
		name: "a table without its stream",
		yaml: "stages: {prod: {table: arn:aws:dynamodb:eu-west-1:123456789012:table/t}}",
		want: "1:24: stages.prod.table: ", says: "tidemark restore", unseen: true,
	},
	{
		name: "a domain without a certificate", yaml: "stages: {prod: {domain: {name: a.example.com}}}",
		want: "1:17: stages.prod.domain: ", says: "give both", unseen: true,
	},
	{
		name: "a boundary that is no policy", yaml: "stages: {prod: {permissionsBoundary: admin}}",
		want: "1:38: stages.prod.permissionsBoundary: ", says: "ARN of a policy", unseen: true,
	},
	{
		name: "a certificate for a boundary", unseen: true,
		yaml: "stages: {prod: {permissionsBoundary: 'arn:aws:acm:eu-west-1:123456789012:certificate/1'}}",
		want: "1:38: stages.prod.permissionsBoundary: ", says: "ARN of a policy",
	},
	{
		name: "a policy for a certificate", unseen: true,
		yaml: "stages: {prod: {domain: {name: a.example.com, " +
			"certificate: 'arn:aws:iam::123456789012:policy/p'}}}",
		want: "1:17: stages.prod.domain: ", says: "give both",
	},
	{
		name: "clients without senders", yaml: "stages: {prod: {sources: {senders: false, clients: true}}}",
		want: "1:52: stages.prod.sources.clients: ", says: "write senders: true", unseen: true,
	},
	{
		name: "a topic of another region",
		yaml: inFrankfurt + "alarmTopic: 'arn:aws:sns:us-east-1:123456789012:on-call'}}",
		want: "1:76: stages.prod.alarmTopic: ", says: "own region only", unseen: true,
	},
	{
		name: "a table of another region",
		yaml: inFrankfurt + "table: 'arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026'}}",
		want: "1:71: stages.prod.table: ", says: "own region only", unseen: true,
	},
	{
		name: "a table of another account",
		yaml: inFrankfurt + "table: 'arn:aws:dynamodb:eu-central-1:210987654321:table/t/stream/2026'}}",
		want: "1:71: stages.prod.table: ", says: "own account only", unseen: true,
	},
	{
		name: "a certificate of another region",
		yaml: inFrankfurt + "domain: {name: a.example.com, " +
			"certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/1'}}}",
		want: "1:64: stages.prod.domain: ", says: "own region only", unseen: true,
	},
	{
		name: "a boundary of another account",
		yaml: inFrankfurt + "permissionsBoundary: 'arn:aws:iam::210987654321:policy/boundary'}}",
		want: "1:85: stages.prod.permissionsBoundary: ", says: "own account only", unseen: true,
	},
	{
		name: "a web ACL of another account",
		yaml: inFrankfurt +
			"cloudFront: {webAcl: 'arn:aws:wafv2:us-east-1:210987654321:global/webacl/a/1'}}}",
		want: "1:85: stages.prod.cloudFront.webAcl: ", says: "own account only", unseen: true,
	},
	{
		name: "pages without tokens", yaml: "stages: {prod: {ui: true}}", want: "1:21: stages.prod.ui: ",
		says: "need tokens", unseen: true,
	},
	{
		name: "a client without tokens", yaml: "stages: {prod: {access: {client: pages}}}",
		want: "1:17: stages.prod.access: ", says: "there is no issuer",
	},
	{
		name: "scopes without tokens", yaml: "stages: {prod: {access: {scopePrefix: t/}}}",
		want: "1:17: stages.prod.access: ", says: "there is no issuer",
	},
	{
		name: "an origin over plain HTTP", yaml: "stages: {prod: {cors: [http://app.example.com]}}",
		want: "1:17: stages.prod.cors: ", says: "plain HTTP", unseen: true,
	},
	{
		name: "a pattern of websites", yaml: `collector: {domains: ["*"]}`,
		want: "1:13: collector.domains: ", says: "no patterns", unseen: true,
	},
	{
		name: "a website without a name", yaml: `collector: {domains: [""]}`,
		want: "1:13: collector.domains: ", says: "not the id of a website", unseen: true,
	},
	{
		name: "values of all owners",
		yaml: "stages: {prod: {access: {issuer: https://x, audience: [a], ownerClaim: sub}}}\n" +
			"kinds: {READING: {subject: {profile: {unique: {s: {fields: [a]}}}}}}",
		want: "2:48: kinds.READING.subject.profile.unique.s: ", says: "perOwner: true", unseen: true,
	},
	{
		name: "a proxy that is not known", yaml: "collector: {trust: nginx}",
		want: "1:20: collector.trust: ", says: "want none",
	},
	{
		name: "regions that no proxy names", yaml: "collector: {regions: true}",
		want: "1:22: collector.regions: ", says: "no distribution is trusted", unseen: true,
	},
	{
		name:   "a queue that invokes more than is reserved",
		yaml:   "stages: {prod: {reserved: {ingest: 5}, sources: {sqs: true}}}",
		want:   "1:10: stages.prod.ceiling.inbox: ",
		says:   "want 2 to 5",
		unseen: true,
	},
	{
		name:   "one topic of two stages",
		yaml:   "stages: {prod: {sources: {topic: a}}, test: {account: '123456789012', sources: {topic: a}}}",
		want:   "1:88: stages.test.sources.topic: ",
		says:   "both would store",
		unseen: true,
	},
	{
		name: "topic of two levels", yaml: "stages: {prod: {sources: {topic: a/b}}}",
		want: "1:34: stages.prod.sources.topic: ", says: "one level",
	},
	{
		name: "topic that is a pattern", yaml: "stages: {prod: {sources: {topic: +}}}",
		want: "1:34: stages.prod.sources.topic: ", says: "one level",
	},
	{
		name: "access for everybody", yaml: "stages: {prod: {access: open}}",
		want: "1:25: stages.prod.access: ", says: "want iam, or {issuer",
	},
	{
		name: "tokens without an issuer", yaml: "stages: {prod: {access: {audience: [a]}}}",
		want: "1:17: stages.prod.access: ", says: "there is no issuer",
	},
	{
		name: "tokens over plain HTTP", yaml: "stages: {prod: {access: {issuer: http://x, audience: [a]}}}",
		want: "1:34: stages.prod.access.issuer: ", says: "https",
	},
	{
		name: "tokens without an audience", yaml: "stages: {prod: {access: {issuer: https://x}}}",
		want: "1:17: stages.prod.access.audience: ", says: "tokens for other services",
	},
	{
		name: "claim with a space",
		yaml: "stages: {prod: {access: {issuer: https://x, audience: [a], ownerClaim: a b}}}",
		want: "1:72: stages.prod.access.ownerClaim: ", says: "not the name of a claim",
	},
	{
		name: "negative reservation", yaml: "stages: {prod: {reserved: {ingest: -1}}}",
		want: "1:36: stages.prod.reserved.ingest: ", says: "want 0 to",
	},
	{
		name: "no request a second", yaml: "stages: {prod: {throttle: {rate: 0}}}",
		want: "1:34: stages.prod.throttle.rate: ", says: "want 1 to",
	},
}

func TestParse_ReportsEachMistakeWithItsPosition(t *testing.T) {
	for _, test := range badConfigs {
		t.Run(test.name, func(t *testing.T) {
			c, err := configfile.Parse("tidemark.yaml", []byte(test.yaml), iot.Kinds()...)
			if c != nil || err == nil {
				t.Fatalf("Parse = %v, %v; want nil and a mistake", c, err)
			}
			got := err.Error()
			if !strings.HasPrefix(got, "tidemark.yaml:"+test.want) || !strings.Contains(got, test.says) {
				t.Errorf("got  %s\nwant tidemark.yaml:%s… %s", got, test.want, test.says)
			}
			if strings.Contains(got, "\n") {
				t.Errorf("got several messages for one mistake:\n%s", got)
			}
		})
	}
}

func TestSchema_RejectsTheMistakesThatASchemaCanFind(t *testing.T) {
	s := schema(t)
	for _, test := range badConfigs {
		if test.unseen {
			continue
		}
		if err := s.Validate(document(t, []byte(test.yaml))); err == nil {
			t.Errorf("%s: the schema accepts\n%s", test.name, test.yaml)
		}
	}
}

func TestParse_ReportsAllMistakesInTheOrderOfTheFile(t *testing.T) {
	const file = `
limits:
  fields: many
  boddy: 1MiB
kinds:
  READING:
    late: sometimes
    measures:
      temperature: {scale: 99}
mapping:
  maxAge: 2d
stages:
  Prod: {removal: never}
`
	_, err := configfile.Parse("c.yaml", []byte(file), iot.Kinds()...)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("got %v, want Mistakes", err)
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, fmt.Sprintf("%d %s", m.Line, m.Path))
	}
	want := []string{
		"3 limits.fields", "4 limits.boddy", "7 kinds.READING.late",
		"9 kinds.READING.measures.temperature.scale", "11 mapping.maxAge",
		"13 stages.Prod", "13 stages.Prod.removal",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestParse_ReportsTheLineOfASyntaxError(t *testing.T) {
	_, err := configfile.Parse("c.yaml", []byte("limits:\n  fields: [1\nkinds: {}\n"))
	want := "c.yaml:1: not YAML: did not find expected ',' or ']', on this line or the next; correct it"
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestValidate_ChecksAConfigurationMadeInGo(t *testing.T) {
	c := config.Default(iot.Kinds()...)
	c.Mapping.BatchSize = 0
	c.Kinds = append(c.Kinds, catalog.Kind{})
	got := fmt.Sprint(c.Validate())
	for _, want := range []string{"mapping.batchSize: 0 is out of bounds", "kinds.#2.name: missing",
		"kinds.#2.subject.name: missing"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
}
