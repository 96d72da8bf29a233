package item

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromMemberships returns the stored form of m.
func FromMemberships(m *storage.Memberships) Item {
	it := newItem(tablekeys.Memberships(m.Subject), 2)
	it.setJSON(tablekeys.AttrMemberships, m.Log)
	it.setExpiry(m.ExpiresAt)
	return it
}

// Memberships is the inverse of FromMemberships. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Memberships(it Item) (storage.Memberships, error) {
	subject, err := tablekeys.ParseMemberships(it.Key())
	if err != nil {
		return storage.Memberships{}, err
	}
	m := storage.Memberships{Subject: subject}
	r := newReader(it)
	r.json(tablekeys.AttrMemberships, &m.Log, "is not a list of memberships", required)
	m.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if r.err == nil && len(m.Log) == 0 {
		r.fail(tablekeys.AttrMemberships, "is empty")
	}
	for i := 1; i < len(m.Log); i++ {
		if m.Log[i].From <= m.Log[i-1].From {
			r.fail(tablekeys.AttrMemberships, "is not in order of time")
		}
	}
	return decoded(&r, m, "groups of %s", subject)
}
