package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// classJob begins the partition keys of the functions' own state.
const classJob = reserved.Job

// JobAggregate is the partition key of the state of the aggregate function: its stream
// progress, the gaps that it found in the table stream, and the batches that it cannot process.
const JobAggregate = classJob + string(separator) + "aggregate"

const (
	classStreamProgress = "WATERMARK"
	classGap            = "GAP"
	classHeartbeat      = "HEARTBEAT"
	classBlocked        = "BLOCKED"
	classVerification   = "VERIFICATION"
)

// Heartbeat returns the key of the item that the aggregate function writes on its schedule,
// so that the table stream has a record at least once a minute.
func Heartbeat() keys.Key { return keys.Key{PK: JobAggregate, SK: classHeartbeat} }

// StreamProgress returns the key of the aggregate function's stream progress.
func StreamProgress() keys.Key { return keys.Key{PK: JobAggregate, SK: classStreamProgress} }

// Verification returns the key of what a watch of the table found.
func Verification() keys.Key { return keys.Key{PK: JobAggregate, SK: classVerification} }

// AttrDiffer is how many rows differ from their events.
const AttrDiffer = "_differ" // Number

// Gap returns the key of a gap in the table stream that begins at a time. The byte order
// of the sort keys is time order.
func Gap(from model.Time) keys.Key {
	return keys.Key{PK: JobAggregate, SK: keyparts.Join(classGap, from.String())}
}

// ParseGap is the inverse of Gap.
func ParseGap(k keys.Key) (model.Time, error) {
	text, err := parseJob(k, JobAggregate, classGap)
	if err != nil {
		return 0, err
	}
	from, err := storedtime.Parse(text)
	if err != nil {
		return 0, formError(k, classGap, err)
	}
	return from, nil
}

// Blocked returns the key of a blocked batch of the table stream, by the sequence number of its first record
// that failed.
func Blocked(seq string) keys.Key {
	return keys.Key{PK: JobAggregate, SK: keyparts.Join(classBlocked, seq)}
}

// ParseBlocked is the inverse of Blocked.
func ParseBlocked(k keys.Key) (seq string, _ error) {
	seq, err := parseJob(k, JobAggregate, classBlocked)
	if err == nil && seq == "" {
		err = formError(k, classBlocked, nil)
	}
	return seq, err
}

// KindConfigs is the partition key of the configurations that the table was written under.
const KindConfigs = classJob + string(separator) + "config"

const classKindConfig = "KIND"

// AttrConfig is the attribute with the configuration of a kind.
const AttrConfig = "_config" // String: JSON of entity.KindConfig

// KindConfig returns the key of the configuration of a kind.
func KindConfig(kind string) keys.Key {
	return keys.Key{PK: KindConfigs, SK: keyparts.Join(classKindConfig, kind)}
}

// ParseKindConfig is the inverse of KindConfig.
func ParseKindConfig(k keys.Key) (kind string, _ error) {
	return parseJob(k, KindConfigs, classKindConfig)
}

// WriteKeys is the partition key of the write keys of senders.
const WriteKeys = classJob + string(separator) + "writekeys"

const classWriteKey = "WRITEKEY"

// AttrWriteKey is the attribute with a write key.
const AttrWriteKey = "_key" // String: JSON of entity.WriteKey

// WriteKey returns the key of a write key.
func WriteKey(id string) keys.Key {
	return keys.Key{PK: WriteKeys, SK: keyparts.Join(classWriteKey, id)}
}

// ParseWriteKey is the inverse of WriteKey.
func ParseWriteKey(k keys.Key) (id string, _ error) {
	id, err := parseJob(k, WriteKeys, classWriteKey)
	if err == nil && id == "" {
		err = formError(k, classWriteKey, nil)
	}
	return id, err
}

// ClassRotatingSecret is the partition key of the secrets that change every day.
const ClassRotatingSecret = reserved.RotatingSecret

// AttrSecret is the secret of a day.
const AttrSecret = "_salt" // Binary

// RotatingSecret returns the key of the secret of the day of a time: SALT, 2026-04-20.
func RotatingSecret(at model.Time) keys.Key {
	return keys.Key{PK: ClassRotatingSecret, SK: tier.Day.BucketAt(at).Label()}
}

// ParseRotatingSecret is the inverse of RotatingSecret: it returns the start of the day.
func ParseRotatingSecret(k keys.Key) (model.Time, error) {
	day, err := tier.Day.ParseLabel(k.SK)
	if err != nil || k.PK != ClassRotatingSecret {
		return 0, formError(k, ClassRotatingSecret, err)
	}
	return day.Start, nil
}
