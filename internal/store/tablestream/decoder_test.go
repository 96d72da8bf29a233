package tablestream_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func streamSamples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../../events/aggregate/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		if filepath.Base(path) == "scheduled.json" {
			continue // from the schedule, not a batch
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = data
	}
	return all
}

func decodeStream(t testing.TB, payload []byte) tablestream.Batch {
	t.Helper()
	var d tablestream.Decoder
	batch, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func TestStream_DecodesTheSamples(t *testing.T) {
	want := map[string]string{
		"insert":         "inserted inserted inserted",
		"correction":     "corrected",
		"user-delete":    "deleted",
		"ttl-expiry":     "expired",
		"replica-expiry": "expired",
		"poison":         "poison poison poison",
		"mixed-batch":    "inserted inserted inserted corrected deleted expired poison skipped",
	}
	got := map[string]string{}
	for name, payload := range streamSamples(t) {
		b := decodeStream(t, payload)
		var types []string
		for _, c := range b.Changes {
			types = append(types, c.Type.String())
		}
		for range b.Poison {
			types = append(types, "poison")
		}
		for range b.Skipped {
			types = append(types, "skipped")
		}
		got[name] = strings.Join(types, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

func TestStream_ChangeHasAllMembers(t *testing.T) {
	c := decodeStream(t, streamSamples(t)["correction"]).Changes[0]
	key := model.EventKey{
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
		Order:  model.Order{At: must(t)("2026-04-20T14:00:00Z")},
	}
	if c.Key != key || c.At != must(t)("2026-04-20T15:30:00Z") || c.Seq != "40000000000007919000000031" ||
		c.EventID != "0000000000000000000000009a7d1e01" ||
		!strings.HasSuffix(c.Source, ":table/tidemark-prod/stream/2026-04-01T08:00:00.000") {
		t.Errorf("change %+v", c)
	}
	for image, want := range map[*model.Event]string{c.Before: "22.4", c.After: "21.4"} {
		if v, _ := image.Attrs.Get("temperature"); v.Number.String() != want || image.Key() != key ||
			image.Hash != model.HashAttrs(image.Attrs) {
			t.Errorf("image %+v, want temperature %s and its hash", image, want)
		}
	}
}

func must(t *testing.T) func(string) model.Time {
	return func(text string) model.Time {
		t.Helper()
		at, err := model.ParseTime(text, model.RejectFinerTime)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
}

// record returns a record of the table stream. The members in dynamodb replace the
// defaults; "" removes one.
func record(name string, dynamodb map[string]string) string {
	members := map[string]string{
		"Keys":                        `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#a"}}`,
		"SequenceNumber":              `"17"`,
		"ApproximateCreationDateTime": `1776693600`,
	}
	for member, text := range dynamodb {
		members[member] = text
	}
	var list []string
	for member, text := range members {
		if text != "" {
			list = append(list, fmt.Sprintf("%q:%s", member, text))
		}
	}
	return fmt.Sprintf(`{"eventID":"e1","eventName":%q,"dynamodb":{%s}}`, name, strings.Join(list, ","))
}

func newBatch(records ...string) []byte {
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

func TestStream_PoisonHasItsRecordAndReasonAndAffectsNoOther(t *testing.T) {
	good := record("INSERT", nil)
	for _, c := range []struct{ name, record, reason string }{
		{"no keys", record("INSERT", map[string]string{"Keys": ""}), "key cannot be read: it is missing"},
		{"keys that are not an object", record("INSERT", map[string]string{"Keys": `7`}), "key cannot be read"},
		{"no partition key", record("INSERT", map[string]string{"Keys": `{"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"}}`}), "partition key is empty"},
		{"a number for a key", record("INSERT", map[string]string{"Keys": `{"pk":{"N":"1"},"sk":{"S":"EVENT#R##2026-04-20T14:00:00.000Z#"}}`}), "partition key is empty"},
		{"an event without time", record("INSERT", map[string]string{"Keys": `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##noon#"}}`}), "EVENT key"},
		{"an event without a subject", record("INSERT", map[string]string{"Keys": `{"pk":{"S":"DEVICE"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"}}`}), "EVENT key"},
		{"an unknown event name", record("UNKNOWN_TO_SDK_VERSION", nil), `unknown eventName "UNKNOWN_TO_SDK_VERSION"`},
		{"no event name", record("", nil), `unknown eventName ""`},
		{"a sequence number that is a number", record("INSERT", map[string]string{"SequenceNumber": `17`}), "SequenceNumber"},
		{"a record that is not an object", `"INSERT"`, "the record is not an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := decodeStream(t, newBatch(good, c.record, good))
			if len(b.Changes) != 2 || len(b.Seqs) != 3 || len(b.Poison) != 1 {
				t.Fatalf("%d changes, %d poison of %d records; want 2, 1 of 3", len(b.Changes), len(b.Poison),
					len(b.Seqs))
			}
			if p := b.Poison[0]; string(p.Record) != c.record || !strings.Contains(p.Reason, c.reason) {
				t.Errorf("got record %s, reason %q; want the unchanged record, and a reason with %q", p.Record, p.Reason,
					c.reason)
			}
		})
	}
}

func TestStream_PoisonHasTheSameIDAtEachDelivery(t *testing.T) {
	named := record("RENAME", nil)
	nameless := `{"dynamodb":{}}`
	ids := map[string]bool{}
	for range 2 {
		for _, p := range decodeStream(t, newBatch(named, nameless, `{"dynamodb":{"x":1}}`)).Poison {
			q := p.Quarantined()
			if k := tablekeys.Quarantine(q); k.Check() != nil {
				t.Errorf("%v is not a valid key: %v", k, k.Check())
			}
			ids[q.ID] = true
		}
	}
	if len(ids) != 3 || !ids["2026-04-20T14:00:00.000Z-e1"] {
		t.Errorf("ids %v; want three, one of them with the event ID of its record", ids)
	}
}

func TestStream_InvalidImageKeepsTheKey(t *testing.T) {
	for _, image := range []string{`7`, `{"temperature":{"N":22.4}}`, `{"pk":{"S":"DEVICE#d"}}`, `null`} {
		b := decodeStream(t, newBatch(record("MODIFY", map[string]string{"NewImage": image, "OldImage": image})))
		if len(b.Changes) != 1 || b.Changes[0].Key.ID != "a" || b.Changes[0].After != nil ||
			b.Changes[0].Before != nil {
			t.Errorf("image %s: %+v; want a change without images", image, b.Changes)
		}
	}
}

// The log of a subject's groups is a move, unless a purge lets it expire or TTL removes it.
func TestStream_AChangeOfGroupsIsAMove(t *testing.T) {
	log := func(name, more string) string {
		return record(name, map[string]string{
			"Keys": `{"pk":{"S":"DEVICE#d"},"sk":{"S":"GROUPS"}}`,
			"NewImage": `{"pk":{"S":"DEVICE#d"},"sk":{"S":"GROUPS"},"v":{"N":"1"},"_groups":{"S":` +
				`"[{\"from\":\"2026-04-20T14:00:00.000Z\",\"fields\":{\"accountId\":\"acme\"}}]"}` + more + `}`,
		})
	}
	b := decodeStream(t, newBatch(log("INSERT", ""), log("MODIFY", ""), log("MODIFY", `,"expiresAt":{"N":"9"}`),
		log("REMOVE", ""), log("INSERT", `,"_groups":{"S":"[]"}`)))
	if len(b.Changes) != 2 || b.Skipped != 2 || len(b.Poison) != 1 {
		t.Fatalf("%d changes, skipped %d, poison %+v; want 2, 2 and 1", len(b.Changes), b.Skipped, b.Poison)
	}
	c := b.Changes[0]
	if c.Type != storage.Moved || c.Groups.Log[0].Fields["accountId"] != "acme" ||
		c.Key.Series != (model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"}}) ||
		c.Key.At != c.Groups.Newest() || c.Seq == "" {
		t.Errorf("%+v", c)
	}
}

func TestStream_SkipsItemsOfOtherClasses(t *testing.T) {
	for _, sk := range []string{"CURRENT#READING#", "AGG#hour#READING##2026-04-20-14", "METADATA", "GATE",
		"EVENTS#x", "event#x", "DELETED#x"} {
		b := decodeStream(t, newBatch(
			record("INSERT", map[string]string{"Keys": fmt.Sprintf(`{"pk":{"S":"DEVICE#d"},"sk":{"S":%q}}`, sk)})))
		if b.Skipped != 1 || len(b.Changes)+len(b.Poison) != 0 {
			t.Errorf("%s: skipped %d, changes %d, poison %d; want it skipped", sk, b.Skipped, len(b.Changes),
				len(b.Poison))
		}
	}
}

// The record's time is 2026-04-20T14:00:00Z.
func TestStream_DistinguishesExpiryFromDeletion(t *testing.T) {
	image := func(expiresAt string) string {
		return `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#a"},"v":{"N":"1"},"expiresAt":{"N":"` + expiresAt + `"}}`
	}
	const recordTime = 1776693600
	for _, c := range []struct {
		name, identity, old string
		want                storage.ChangeType
	}{
		{"by the service", `{"type":"Service","principalId":"dynamodb.amazonaws.com"}`, "", storage.Expired},
		{"by another service", `{"type":"Service","principalId":"sqs.amazonaws.com"}`, image("9999999999"), storage.Deleted},
		{"by a user of that name", `{"type":"AssumedRole","principalId":"dynamodb.amazonaws.com"}`, image("9999999999"), storage.Deleted},
		{"without identity, long before expiry", "", image("9999999999"), storage.Deleted},
		{"without identity, after expiry", "", image(fmt.Sprint(recordTime - 1)), storage.Expired},
		{"without identity, five minutes before expiry", "", image(fmt.Sprint(recordTime + 300)), storage.Expired},
		{"without identity, more than five minutes before expiry", "", image(fmt.Sprint(recordTime + 301)), storage.Deleted},
		{"without identity, no expiry", "", `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#a"},"v":{"N":"1"}}`, storage.Deleted},
		{"without identity, without an image", "", "", storage.Deleted},
		{"with a null identity", `null`, image("9999999999"), storage.Deleted},
	} {
		r := record("REMOVE", map[string]string{"OldImage": c.old})
		if c.identity != "" {
			r = strings.Replace(r, `{"eventID"`, `{"userIdentity":`+c.identity+`,"eventID"`, 1)
		}
		if got := decodeStream(t, newBatch(r)).Changes[0].Type; got != c.want {
			t.Errorf("removed %s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestStream_RecordTimeIsEpochSecondsWithOrWithoutAFraction(t *testing.T) {
	for text, want := range map[string]model.Time{
		"1776693600": 1776693600000, "1776693600.5": 1776693600500, "1.7766936E9": 1776693600000,
		"1776693600.0004": 1776693600000, "0": 0, "-5": 0, "1e300": 0, "": 0,
	} {
		b := decodeStream(t, newBatch(record("INSERT", map[string]string{"ApproximateCreationDateTime": text})))
		if got := b.Changes[0].At; got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestStream_RejectsPayloadsThatAreNotABatch(t *testing.T) {
	var d tablestream.Decoder
	for _, payload := range []string{"", "null", "7", "{}", `{"Records":null}`, `{"Records":{}}`, `{"Records":[`,
		`[]`} {
		if b, err := d.Decode([]byte(payload)); err == nil {
			t.Errorf("%q: got batch %+v, want an error", payload, b)
		}
	}
	if b, err := d.Decode([]byte(`{"Records":[]}`)); err != nil || len(b.Seqs) != 0 {
		t.Errorf("an empty batch: %+v, %v", b, err)
	}
}

func TestStream_ResultSharesNoMemoryWithThePayload(t *testing.T) {
	for name, payload := range streamSamples(t) {
		want := decodeStream(t, payload)
		overwritten := append([]byte(nil), payload...)
		got := decodeStream(t, overwritten)
		for i := range overwritten {
			overwritten[i] = 'x'
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); diff != "" {
			t.Errorf("%s changed with the payload (-want +got):\n%s", name, diff)
		}
	}
}

// aws-lambda-go is an independent decoder of the same payloads.
func TestStream_AgreesWithAwsLambdaGo(t *testing.T) {
	for name, payload := range streamSamples(t) {
		if name == "poison" || name == "mixed-batch" {
			continue // not all of their records have a change
		}
		var theirs events.DynamoDBEvent
		if err := json.Unmarshal(payload, &theirs); err != nil {
			t.Fatal(err)
		}
		ours := decodeStream(t, payload)
		for i, r := range theirs.Records {
			c := ours.Changes[i]
			k := keys.Event(c.Key)
			if c.Seq != r.Change.SequenceNumber || k.PK != r.Change.Keys["pk"].String() ||
				k.SK != r.Change.Keys["sk"].String() ||
				c.EventID != r.EventID || c.Source != r.EventSourceArn ||
				c.At.Time() != r.Change.ApproximateCreationDateTime.UTC() {
				t.Errorf("%s, record %d: got %+v, aws-lambda-go has %+v", name, i, c, r)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	testenv.AddCorpus(f)
	for _, payload := range streamSamples(f) {
		f.Add(payload)
	}
	f.Add(newBatch(record("REMOVE", nil), `{}`, `null`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var d tablestream.Decoder
		b, err := d.Decode(payload)
		if err != nil {
			return
		}
		if len(b.Changes)+len(b.Poison)+b.Skipped != len(b.Seqs) {
			t.Fatalf("%d changes, %d poison and %d skipped of %d records", len(b.Changes), len(b.Poison), b.Skipped,
				len(b.Seqs))
		}
		for _, c := range b.Changes {
			if back, err := keys.ParseEvent(keys.Event(c.Key)); err != nil || back != c.Key ||
				c.Type < storage.Inserted || c.Type > storage.Expired {
				t.Fatalf("change %+v: its key parses as %+v, %v", c, back, err)
			}
		}
		for _, p := range b.Poison {
			if p.Reason == "" || !json.Valid(p.Record) || tablekeys.Quarantine(p.Quarantined()).Check() != nil {
				t.Fatalf("poison %+v cannot be quarantined", p)
			}
		}
	})
}

// A traced stage decodes only these records again.
func TestStream_TracedAreTheRecordsWithATrace(t *testing.T) {
	t.Parallel()
	trace := `{"` + tablekeys.AttrTrace +
		`":{"S":"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8"}}`
	plain, traced := record("INSERT", nil), record("INSERT", map[string]string{"NewImage": trace})
	got := decodeStream(t, newBatch(plain, traced, plain)).Traced
	if len(got) != 1 || string(got[0]) != traced {
		t.Errorf("traced: %q, want the second record", got)
	}
}
