package tablestream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Decoder decodes batches that the mapping of a table stream sends to a function. It
// reads the payload in one pass, without intermediate values.
//
// The zero value is ready to use. It reuses its memory: it must not be used concurrently, and a Batch
// is valid until the next Decode, except for its strings. Nothing shares memory with the payload.
//
// It is at least as strict as encoding/json:
//
//   - Invalid JSON anywhere, also in skipped values, fails the batch with the error of
//     encoding/json. Values may be nested 10,000 levels deep.
//   - Members and attributes may be in any order, with any white space and escapes. Names
//     are case-sensitive.
//   - A decoded member of the wrong type makes the record poison; null means missing.
//     Other members must only be valid JSON.
//   - Decoded text that is not UTF-8, or has half a surrogate pair, is an error.
//     encoding/json replaces it by U+FFFD, which would make two keys equal.
//   - A decoded member that is repeated is an error. encoding/json uses the last, although
//     either of two keys or sequence numbers may be the right one.
//   - Any of these errors within an image makes only the image nil (see item.Scanner): a
//     recomputation needs only the key.
type Decoder struct {
	// Keep selects the records of other items than events that Batch.Kept has; nil keeps none.
	Keep func(keys.Key) bool

	scanner item.Scanner
	texts   item.Texts
	objects memberObjects
	reading streamRecord // the current record

	seqs    []string
	changes []storage.Change
	images  []model.Event
}

// Batch is a decoded batch. All lists are in batch order.
type Batch struct {
	// Seqs has the SequenceNumber of every record, "" if it cannot be read. It identifies
	// the record in a response and must not be compared with others.
	Seqs    []string
	Changes []storage.Change // of events and of groups of subjects; removals by TTL are Expired
	Poison  []Poison         // records whose key cannot be read
	Skipped int              // records of other items than events
	Kept    []Kept           // the skipped records that Decoder.Keep selects
	// Heartbeat is the time of the newest record of the heartbeat item; 0 without one. Such
	// records are Skipped too.
	Heartbeat model.Time
	Traced    [][]byte // records with the attribute of a trace, unchanged: parts of the payload
}

// Kept is a record of another item than an event.
type Kept struct {
	Seq, EventID string
	Key          keys.Key
	Name         string // eventName: INSERT, MODIFY or REMOVE
	At           model.Time
	ByTTL        bool   // TTL removed the item
	Record       []byte // a part of the payload
}

// Poison is a record that can never be processed. It is quarantined with its reason, so
// that the shard continues.
type Poison struct {
	Seq     string
	EventID string // "" if it cannot be read
	At      model.Time
	Reason  string
	Record  []byte // unchanged
}

// Decode decodes a payload. A record that cannot be read is Poison and does not affect
// others; the error is for a payload that is not a batch.
func (d *Decoder) Decode(payload []byte) (Batch, error) {
	d.scanner.Reset()
	d.seqs = d.seqs[:0]
	d.changes = d.changes[:0]
	d.images = d.images[:0]
	d.objects.record.names = recordNames
	d.objects.identity.names = identityNames
	d.objects.body.names = bodyNames
	var batch Batch
	records, end := 0, jsonscan.Space(payload, 0)
	if jsonscan.Is(payload, end, '{') {
		records, end = d.readBatch(payload, end+1, &batch)
	} else {
		end = jsonscan.Skip(payload, end)
	}
	switch {
	case end == jsonscan.Invalid || !jsonscan.End(payload, end):
		return Batch{}, fmt.Errorf("decode table stream batch: %w", notJSON(payload))
	case records != 1:
		return Batch{}, errors.New(
			"decode table stream batch: want one list Records: is the function invoked by the table's stream?")
	}
	batch.Seqs, batch.Changes = d.seqs, d.changes
	return batch, nil
}

// notJSON returns the error of encoding/json, which has the position.
func notJSON(payload []byte) error {
	var any json.RawMessage
	if err := json.Unmarshal(payload, &any); err != nil {
		return err
	}
	return errors.New("values nested too deeply")
}

// readBatch reads the payload's members from b[i:] on and returns the number of lists of
// records. A Records that is not a list counts as two, which is an error too.
func (d *Decoder) readBatch(b []byte, i int, batch *Batch) (records, end int) {
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return records, at
		}
		raw, at := jsonscan.Name(b, at)
		switch {
		case at == jsonscan.Invalid:
			return 0, at
		case string(scanName(raw)) != "Records":
			i = jsonscan.Skip(b, at)
		case jsonscan.Is(b, at, '['):
			records++
			i = d.readRecords(b, at+1, batch)
		default:
			records += 2
			i = jsonscan.Skip(b, at)
		}
		if i == jsonscan.Invalid {
			return 0, i
		}
	}
}

// scanName returns a member's name; a name that is not UTF-8 matches no known name.
func scanName(raw jsonscan.Raw) []byte {
	if raw.Plain {
		return raw.Bytes
	}
	name, _ := jsonscan.Unescape(nil, raw.Bytes)
	return name
}

func (d *Decoder) readRecords(b []byte, i int, batch *Batch) (end int) {
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, ']')
		if !more {
			return at
		}
		if i = d.readRecord(b, at, batch); i == jsonscan.Invalid {
			return i
		}
	}
}

// readRecord reads the record at b[i:] into the batch.
func (d *Decoder) readRecord(b []byte, i int, batch *Batch) (end int) {
	d.changes = append(d.changes, storage.Change{})
	c := &d.changes[len(d.changes)-1]
	r := &d.reading
	*r = streamRecord{Decoder: d, change: c}
	if end = r.readObject(b, i, "the record", &d.objects.record); end == jsonscan.Invalid {
		return end
	}
	d.seqs = append(d.seqs, c.Seq)
	if bytes.Contains(b[i:end], []byte(tablekeys.AttrTrace)) {
		batch.Traced = append(batch.Traced, b[i:end])
	}
	isEvent, err := r.finish()
	if isEvent {
		return end
	}
	if err == nil && r.key.SK == tablekeys.ClassMemberships && r.name != "REMOVE" {
		isMove := false
		if isMove, err = readMove(b[i:end], c); isMove {
			return end
		}
	}
	if err == nil {
		batch.Skipped++
		if d.Keep != nil && d.Keep(r.key) {
			batch.Kept = append(batch.Kept, Kept{
				Seq: c.Seq, EventID: c.EventID, Key: r.key, Name: r.name, At: c.At, ByTTL: r.byTTL(), Record: b[i:end],
			})
		}
		if r.key == tablekeys.Heartbeat() {
			batch.Heartbeat = max(batch.Heartbeat, c.At)
		}
	} else {
		batch.Poison = append(batch.Poison, Poison{
			Seq: c.Seq, EventID: c.EventID, At: c.At,
			Reason: "table stream record: " + err.Error(),
			Record: append([]byte(nil), b[i:end]...),
		})
	}
	d.changes = d.changes[:len(d.changes)-1]
	return end
}

// readMove completes the change of a record of a log of groups. It returns false if a purge lets the log
// expire.
func readMove(record []byte, c *storage.Change) (is bool, _ error) {
	var r struct {
		Dynamodb struct{ NewImage json.RawMessage }
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return false, fmt.Errorf("read the image: %w", err)
	}
	it, err := item.ParseImage(r.Dynamodb.NewImage)
	if err != nil {
		return false, err
	}
	m, err := item.Memberships(it)
	if err != nil || m.ExpiresAt != 0 {
		return false, err
	}
	c.Before, c.After = nil, nil
	c.Type, c.Groups = storage.Moved, &m
	c.Key = model.EventKey{Series: model.Series{Subject: m.Subject}, Order: model.Order{At: m.Newest()}}
	return true, nil
}

// Quarantined returns the record for quarantine. Each delivery of a record has the same ID.
func (p *Poison) Quarantined() storage.Quarantined {
	id := p.EventID
	if id == "" {
		sum := sha256.Sum256(p.Record)
		id = hex.EncodeToString(sum[:16])
	}
	return storage.Quarantined{ID: p.At.String() + "-" + id, Reason: p.Reason, Payload: p.Record}
}
