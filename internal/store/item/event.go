package item

import (
	"encoding/binary"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromEvent returns the stored form of e. The identity of the event is only in the key, so that it cannot
// disagree with an attribute. If the indexed field has a value, it is in the index key too.
func FromEvent(e *model.Event) Item {
	it := newItem(keys.Event(e.Key()), len(e.Attrs)+6)
	it.setAttrs(e.Attrs)
	it[tablekeys.AttrHash] = bytesValue(e.Hash[:])
	it[tablekeys.AttrArrivedAt] = timeValue(e.ArrivedAt)
	if e.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = Number(e.ExpiresAt)
	}
	if e.CorrectedAt != 0 {
		it[tablekeys.AttrCorrected] = timeValue(e.CorrectedAt)
	}
	if e.Late {
		it[tablekeys.AttrLate] = boolValue(true)
	}
	if e.Attempt != 0 {
		it[tablekeys.AttrAttempt] = bytesValue(binary.BigEndian.AppendUint64(nil, e.Attempt))
	}
	if text, ok := indexValue(e.Attrs, e.IndexBy); ok {
		k := tablekeys.IndexEntry(e.Key(), e.IndexBy, text)
		it[keys.AttrGSI2PK], it[keys.AttrGSI2SK] = stringValue(k.PK), stringValue(k.SK)
	}
	return it
}

// Event is the inverse of FromEvent. Its only error wraps keys.ErrKeyForm: the key is not an event's, so
// the bucket is unknown. An event with a valid key and invalid attributes (one of ours is missing or
// damaged, a field has a type or size that is never written, or a newer version wrote it) is returned as
// Unreadable, with its expiry if that can be decoded. It can therefore be counted in a rollup.
func Event(it Item) (model.Event, error) {
	k, err := keys.ParseEvent(it.Key())
	if err != nil {
		return model.Event{}, err
	}
	bare := model.Event{Series: k.Series, Order: k.Order, Unreadable: true}
	r := reader{it: it}
	bare.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	e := bare
	e.Unreadable = false
	r.version(required)
	e.Hash = r.bytes16(tablekeys.AttrHash, required)
	e.ArrivedAt = r.time(tablekeys.AttrArrivedAt, required)
	e.CorrectedAt = r.time(tablekeys.AttrCorrected, optional)
	e.Late = r.bool(tablekeys.AttrLate, optional)
	attrs, complete := it.attrs()
	if r.err != nil || !complete {
		return bare, nil
	}
	e.Attrs = attrs
	if kind, field, _, err := tablekeys.ParseIndexPartition(text(it[keys.AttrGSI2PK])); err == nil {
		e.IndexBy = indexedBy(&e, kind, field)
	}
	return e, nil
}

// Attempt returns the attempt that stored an event; 0 if the item does not say.
func Attempt(it Item) uint64 {
	if v := it[tablekeys.AttrAttempt]; v.Type == B && len(v.B) == 8 {
		return binary.BigEndian.Uint64(v.B)
	}
	return 0
}

// indexedBy returns the field by which an event is indexed, from its index key. It returns "" if another
// program wrote that key: it is then of another kind, or of a field that is not a text of the event.
func indexedBy(e *model.Event, kind, field string) string {
	if _, ok := indexValue(e.Attrs, field); !ok || kind != e.Series.Kind {
		return ""
	}
	return field
}

// indexValue returns the text by which an event is indexed. ok is false if it has none.
func indexValue(attrs model.Attrs, field string) (text string, ok bool) {
	v, ok := attrs.Get(field)
	return v.Text, ok && v.Kind == model.Text && v.Text != ""
}
