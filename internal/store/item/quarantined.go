package item

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// MaxPayload is the number of bytes of a payload that quarantine stores: an item can hold 400 KB, including
// the reason. IoT messages, and stream records of items up to a third of that, are stored completely.
const MaxPayload = 300 << 10

// FromQuarantined returns the stored form of q. It never fails: invalid UTF-8 is replaced, and
// a payload longer than MaxPayload is cut, which the reason then mentions.
func FromQuarantined(q *storage.Quarantined) Item {
	reason, payload := q.Reason, q.Payload
	if len(payload) > MaxPayload {
		reason = fmt.Sprintf("%s (payload of %d bytes cut to %d)", reason, len(payload), MaxPayload)
		payload = payload[:MaxPayload]
	}
	it := newItem(tablekeys.Quarantine(*q), 7)
	it[tablekeys.AttrSource] = stringValue(strings.ToValidUTF8(q.Source, "\uFFFD"))
	it[tablekeys.AttrReason] = stringValue(strings.ToValidUTF8(reason, "\uFFFD"))
	it[tablekeys.AttrArrivedAt] = timeValue(q.ArrivedAt)
	it.setExpiry(q.ExpiresAt)
	if len(payload) > 0 {
		it[tablekeys.AttrPayload] = bytesValue(payload)
	}
	if q.Sender != (storage.Sender{}) {
		it.setJSON(tablekeys.AttrSender, q.Sender)
	}
	if len(q.Errors) > 0 {
		it.setJSON(tablekeys.AttrErrors, q.Errors)
	}
	return it
}

// Quarantined is the inverse of FromQuarantined. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Quarantined(it Item) (storage.Quarantined, error) {
	id, subject, _, err := tablekeys.ParseQuarantine(it.Key())
	if err != nil {
		return storage.Quarantined{}, err
	}
	q := storage.Quarantined{ID: id, Subject: subject}
	r := newReader(it)
	q.Source = r.string(tablekeys.AttrSource, required)
	q.Reason = r.string(tablekeys.AttrReason, required)
	q.ArrivedAt = r.time(tablekeys.AttrArrivedAt, required)
	q.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	q.Payload = slices.Clone(r.bytes(tablekeys.AttrPayload, optional))
	r.json(tablekeys.AttrSender, &q.Sender, "is not a sender", optional)
	r.json(tablekeys.AttrErrors, &q.Errors, "is not a list of field errors", optional)
	if r.err != nil {
		return storage.Quarantined{ID: id, Subject: subject}, fmt.Errorf("read quarantined %s: %w", id, r.err)
	}
	return q, nil
}
