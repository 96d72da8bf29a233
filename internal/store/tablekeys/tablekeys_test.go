package tablekeys_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestKeys_MatchTheDocumentedSpelling(t *testing.T) {
	t.Parallel()
	sensor := model.Subject{Type: "DEVICE", ID: "sensor_01"}
	for name, c := range map[string]struct{ got, want keys.Key }{
		"log of groups":         {tablekeys.Memberships(sensor), keys.Key{PK: "DEVICE#sensor_01", SK: "GROUPS"}},
		"tombstone":             {tablekeys.Tombstone(sensor), keys.Key{PK: "DEVICE#sensor_01", SK: "DELETED#METADATA"}},
		"version":               {tablekeys.Version(sensor, 7), keys.Key{PK: "DEVICE#sensor_01", SK: "VERSION#0000000007"}},
		"sentinel":              {tablekeys.Unique("DEVICE", "serial", "t1"), keys.Key{PK: "UNIQUE#DEVICE#serial#t1", SK: "UNIQUE"}},
		"purge":                 {tablekeys.Purge(sensor), keys.Key{PK: "JOB#purge", SK: "DEVICE#sensor_01"}},
		"purge lock":            {tablekeys.PurgeLock(sensor), keys.Key{PK: "GATE#DEVICE#sensor_01", SK: "GATE"}},
		"alert":                 {tablekeys.Alert(sensor, "01J"), keys.Key{PK: "DEVICE#sensor_01", SK: "ALERT#01J"}},
		"open alert":            {tablekeys.OpenAlert(storage.Critical, "01J", 3), keys.Key{PK: "OPEN#critical#3", SK: "01J"}},
		"stream progress":       {tablekeys.StreamProgress(), keys.Key{PK: "JOB#aggregate", SK: "WATERMARK"}},
		"low watermark":         {tablekeys.LowWatermark(storage.QueueShard{Number: 2}), keys.Key{PK: "JOB#sweep", SK: "W#2"}},
		"later low watermark":   {tablekeys.LowWatermark(storage.QueueShard{Generation: 1, Number: 2}), keys.Key{PK: "JOB#sweep", SK: "W#1#2"}},
		"generations":           {tablekeys.QueueConfig(), keys.Key{PK: "JOB#sweep", SK: "WRITERS"}},
		"quarantine by subject": {tablekeys.Quarantine(storage.Quarantined{ID: "01J", Source: "iot", Subject: sensor}), keys.Key{PK: "QUARANTINE#DEVICE#sensor_01", SK: "01J"}},
		"quarantine by source":  {tablekeys.Quarantine(storage.Quarantined{ID: "01J", Source: "iot"}), keys.Key{PK: "QUARANTINE#iot", SK: "01J"}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

func TestGapAndRotatingSecret_RoundTrip(t *testing.T) {
	t.Parallel()
	at := model.Time(1776693600000)
	if got, err := tablekeys.ParseGap(tablekeys.Gap(at)); err != nil || got != at {
		t.Errorf("gap: got %v, %v; want %v", got, err, at)
	}
	day, err := tablekeys.ParseRotatingSecret(tablekeys.RotatingSecret(at))
	if err != nil || tablekeys.RotatingSecret(day) != tablekeys.RotatingSecret(at) || day > at {
		t.Errorf("secret: got %v, %v; want the start of the day of %v", day, err, at)
	}
}

func TestReservedType_PartitionsOfTheTablesOwnItems(t *testing.T) {
	for name, want := range map[string]bool{
		tablekeys.ClassPurgeLock: true, tablekeys.ClassQuarantine: true, "UNIQUE": true, "JOB": true,
		"DEVICE": false, "SITE": false, "": false,
	} {
		if got := reserved.Type(name); got != want {
			t.Errorf("ReservedType(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestReservedInProfile_AddsTwoNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"updatedAt": true, "deletedAt": true, "pk": true, "_at": true,
		"status": false} {
		if got := reserved.InProfile(name); got != want {
			t.Errorf("ReservedInProfile(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestSubjectPartitions_IncludeEveryShard(t *testing.T) {
	got := tablekeys.SubjectPartitions(model.Subject{Type: "DEVICE", ID: "a"}, 3)
	if want := []string{"DEVICE#a", "DEVICE#a#1", "DEVICE#a#2", "DEVICE#a#3"}; !slices.Equal(got, want) {
		t.Errorf("partitions %q, want %q", got, want)
	}
}

// Every key that is parsed is the key that the builder builds for the result. Any other
// key, which another program may have written, is refused.
func FuzzParse(f *testing.F) {
	f.Add("DEVICE#d", "DELETED#METADATA")
	f.Add("DEVICE#d", "VERSION#0000000007")
	f.Add("DEVICE#a%23", "ALERT#01J")
	f.Add("DEVICE#d", "NOTICE#01J#00112233445566778899aabbccddeeff")
	f.Add("DEVICE#d", "RULE#READING#STATE#roof")
	f.Add("RULE#DEVICE", "READING#SUBJECTS")
	f.Add("GATE#DEVICE#d", "GATE")
	f.Add("JOB#purge", "DEVICE#d")
	f.Add("JOB#aggregate", "GAP#2026-04-20T14:00:00.000Z")
	f.Add("JOB#aggregate", "BLOCKED#123")
	f.Add("JOB#sweep", "W#3")
	f.Add("SALT", "2026-04-20")
	f.Fuzz(func(t *testing.T, pk, sk string) {
		k := keys.Key{PK: pk, SK: sk}
		check := func(class string, err error, rebuilt func() keys.Key) {
			if err == nil && rebuilt() != k {
				t.Fatalf("%q was parsed as a %s, which has the key %q", k, class, rebuilt())
			}
		}
		member, err := tablekeys.ParseMemberships(k)
		check("log of groups", err, func() keys.Key { return tablekeys.Memberships(member) })
		tombstone, err := tablekeys.ParseTombstone(k)
		check("tombstone", err, func() keys.Key { return tablekeys.Tombstone(tombstone) })
		subject, n, err := tablekeys.ParseVersion(k)
		check("version", err, func() keys.Key { return tablekeys.Version(subject, n) })
		purge, err := tablekeys.ParsePurge(k)
		check("purge", err, func() keys.Key { return tablekeys.Purge(purge) })
		lock, err := tablekeys.ParsePurgeLock(k)
		check("purge lock", err, func() keys.Key { return tablekeys.PurgeLock(lock) })
		of, id, err := tablekeys.ParseAlert(k)
		check("alert", err, func() keys.Key { return tablekeys.Alert(of, id) })
		gap, err := tablekeys.ParseGap(k)
		check("gap", err, func() keys.Key { return tablekeys.Gap(gap) })
		blocked, err := tablekeys.ParseBlocked(k)
		check("blocked batch", err, func() keys.Key { return tablekeys.Blocked(blocked) })
		queue, err := tablekeys.ParseLowWatermark(k)
		check("low watermark", err, func() keys.Key { return tablekeys.LowWatermark(queue) })
		day, err := tablekeys.ParseRotatingSecret(k)
		check("secret", err, func() keys.Key { return tablekeys.RotatingSecret(day) })
		rule, err := tablekeys.ParseRule(k)
		if err == nil && rule.State {
			series := model.Series{Subject: model.Subject{Type: rule.SubjectType, ID: rule.Subject}, Kind: rule.Kind,
				Stream: rule.Stream}
			check("state", nil, func() keys.Key { return tablekeys.AlertState(series) })
		}
		if err == nil && !rule.State && rule.Rule == "" {
			check("marker", nil, func() keys.Key { return tablekeys.SubjectRulesMarker(rule.SubjectType, rule.Kind) })
		}
	})
}
