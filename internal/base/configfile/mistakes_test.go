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
	{"unknown section", "limit: {}", "1:1: limit: ", "did you mean limits?", false},
	{"unknown key", "limits:\n  bodySize: 1MiB", "2:3: limits.bodySize: ", "want one of: body, decompressed", false},
	{"unknown key far from any", "mapping: {zzzzzzzzz: 1}", "1:11: mapping.zzzzzzzzz: ", "unknown key; want one of", false},
	{"key in another case", "mapping:\n  batchsize: 10", "2:3: mapping.batchsize: ", "did you mean batchSize?", false},
	{"there twice", "limits:\n  fields: 10\n  fields: 20", "3:3: limits.fields: ", "there twice", true},
	{"scalar for a section", "limits: 5", "1:9: limits: ", "want a mapping", false},
	{"list for a section", "limits: [5]", "1:9: limits: ", "this is a list, want a mapping", false},
	{"list for the whole", "- limits", "1:1: ", "want a mapping", false},
	{"mapping for a scalar", "limits: {fields: {most: 3}}", "1:18: limits.fields: ", "this is a mapping, want a whole number", false},
	{"no value", "limits:\n  fields:", "2:10: limits.fields: ", "there is no value", false},
	{"text for a number", "limits: {fields: many}", "1:18: limits.fields: ", `"many" is not a whole number`, false},
	{"fraction for a number", "limits: {fields: 1.5}", "1:18: limits.fields: ", "not a whole number", false},
	{"number beyond any", "limits: {fields: 99999999999999999999}", "1:18: limits.fields: ", "whole number", false},
	{"text for a boolean", "mapping: {bisect: yes}", "1:19: mapping.bisect: ", `"yes" is not true or false`, false},
	{"number for text", "kinds: {READING: {path: 7}}", "1:25: kinds.READING.path: ", "in quotes", false},
	{"alias", "limits: {fields: &n 10, observations: *n}", "1:39: limits.observations: ", "write the value out", true},
	{"two documents", "limits: {}\n---\nlimits: {}", "2:1: ", "one document", true},
	{"a key that is no word", "? [a]\n: 1", "1:3: ", "not text", true},

	// Subject types without kinds.
	{"a type with a reserved name", "subjects: {JOB: {}}", "1:12: subjects.JOB.name: ", "partition prefix", true},
	{"a type with a reserved field", "subjects:\n  A: {profile: {fields: {deletedAt: {}}}}", "2:26: subjects.A.profile.fields.deletedAt: ", "Tidemark's own", true},
	{"a type with the path of a kind", "subjects: {A: {path: readings}}", "1:22: subjects.A.path: ", "see kind READING", true},
	{"a type in lower case", "subjects: {a: {}}", "1:12: subjects.a", "upper-case", false},

	// Durations and sizes.
	{"duration without unit", "mapping: {window: 5}", "1:19: mapping.window: ", "a number and its unit", false},
	{"duration of an unknown unit", "mapping: {window: 5min}", "1:19: mapping.window: ", `"5min" is not a duration`, false},
	{"duration in words", "tiers: {raw: a month, hour: 90d}", "1:14: tiers.raw: ", "30d, 2y", false},
	{"duration below nothing", "mapping: {window: -5s}", "1:19: mapping.window: ", "not a duration", false},
	{"duration beyond the clock", "tiers: {raw: 900y, hour: forever}", "1:14: tiers.raw: ", "write forever", true},
	{"a retention of nothing", "tiers: {raw: 30d, hour: 0d}", "1:25: tiers.hour: ", "would keep nothing", false},
	{"forever where it ends", "quarantine: {retention: forever}", "1:25: quarantine.retention: ", "not a duration", false},
	{"size of an unknown unit", "limits: {body: 1MB}", "1:16: limits.body: ", "1MiB", false},
	{"size beyond any", "limits: {body: 9999999MiB}", "1:16: limits.body: ", "more than any limit", true},

	// Profiles.
	{"an index that is none", "kinds: {READING: {subject: {profile: {indexes: {site: {index: gsi3}}}}}}", "1:49: kinds.READING.subject.profile.indexes.site: ", "want gsi1 or gsi2", false},
	{"an index of two fields", "kinds: {READING: {subject: {profile: {indexes: {site: {}, status: {}}}}}}", "1:59: kinds.READING.subject.profile.indexes.status: ", "an index has one field", true},
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
	{"a constraint without fields", "kinds: {READING: {subject: {profile: {unique: {serial: {case: fold}}}}}}", "1:48: kinds.READING.subject.profile.unique.serial", "missing: list the fields", false},
	{"a case rule that is none", "kinds: {READING: {subject: {profile: {unique: {s: {fields: [a], case: upper}}}}}}", "1:71: kinds.READING.subject.profile.unique.s.case: ", "want exact or fold", false},
	{"a unique attribute of ours", "kinds: {READING: {subject: {profile: {unique: {s: {fields: [deletedAt]}}}}}}", "1:52: kinds.READING.subject.profile.unique.s.fields: ", "Tidemark's own", false},
	{"a release that is none", "kinds: {READING: {subject: {profile: {release: later}}}}", "1:48: kinds.READING.subject.profile.release: ", "want free or reserve", false},
	{"a bin emptied at once", "kinds: {READING: {subject: {profile: {deletedFor: 5m}}}}", "1:51: kinds.READING.subject.profile.deletedFor: ", "less than a day", true},

	// Bounds.
	{"body over Lambda's", "limits: {body: 5MiB}", "1:16: limits.body: ", "5MiB is out of bounds: want 1KiB to 4MiB, because Lambda", true},
	{"clock far ahead", "limits: {maxAhead: 2d}", "1:20: limits.maxAhead: ", "want 0s to 1d", true},
	{"batch over the mapping's", "mapping: {batchSize: 20000}", "1:22: mapping.batchSize: ", "want 1 to 10000", false},
	{"window over the mapping's", "mapping: {window: 10m}", "1:19: mapping.window: ", "want 0s to 5m", true},
	{"endless retries", "mapping: {maxRetries: -1}", "1:23: mapping.maxRetries: ", "block its stream shard", false},
	{"age beyond the table stream's", "mapping: {maxAge: 24h}", "1:19: mapping.maxAge: ", "keeps a change for 24 hours", true},
	{"timeout beyond the caller's", "functions: {query: {timeout: 30s}}", "1:30: functions.query.timeout: ", "30 seconds", true},
	{"too little memory", "functions: {ingest: {memory: 64}}", "1:30: functions.ingest.memory: ", "want 128 to 10240", false},
	{"decompressed below body", "limits: {body: 2MiB, decompressed: 1MiB}", "1:36: limits.decompressed: ", "less than limits.body", true},

	// Retention policies.
	{"no raw", "tiers: {hour: 90d}", "1:8: tiers: ", "raw is missing", false},
	{"events for a moment", "tiers: {raw: 5m}", "1:1: tiers: ", "shorter than 1h0m0s", true},
	{"jitter without tiers", "tiers: {raw: 30d, jitter: 1m}", "1:1: tiers: ", "there are none", true},
	{"unknown tier", "tiers: {raw: 30d, decade: 90d}", "1:19: tiers.decade: ", "want one of: raw, jitter, lateEvery, minute, hour, day, week, week-sunday, month, quarter", false},
	{"raw too short", "tiers: {raw: 1d, month: forever}", "1:1: tiers: ", "shorter than 3 d", true},
	{"hour shorter than raw allows", "tiers:\n  raw: 90d\n  hour: 90d\n  day: 2y", "3:9: tiers.hour: ", "want at least raw 90 d", true},
	{"tier without retention", "tiers: {raw: 30d, hour: {least: 90d}}", "1:25: tiers.hour: ", "retention is missing", false},
	{"least that is forever", "tiers: {raw: 30d, hour: {retention: 90d, least: forever}}", "1:49: tiers.hour.least: ", "not a duration", false},
	{"least over retention", "tiers: {raw: 30d, hour: {retention: 90d, least: 91d}}", "1:19: tiers.hour: ", "least retention", true},
	{"from that is no time", "tiers: {raw: 30d, hour: {retention: 90d, from: soon}}", "1:48: tiers.hour.from: ", "not a time", false},
	{"from off the edge", "tiers: {raw: 30d, hour: {retention: 90d, from: 2026-11-01T06:00:00Z}, day: 2y}", "1:19: tiers.hour: ", "not the start of a day", true},
	{"tiers of a kind", "kinds:\n  READING:\n    tiers:\n      raw: 90d\n      hour: 30d\n      day: 2y", "5:13: kinds.READING.tiers.hour: ", "too short", true},

	// Kinds.
	{"kind misspelled", "kinds: {READNG: {late: drop}}", "1:9: kinds.READNG: ", "did you mean READING?", true},
	{"new kind without subject", "kinds: {VIBRATION: {late: drop}}", "1:9: kinds.VIBRATION: ", "needs a subject", true},
	{"kind in lower case", "kinds: {vibration: {subject: {name: MACHINE}}}", "1:9: kinds.vibration.name: ", "want upper-case letters", false},
	{"path in capitals", "kinds: {READING: {path: Readings}}", "1:25: kinds.READING.path: ", "want lower-case letters", false},
	{"path taken", "kinds: {VIBRATION: {path: readings, subject: {name: MACHINE}}}", "1:27: kinds.VIBRATION.path: ", "of kind READING already", true},
	{"subject declared otherwise", "kinds: {VIBRATION: {subject: {name: DEVICE, field: device}}}", "1:21: kinds.VIBRATION.subject: ", "kind READING declares DEVICE differently", true},
	{"unknown late policy", "kinds: {READING: {late: sometimes}}", "1:25: kinds.READING.late: ", "want keep or drop", false},
	{"unknown id policy", "kinds: {READING: {ids: maybe}}", "1:24: kinds.READING.ids: ", "optional, required or minted", false},
	{"unknown time policy", "kinds: {READING: {finerTime: round}}", "1:30: kinds.READING.finerTime: ", "reject or truncate", false},
	{"drop without latest", "kinds: {READING: {latest: none, late: drop}}", "1:39: kinds.READING.late: ", "compares events with the latest item", false},
	{"drop with derived latest", "kinds: {READING: {latest: derived, late: drop}}", "1:42: kinds.READING.late: ", "write late: keep, or latest: transaction", false},
	{"index of derived latest items", "kinds: {READING: {latest: derived, latestBy: {gsi1: {by: [state]}}}}", "1:36: kinds.READING.latestBy: ", "write latest: transaction", true},
	{"the former latest", "kinds: {READING: {latest: false}}", "1:27: kinds.READING.latest: ", "write transaction in place of true, and none in place of false", false},
	{"unknown latest", "kinds: {READING: {latest: sometimes}}", "1:27: kinds.READING.latest: ", "want transaction, derived or none", false},
	{"derived latest without tiers", "kinds: {READING: {latest: derived, tiers: {raw: 30d}}}", "1:27: kinds.READING.latest: ", "add a tier, keep raw forever", true},
	{"scale too fine", "kinds: {READING: {measures: {t: {scale: 16}}}}", "1:41: kinds.READING.measures.t.scale: ", "want 0 to 15", false},
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
	{"measure and enrichment", "kinds: {READING: {enrichment: [battery]}}", "1:32: kinds.READING.enrichment.battery: ", "a measure already", true},
	{"subject's field as measure", "kinds: {READING: {measures: {deviceId: {}}}}", "1:30: kinds.READING.measures.deviceId: ", "the subject's field already", true},
	{"measure named as the time", "kinds: {READING: {measures: {timestamp: {}}}}", "1:30: kinds.READING.measures.timestamp: ", "fixed meaning in every observation", false},
	{"measure named as a stored attribute", "kinds: {READING: {measures: {expiresAt: {}}}}", "1:30: kinds.READING.measures.expiresAt: ", "Tidemark's own items", false},
	{"measure with an underscore", "kinds: {READING: {measures: {_t: {}}}}", "1:30: kinds.READING.measures._t: ", "reserved for Tidemark", false},
	{"subject type of our own", "kinds: {X: {subject: {name: QUARANTINE}}}", "1:29: kinds.X.subject.name: ", "Tidemark's own", true},
	{"distinct is no list", "kinds: {READING: {distinct: visitor}}", "1:29: kinds.READING.distinct: ", "want a list", false},
	{"a number in a list", "kinds: {READING: {distinct: [7]}}", "1:30: kinds.READING.distinct.7: ", "in quotes", false},
	{"too many shards", "kinds: {READING: {shards: 65}}", "1:27: kinds.READING.shards: ", "want 1 to 64", false},

	// Goals.
	{"a goal of no sessions", "kinds: {READING: {goals: {x: {minDuration: 1m}}}}", "1:19: kinds.READING.goals: ", "declare them for a kind with sessionsOf", true},
	{"a goal without a condition", ofVisits + "{}}}}", "1:163: kinds.V.goals.x: ", "every session would meet it", false},
	{"a goal of an event and steps", ofVisits + "{of: READING, steps: [{of: READING}]}}}}", "1:166: kinds.V.goals.x: ", "make the event one of the steps", false},
	{"steps that are no list", ofVisits + "{steps: {of: READING}, minDuration: 1m}}}}", "1:174: kinds.V.goals.x.steps: ", "want a list of events", false},
	{"a step of an unknown key", ofVisits + "{steps: [{of: READING, wher: {path: /}}]}}}}", "1:189: kinds.V.goals.x.steps.wher: ", "did you mean where?", false},
	{"a pattern that is a number", ofVisits + "{of: READING, where: {path: 7}}}}}", "1:194: kinds.V.goals.x.where.path: ", "in quotes", false},

	// Stages.
	{"stage in capitals", "stages: {Prod: {}}", "1:10: stages.Prod: ", "lower-case letters", false},
	{"unknown billing", "stages: {prod: {billing: free}}", "1:26: stages.prod.billing: ", "want onDemand", false},
	{"half provisioned", "stages: {prod: {billing: {readUnits: 5}}}", "1:17: stages.prod.billing: ", "give both", false},
	{"autoscaling below the provisioned units", "stages: {prod: {billing: {readUnits: 5, writeUnits: 5, autoscale: {readUnits: 4, writeUnits: 9, utilization: 70}}}}", "1:56: stages.prod.billing.autoscale: ", "not below", true},
	{"autoscaling to all units", "stages: {prod: {billing: {readUnits: 5, writeUnits: 5, autoscale: {readUnits: 9, writeUnits: 9, utilization: 91}}}}", "1:110: stages.prod.billing.autoscale.utilization: ", "want 20 to 90", false},
	{"autoscaling on demand", "stages: {prod: {billing: {autoscale: {readUnits: 9, writeUnits: 9, utilization: 70}}}}", "1:17: stages.prod.billing: ", "give both", false},
	{"unknown removal", "stages: {prod: {removal: keep}}", "1:26: stages.prod.removal: ", "want retain", false},
	{"log retention unknown to CloudWatch", "stages: {prod: {logRetention: 10d}}", "1:31: stages.prod.logRetention: ", "1d, 3d, 5d, 7d", false},
	{"mail address without a domain", "stages: {prod: {alarmMail: team}}", "1:28: stages.prod.alarmMail: ", "not a mail address", false},
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
	{"a name for a topic's ARN", "stages: {prod: {alarmTopic: on-call}}", "1:29: stages.prod.alarmTopic: ", "not the ARN", false},
	{"monitoring that is not known", "stages: {prod: {monitoring: some}}", "1:29: stages.prod.monitoring: ", "want full", false},
	{"units of provisioned capacity limited", "stages: {prod: {billing: {readUnits: 5, writeUnits: 5}, ceiling: {writeUnits: 9}}}", "1:57: stages.prod.ceiling: ", "its own limit", true},
	{"a queue for one invocation", "stages: {prod: {ceiling: {inbox: 1}}}", "1:34: stages.prod.ceiling.inbox: ", "want 2 to 1000", true},
	{"a distribution without a collector", "stages: {prod: {cloudFront: {rate: 100}, region: us-east-1, sources: {pages: false}}}", "1:17: stages.prod.cloudFront: ", "does not have", true},
	{"two web ACLs", "stages: {prod: {region: us-east-1, cloudFront: {rate: 100, webAcl: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/1'}}}", "1:36: stages.prod.cloudFront: ", "not both", true},
	{"a web ACL of another region", "stages: {prod: {cloudFront: {webAcl: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/1'}}}", "1:17: stages.prod.cloudFront: ", "for CloudFront", false},
	{"a web ACL created in another region", "stages: {prod: {region: eu-west-1, cloudFront: {rate: 100}}}", "1:55: stages.prod.cloudFront.rate: ", "us-east-1 only", true},
	{"a distribution's certificate of another region", "stages: {prod: {region: us-east-1, cloudFront: {rate: 100, domain: {name: stats.example.com, certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1'}}}}", "1:60: stages.prod.cloudFront.domain: ", "in us-east-1", true},
	{"a distribution's domain without a name", "stages: {prod: {region: us-east-1, cloudFront: {rate: 100, domain: {certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/1'}}}}", "1:60: stages.prod.cloudFront.domain: ", "give both", true},
	{"a rate below AWS's", "stages: {prod: {region: us-east-1, cloudFront: {rate: 9}}}", "1:55: stages.prod.cloudFront.rate: ", "AWS WAF", true},
	{"less than no ceiling", "stages: {prod: {ceiling: {readUnits: -1}}}", "1:38: stages.prod.ceiling.readUnits: ", "0 sets no limit", false},
	{"an account as a name", "stages: {prod: {account: main}}", "1:26: stages.prod.account: ", "12 digits", false},
	{"a region as a name", "stages: {prod: {region: Frankfurt}}", "1:25: stages.prod.region: ", "such as eu-central-1", false},
	{"a path as an origin", "stages: {prod: {cors: [https://x/app]}}", "1:17: stages.prod.cors: ", "without a path", false},
	{"a table without its stream", "stages: {prod: {table: arn:aws:dynamodb:eu-west-1:123456789012:table/t}}", "1:24: stages.prod.table: ", "tidemark restore", true},
	{"a domain without a certificate", "stages: {prod: {domain: {name: a.example.com}}}", "1:17: stages.prod.domain: ", "give both", true},
	{"a boundary that is no policy", "stages: {prod: {permissionsBoundary: admin}}", "1:38: stages.prod.permissionsBoundary: ", "ARN of a policy", true},
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
	{"pages without tokens", "stages: {prod: {ui: true}}", "1:21: stages.prod.ui: ", "need tokens", true},
	{"a client without tokens", "stages: {prod: {access: {client: pages}}}", "1:17: stages.prod.access: ", "there is no issuer", false},
	{"scopes without tokens", "stages: {prod: {access: {scopePrefix: t/}}}", "1:17: stages.prod.access: ", "there is no issuer", false},
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
	{"a proxy that is not known", "collector: {trust: nginx}", "1:20: collector.trust: ", "want none", false},
	{"regions that no proxy names", "collector: {regions: true}", "1:22: collector.regions: ", "no distribution is trusted", true},
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
	{"topic of two levels", "stages: {prod: {sources: {topic: a/b}}}", "1:34: stages.prod.sources.topic: ", "one level", false},
	{"topic that is a pattern", "stages: {prod: {sources: {topic: +}}}", "1:34: stages.prod.sources.topic: ", "one level", false},
	{"access for everybody", "stages: {prod: {access: open}}", "1:25: stages.prod.access: ", "want iam, or {issuer", false},
	{"tokens without an issuer", "stages: {prod: {access: {audience: [a]}}}", "1:17: stages.prod.access: ", "there is no issuer", false},
	{"tokens over plain HTTP", "stages: {prod: {access: {issuer: http://x, audience: [a]}}}", "1:34: stages.prod.access.issuer: ", "https", false},
	{"tokens without an audience", "stages: {prod: {access: {issuer: https://x}}}", "1:17: stages.prod.access.audience: ", "tokens for other services", false},
	{"claim with a space", "stages: {prod: {access: {issuer: https://x, audience: [a], ownerClaim: a b}}}", "1:72: stages.prod.access.ownerClaim: ", "not the name of a claim", false},
	{"negative reservation", "stages: {prod: {reserved: {ingest: -1}}}", "1:36: stages.prod.reserved.ingest: ", "want 0 to", false},
	{"no request a second", "stages: {prod: {throttle: {rate: 0}}}", "1:34: stages.prod.throttle.rate: ", "want 1 to", false},
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
