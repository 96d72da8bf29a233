package envelope

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamDecoder reads what a table stream's mapping sends to a function: payload bytes
// to changes with their images as events, in one pass, without a tree between.
//
// The zero value is ready. It keeps its memory from batch to batch, so it serves one
// invocation at a time, as a function does, and a StreamBatch is good until the next
// Decode. Texts in it are for good. Nothing in it shares memory with the payload.
//
// Where a wrong record could mislead it is as strict as encoding/json, or stricter:
//
//   - Text that is no JSON anywhere, skipped values included, fails the batch, with
//     the error of encoding/json. Values may be nested 10,000 deep.
//   - Members and attributes come in any order, with any white space, escaped or not.
//     Names are compared as bytes: Lambda never writes eventid for eventID.
//   - A member that is read and is of another type makes the record poison; null is
//     taken for absent. Members that are not read are checked to be JSON, no more.
//   - Text that is read and is no UTF-8, or has half a surrogate pair, is refused where
//     encoding/json would put U+FFFD: in a key it would make one item of two.
//   - A member that is read and comes twice is refused where encoding/json takes the
//     last: which of two keys or sequence numbers was meant, nobody knows.
//   - Any of these within an image costs that image alone (see item.Scanner): the key
//     is all that a look needs.
type StreamDecoder struct {
	scanner item.Scanner
	texts   item.Texts
	levels  memberLevels
	reading streamRecord // the record under way

	seqs    []string
	changes []model.Change
	images  []model.Event
}

// StreamBatch is a decoded batch. All lists are in batch order.
type StreamBatch struct {
	// Seqs has the SequenceNumber of every record, "" where it could not be read. They
	// name records in an answer and are never compared: only their place has a meaning.
	Seqs    []string
	Changes []model.Change // of events; removals by TTL are among them, as Expired
	Poison  []Poison       // records from which not even their bucket could be read
	Skipped int            // records of items that are no events
}

// Poison is a record that cannot be settled by anybody: it is kept with its reason
// and the table stream moves on.
type Poison struct {
	Seq     string
	EventID string // "" where it could not be read
	At      model.Time
	Reason  string
	Record  []byte // whole, as it came
}

// Decode reads a payload. The error is for a payload that is no batch at all; a
// record that cannot be read is Poison and spoils no other.
func (d *StreamDecoder) Decode(payload []byte) (StreamBatch, error) {
	d.scanner.Reset()
	d.seqs, d.changes, d.images = d.seqs[:0], d.changes[:0], d.images[:0]
	d.levels.record.names, d.levels.identity.names, d.levels.body.names = recordNames, identityNames, bodyNames
	var batch StreamBatch
	records, end := 0, jsonscan.Space(payload, 0)
	if jsonscan.Is(payload, end, '{') {
		records, end = d.batch(payload, end+1, &batch)
	} else {
		end = jsonscan.Skip(payload, end)
	}
	switch {
	case end == jsonscan.Broken || !jsonscan.End(payload, end):
		return StreamBatch{}, fmt.Errorf("decode table stream batch: %w", notJSON(payload))
	case records != 1:
		return StreamBatch{}, errors.New("decode table stream batch: no Records, or not one list of them: is the function invoked by the table's stream?")
	}
	batch.Seqs, batch.Changes = d.seqs, d.changes
	return batch, nil
}

// notJSON is what encoding/json says is wrong, and where.
func notJSON(payload []byte) error {
	var any json.RawMessage
	if err := json.Unmarshal(payload, &any); err != nil {
		return err
	}
	return errors.New("values nested too deeply")
}

// batch reads the payload's members from i on and answers how many lists of records
// were among them; one that is no list counts for two, since it is as wrong.
func (d *StreamDecoder) batch(b []byte, i int, batch *StreamBatch) (records, end int) {
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return records, at
		}
		raw, at := jsonscan.Name(b, at)
		switch {
		case at == jsonscan.Broken:
			return 0, at
		case string(nameOf(raw)) != "Records":
			i = jsonscan.Skip(b, at)
		case jsonscan.Is(b, at, '['):
			records++
			i = d.records(b, at+1, batch)
		default:
			records += 2
			i = jsonscan.Skip(b, at)
		}
		if i == jsonscan.Broken {
			return 0, i
		}
	}
}

// nameOf is a member's name. What is no UTF-8 is no name of ours.
func nameOf(raw jsonscan.Raw) []byte {
	if raw.Plain {
		return raw.Bytes
	}
	name, _ := jsonscan.Unescape(nil, raw.Bytes)
	return name
}

func (d *StreamDecoder) records(b []byte, i int, batch *StreamBatch) (end int) {
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, ']')
		if !more {
			return at
		}
		if i = d.record(b, at, batch); i == jsonscan.Broken {
			return i
		}
	}
}

// record reads the record at b[i:] into the batch.
func (d *StreamDecoder) record(b []byte, i int, batch *StreamBatch) (end int) {
	d.changes = append(d.changes, model.Change{})
	c := &d.changes[len(d.changes)-1]
	r := &d.reading
	*r = streamRecord{StreamDecoder: d, change: c}
	if end = r.object(b, i, "the record", &d.levels.record); end == jsonscan.Broken {
		return end
	}
	d.seqs = append(d.seqs, c.Seq)
	is, err := r.settle()
	if is {
		return end
	}
	if err == nil {
		batch.Skipped++
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

// Quarantined is the form in which p is kept. The same record has the same ID
// whenever it comes.
func (p *Poison) Quarantined() model.Quarantined {
	id := p.EventID
	if id == "" {
		sum := sha256.Sum256(p.Record)
		id = hex.EncodeToString(sum[:16])
	}
	return model.Quarantined{ID: p.At.String() + "-" + id, Reason: p.Reason, Payload: p.Record}
}
