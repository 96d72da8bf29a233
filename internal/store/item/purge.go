package item

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromPurgeLock returns the stored form of l.
func FromPurgeLock(l *storage.PurgeLock) Item {
	it := newItem(tablekeys.PurgeLock(l.Subject), 4)
	it[tablekeys.AttrSince] = timeValue(l.Since)
	it[tablekeys.AttrPurgeID] = stringValue(l.PurgeID)
	it.setExpiry(l.ExpiresAt)
	if l.Receipt != "" {
		it[tablekeys.AttrReceipt] = stringValue(l.Receipt)
	}
	return it
}

// PurgeLock is the inverse of FromPurgeLock. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged. To check only whether a lock exists, there is no need to decode it.
func PurgeLock(it Item) (storage.PurgeLock, error) {
	subject, err := tablekeys.ParsePurgeLock(it.Key())
	if err != nil {
		return storage.PurgeLock{}, err
	}
	l := storage.PurgeLock{Subject: subject}
	r := reader{it: it}
	r.version(optional)
	l.Since = r.time(tablekeys.AttrSince, optional)
	l.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	l.PurgeID = r.string(tablekeys.AttrPurgeID, optional)
	l.Receipt = r.string(tablekeys.AttrReceipt, optional)
	return decoded(&r, l, "purge lock of %s", subject)
}

// FromPurge returns the stored form of p.
func FromPurge(p *storage.Purge) Item {
	it := newItem(tablekeys.Purge(p.Subject), 9)
	it[tablekeys.AttrPurgeID] = stringValue(p.ID)
	it[tablekeys.AttrRequestedBy] = stringValue(p.By)
	it[tablekeys.AttrStep] = stringValue(string(p.Step))
	it[tablekeys.AttrRequestedAt] = timeValue(p.RequestedAt)
	it[tablekeys.AttrDue] = timeValue(p.DueAt)
	it[tablekeys.AttrSince] = timeValue(p.StepSince)
	it[tablekeys.AttrRev] = bytesValue(p.Rev[:])
	if p.LockedAt != 0 {
		it[tablekeys.AttrLockedAt] = timeValue(p.LockedAt)
	}
	if len(p.Counts) > 0 {
		it.setJSON(tablekeys.AttrCounts, p.Counts)
	}
	return it
}

// Purge is the inverse of FromPurge. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Purge(it Item) (storage.Purge, error) {
	subject, err := tablekeys.ParsePurge(it.Key())
	if err != nil {
		return storage.Purge{}, err
	}
	p := storage.Purge{Subject: subject}
	r := newReader(it)
	p.ID = r.string(tablekeys.AttrPurgeID, required)
	p.By = r.string(tablekeys.AttrRequestedBy, required)
	p.Step = storage.PurgeStep(r.string(tablekeys.AttrStep, required))
	p.RequestedAt = r.time(tablekeys.AttrRequestedAt, required)
	p.DueAt = r.time(tablekeys.AttrDue, required)
	p.StepSince = r.time(tablekeys.AttrSince, required)
	p.LockedAt = r.time(tablekeys.AttrLockedAt, optional)
	p.Rev = r.bytes16(tablekeys.AttrRev, required)
	r.json(tablekeys.AttrCounts, &p.Counts, "is not a list of counts", optional)
	return decoded(&r, p, "purge of %s", subject)
}
