package item

import (
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromEvent is the stored form of e. The identity of the event stands in the key
// alone, so that no second spelling of it can disagree; what it is indexed by stands
// in the index's keys too, where it has a value.
func FromEvent(e *model.Event) Item {
	it := under(keys.Event(e.Key()), len(e.Attrs)+6)
	it.setAttrs(e.Attrs)
	it[keys.AttrHash] = bytesOf(e.Hash[:])
	it[keys.AttrArrived] = timeOf(e.ArrivedAt)
	if e.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(e.ExpiresAt)
	}
	if e.Late {
		it[keys.AttrLate] = boolOf(true)
	}
	if text, ok := indexed(e.Attrs, e.IndexBy); ok {
		k := keys.Indexed(e.Key(), e.IndexBy, text)
		it[keys.AttrGSI2PK], it[keys.AttrGSI2SK] = stringOf(k.PK), stringOf(k.SK)
	}
	return it
}

// Event is the way back from FromEvent. Its only error wraps keys.ErrForeign: the
// key is not that of an event, so not even its bucket is known. An event whose key
// can be read and whose attributes cannot (one of ours is missing or damaged, a
// field is of a type or size that we never write, a newer version wrote it) comes
// back Unreadable, with its expiry where that can be read: folding it is total.
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
	e.Hash = r.bytes16(keys.AttrHash, required)
	e.ArrivedAt = r.time(keys.AttrArrived, required)
	e.Late = r.bool(keys.AttrLate, optional)
	attrs, whole := it.attrs()
	if r.err != nil || !whole {
		return bare, nil
	}
	e.Attrs = attrs
	if kind, field, _, err := keys.ParseIndexPartition(text(it[keys.AttrGSI2PK])); err == nil {
		e.IndexBy = indexedBy(&e, kind, field)
	}
	return e, nil
}

// indexedBy is the field that an event is indexed by, as its key in the index says; ""
// where that is somebody else's key, of another kind or of a field that the event has no
// text in, which is no matter of ours.
func indexedBy(e *model.Event, kind, field string) string {
	if _, ok := indexed(e.Attrs, field); !ok || kind != e.Series.Kind {
		return ""
	}
	return field
}

// indexed is the text by which an event is indexed, if it has one.
func indexed(attrs model.Attrs, field string) (text string, ok bool) {
	v, ok := attrs.Get(field)
	return v.Text, ok && v.Kind == model.Text && v.Text != ""
}
