package item

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// MaxPayload is how much of a payload is kept in quarantine, in bytes: what an item
// of 400 KB holds beside its reasons. IoT messages and table records of items up to
// a third of that come whole.
const MaxPayload = 300 << 10

// FromQuarantined is the stored form of q. It never fails: text that is not UTF-8 is
// mended, and a payload past MaxPayload is cut and the reason says so.
func FromQuarantined(q *model.Quarantined) Item {
	reason, payload := q.Reason, q.Payload
	if len(payload) > MaxPayload {
		reason = fmt.Sprintf("%s (payload of %d bytes cut to %d)", reason, len(payload), MaxPayload)
		payload = payload[:MaxPayload]
	}
	it := under(keys.Quarantine(*q), 6)
	it[keys.AttrDoor] = stringOf(strings.ToValidUTF8(q.Door, "\uFFFD"))
	it[keys.AttrReason] = stringOf(strings.ToValidUTF8(reason, "\uFFFD"))
	it[keys.AttrArrived] = timeOf(q.ArrivedAt)
	if q.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(q.ExpiresAt)
	}
	if len(payload) > 0 {
		it[keys.AttrPayload] = bytesOf(payload)
	}
	if len(q.Errors) > 0 {
		encoded, _ := json.Marshal(q.Errors) // three strings each: cannot fail
		it[keys.AttrErrors] = stringOf(string(encoded))
	}
	return it
}

// Quarantined is the way back from FromQuarantined. Errors wrap keys.ErrForeign,
// ErrNewer or ErrDamaged.
func Quarantined(it Item) (model.Quarantined, error) {
	id, subject, _, err := keys.ParseQuarantine(it.Key())
	if err != nil {
		return model.Quarantined{}, err
	}
	q := model.Quarantined{ID: id, Subject: subject}
	r := reader{it: it}
	r.version(required)
	q.Door = r.string(keys.AttrDoor, required)
	q.Reason = r.string(keys.AttrReason, required)
	q.ArrivedAt = r.time(keys.AttrArrived, required)
	q.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	q.Payload = slices.Clone(r.bytes(keys.AttrPayload, optional))
	if list := r.string(keys.AttrErrors, optional); list != "" && json.Unmarshal([]byte(list), &q.Errors) != nil {
		r.fail(keys.AttrErrors, "is no list of field errors")
	}
	if r.err != nil {
		return model.Quarantined{ID: id, Subject: subject}, fmt.Errorf("read quarantined %s: %w", id, r.err)
	}
	return q, nil
}
