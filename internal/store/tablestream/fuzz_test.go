package tablestream_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// decodeReference decodes a payload with encoding/json and item.Event, as a reference for
// the decoder. Poison has no reason and no time.
func decodeReference(payload []byte) (batch tablestream.Batch, err error) {
	var in struct{ Records []json.RawMessage }
	if err := json.Unmarshal(payload, &in); err != nil {
		return batch, err
	}
	if in.Records == nil {
		return batch, fmt.Errorf("no Records")
	}
	for _, raw := range in.Records {
		var r referenceRecord
		c, err := r.read(raw)
		batch.Seqs = append(batch.Seqs, r.DynamoDB.SequenceNumber)
		switch {
		case err != nil:
			batch.Poison = append(batch.Poison,
				tablestream.Poison{Seq: r.DynamoDB.SequenceNumber, EventID: r.EventID, Record: raw})
		case c == nil:
			batch.Skipped++
		default:
			batch.Changes = append(batch.Changes, *c)
		}
	}
	return batch, nil
}

type referenceRecord struct {
	EventID        string `json:"eventID"`
	EventName      string `json:"eventName"`
	EventSourceARN string `json:"eventSourceARN"`
	UserIdentity   struct {
		Type        string `json:"type"`
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
	DynamoDB struct {
		ApproximateCreationDateTime float64
		Keys, NewImage, OldImage    json.RawMessage
		SequenceNumber              string
	} `json:"dynamodb"`
}

func (r *referenceRecord) read(raw json.RawMessage) (*storage.Change, error) {
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, err
	}
	key, ok := referenceItem(r.DynamoDB.Keys)
	if !ok {
		return nil, fmt.Errorf("no key")
	}
	k := key.Key()
	if !strings.HasPrefix(k.SK, tablekeys.EventPrefix) {
		return nil, k.Check()
	}
	event, err := keys.ParseEvent(k)
	if err != nil {
		return nil, err
	}
	c := &storage.Change{Key: event, Before: referenceEvent(r.DynamoDB.OldImage),
		After: referenceEvent(r.DynamoDB.NewImage),
		Seq:   r.DynamoDB.SequenceNumber, Source: r.EventSourceARN, EventID: r.EventID}
	if ms := math.Round(r.DynamoDB.ApproximateCreationDateTime * 1000); ms >= 0 && ms <= float64(model.MaxTime) {
		c.At = model.Time(ms)
	}
	ttl := r.UserIdentity.Type == "Service" && r.UserIdentity.PrincipalID == "dynamodb.amazonaws.com"
	switch {
	case r.EventName == "INSERT":
		c.Type = storage.Inserted
	case r.EventName == "MODIFY":
		c.Type = storage.Corrected
	case r.EventName != "REMOVE":
		return nil, fmt.Errorf("eventName %q", r.EventName)
	case ttl || c.Before != nil && c.Before.ExpiresAt != 0 && c.Before.ExpiresAt <= c.At.Seconds()+300:
		c.Type = storage.Expired
	default:
		c.Type = storage.Deleted
	}
	return c, nil
}

func referenceEvent(raw json.RawMessage) *model.Event {
	it, ok := referenceItem(raw)
	if !ok {
		return nil
	}
	e, err := item.Event(it)
	if err != nil {
		return nil
	}
	return &e
}

func referenceItem(raw json.RawMessage) (item.Item, bool) {
	var attributes map[string]map[string]any
	if json.Unmarshal(raw, &attributes) != nil || attributes == nil {
		return nil, false
	}
	it := item.Item{}
	for name, members := range attributes {
		var v item.Value
		for typ, of := range members {
			text, isText := of.(string)
			is, isBool := of.(bool)
			switch typ {
			case "S":
				v = item.Value{Type: item.S, S: text}
			case "N":
				v = item.Value{Type: item.N, S: text}
			case "B":
				v = item.Value{Type: item.B}
				if b, err := base64.StdEncoding.DecodeString(text); err == nil {
					v.B = b
				}
			case "BOOL":
				v = item.Value{Type: item.Bool, Bool: is}
			case "NULL":
				v = item.Value{Type: item.Null}
			default:
				continue
			}
			if of == nil {
				v = item.Value{}
			} else if !isText && v.Type != item.Bool && v.Type != item.Null ||
				!isBool && (v.Type == item.Bool || v.Type == item.Null) {
				return nil, false
			}
		}
		if len(members) != 1 {
			v = item.Value{}
		}
		it[name] = v
	}
	return it, true
}

// lenient reports whether encoding/json accepts something that the decoder rejects: a name
// that is repeated or in another case, or text that is not UTF-8.
func lenient(payload []byte) bool {
	if !utf8.Valid(payload) || strings.Contains(strings.ToLower(string(payload)), `\ud`) {
		return true
	}
	d := json.NewDecoder(strings.NewReader(string(payload)))
	d.UseNumber()
	return foldsOrRepeats(d)
}

var readNames = []string{"Records", "eventID", "eventName", "eventSourceARN", "userIdentity", "type",
	"principalId", "dynamodb",
	"ApproximateCreationDateTime", "Keys", "NewImage", "OldImage", "SequenceNumber"}

func foldsOrRepeats(d *json.Decoder) (does bool) {
	t, err := d.Token()
	delim, is := t.(json.Delim)
	if err != nil || !is {
		return false
	}
	seen := map[string]bool{}
	for d.More() {
		if delim == '{' {
			t, _ := d.Token()
			name, _ := t.(string)
			does, seen[name] = does || seen[name], true
			for _, known := range readNames {
				does = does || name != known && strings.EqualFold(name, known)
			}
		}
		does = foldsOrRepeats(d) || does
	}
	_, _ = d.Token()
	return does
}

// fatal is the common interface of tests, fuzz tests and properties.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkStream compares the decoder, which may have decoded other payloads, with the
// reference.
func checkStream(t fatal, d *tablestream.Decoder, payload []byte) {
	t.Helper()
	got, err := d.Decode(payload)
	if json.Valid(payload) && lenient(payload) {
		return
	}
	want, wantErr := decodeReference(payload)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: %v, want %v", payload, err, wantErr)
	}
	if err != nil {
		return
	}
	for i := range got.Poison { // the reference has neither reasons nor times
		p := &got.Poison[i]
		got.Poison[i] = tablestream.Poison{Seq: p.Seq, EventID: p.EventID, Record: p.Record}
	}
	if len(got.Seqs) == 0 {
		got.Seqs, want.Seqs = nil, nil
	}
	if len(got.Changes) == 0 {
		got.Changes = nil
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); diff != "" {
		t.Fatalf("%s (-reference +decoder):\n%s", payload, diff)
	}
}

func FuzzStreamDecoder(f *testing.F) {
	testenv.AddCorpus(f)
	samples := streamSamples(f)
	for _, payload := range samples {
		f.Add(payload, payload)
		f.Add(samples["mixed-batch"], payload)
	}
	f.Add(newBatch(record("INSERT", nil)), newBatch(record("REMOVE", nil), `{}`, `null`, `7`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var d tablestream.Decoder
		for _, payload := range [][]byte{a, b, a} {
			checkStream(t, &d, payload)
		}
	})
}

// anyRecord draws a record that Lambda might send, or a damaged one: members in any order,
// white space, escapes, and members that are missing, wrong or unknown.
func anyRecord(t *rapid.T) string {
	key := `{"pk":{"S":"DEVICE#` + rapid.SampledFrom([]string{"d1", "d2"}).Draw(t, "subject") +
		`"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:0` +
		rapid.SampledFrom([]string{"0", "1", "x"}).Draw(t, "second") + `.000Z#"}}`
	image := func(name string) string {
		attributes := []string{key[1 : len(key)-1], `"v":{"N":"1"}`, `"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="}`,
			`"_arrived":{"S":"2026-04-20T14:00:01.250Z"}`,
			`"temperature":{"N":"` + rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{1,3})?`).Draw(t, "temperature") + `"}`, `"expiresAt":{"N":"177669` +
				rapid.StringMatching(`[0-9]{4}`).Draw(t, "expiresAt") + `"}`, `"location":{"S":"hall"}`}
		return `"` + name + `":{` + inAnyOrder(t, attributes) + `}`
	}
	body := []string{`"Keys":` + key, `"SequenceNumber":"` + rapid.StringMatching(`[0-9]{1,6}`).Draw(t, "seq") +
		`"`, `"SizeBytes":` + rapid.StringMatching(`[1-9][0-9]?`).Draw(t, "size"),
		`"ApproximateCreationDateTime":` + rapid.SampledFrom([]string{"1776693600", "1776693601", "1776693600.5", "1.77669E9", "-1", "0"}).Draw(t, "time"),
		`"StreamViewType":"NEW_AND_OLD_IMAGES"`}
	name := rapid.SampledFrom([]string{"INSERT", "MODIFY", "REMOVE"}).Draw(t, "name")
	if name != "INSERT" {
		body = append(body, image("OldImage"))
	}
	if name != "REMOVE" {
		body = append(body, image("NewImage"))
	}
	members := []string{`"eventID":"` + rapid.StringMatching(`[0-9a-f]{1,8}`).Draw(t, "id") + `"`,
		`"eventName":"` + name + `"`, `"eventVersion":"1.1"`, `"eventSource":"aws:dynamodb"`,
		`"awsRegion":"eu-central-1"`, `"dynamodb":{` + inAnyOrder(t, body) + `}`,
		`"eventSourceARN":"` + rapid.SampledFrom([]string{"arn:a", `arn:b\/c`}).Draw(t, "source") + `"`}
	if rapid.IntRange(0, 3).Draw(t, "by TTL") == 0 {
		members = append(members, `"userIdentity":{`+
			inAnyOrder(t, []string{`"type":"Service"`, `"principalId":"dynamodb.amazonaws.com"`})+`}`)
	}
	members = append(members,
		rapid.SampledFrom([]string{`"x":1`, `"x":{"y":[null,true,"\u00e9"]}`}).Draw(t, "new"))
	return "{" + inAnyOrder(t, members) + "}"
}

// inAnyOrder draws one of a few orders, so that orders repeat, and sometimes damages one
// member.
func inAnyOrder(t *rapid.T, members []string) string {
	out := make([]string, 0, len(members))
	step := rapid.SampledFrom([]int{1, len(members) - 1}).Draw(t, "step")
	from := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "from")
	for i := range members {
		out = append(out, members[(from+i*step)%len(members)])
	}
	if rapid.IntRange(0, 19).Draw(t, "damage") == 0 {
		i := rapid.IntRange(0, len(out)-1).Draw(t, "damaged")
		name, value, _ := strings.Cut(out[i], ":")
		out[i] = rapid.SampledFrom([]string{name + ":null", name + ":7", name + `:"7"`, name + ":{}", name + ":[]",
			name + " :\n" + value, `"y":` + value, name + ":true"}).Draw(t, "by")
	}
	return strings.Join(out, ",")
}

func TestStream_EqualsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d tablestream.Decoder
		for range 3 {
			records := make([]string, rapid.IntRange(0, 12).Draw(t, "records"))
			for i := range records {
				records[i] = anyRecord(t)
			}
			checkStream(t, &d, newBatch(records...))
		}
	})
}

// encoding/json accepts these records, and would decode two different records as the same.
func TestStream_AmbiguousRecordsArePoison(t *testing.T) {
	const key = `{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#a"}}`
	for name, r := range map[string]string{
		"a sequence number twice":  `{"eventName":"INSERT","dynamodb":{"SequenceNumber":"1","SequenceNumber":"2","Keys":` + key + `}}`,
		"a key twice":              `{"eventName":"INSERT","dynamodb":{"Keys":` + key + `,"Keys":` + key + `}}`,
		"a partition key twice":    `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"DEVICE#e"},` + key[1:] + `}}`,
		"an event name twice":      `{"eventName":"INSERT","eventName":"REMOVE","dynamodb":{"Keys":` + key + `}}`,
		"a name in another case":   `{"EventName":"INSERT","dynamodb":{"Keys":` + key + `}}`,
		"half a surrogate pair":    `{"eventName":"INSERT","dynamodb":{"Keys":` + strings.Replace(key, "#d", `#\ud83c`, 1) + `}}`,
		"a byte that is not UTF-8": `{"eventName":"INSERT","dynamodb":{"Keys":` + strings.Replace(key, "#d", "#\xff", 1) + `}}`,
		"a value of two types":     `{"eventName":"INSERT","dynamodb":{"Keys":` + strings.Replace(key, `"S":"D`, `"N":"1","S":"D`, 1) + `}}`,
		"an id that is not UTF-8":  `{"eventID":"` + "\xc3" + `","eventName":"INSERT","dynamodb":{"Keys":` + key + `}}`,
		"a type in another case":   `{"eventName":"INSERT","dynamodb":{"Keys":` + strings.Replace(key, `"S":"D`, `"s":"D`, 1) + `}}`,
		"dynamodb repeated":        `{"eventName":"INSERT","dynamodb":{"Keys":` + key + `},"dynamodb":{}}`,
	} {
		var d tablestream.Decoder
		good := record("INSERT", nil)
		b, err := d.Decode(newBatch(good, r, good))
		if err != nil || len(b.Poison) != 1 || len(b.Changes) != 2 {
			t.Errorf("%s: %d poison, %d changes, %v; want 1, 2", name, len(b.Poison), len(b.Changes), err)
		}
	}
}

func TestStream_AllocatesNothingForSimilarRecords(t *testing.T) {
	const n = 500
	records := make([]string, n)
	for i := range records {
		records[i] = fmt.Sprintf(
			`{"eventID":"%032x","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"eu-central-1","dynamodb":{`+
				`"ApproximateCreationDateTime":%d,"Keys":{"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.%03dZ#"},"pk":{"S":"DEVICE#d%d"}},"NewImage":{"_arrived":{"S":"2026-04-20T14:00:01.250Z"},`+
				`"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},"temperature":{"N":"%d.5"},"humidity":{"N":"45"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.%03dZ#"},"pk":{"S":"DEVICE#d%d"},"v":{"N":"1"}},`+
				`"SequenceNumber":"%026d","SizeBytes":174,"StreamViewType":"NEW_AND_OLD_IMAGES"},"eventSourceARN":"arn:aws:dynamodb:eu-central-1:123456789012:table/t/stream/s"}`,
			i, 1776693600+i, i, i%7, i%50, i, i%7, i)
	}
	payload := newBatch(records...)
	var d tablestream.Decoder
	got := testing.AllocsPerRun(20, func() {
		b, err := d.Decode(payload)
		if err != nil || len(b.Changes) != n || len(b.Changes[n-1].After.Attrs) != 2 {
			t.Fatal(err, len(b.Changes))
		}
	})
	if got > n/100 {
		t.Errorf("%v allocations for %d records, want at most %d, for the memory of texts", got, n, n/100)
	}
}
