package item

import (
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// FromPurgeLock returns the stored form of l.
func FromPurgeLock(l *entity.PurgeLock) Item {
	it := newItem(tablekeys.PurgeLock(l.Subject), 4)
	it[tablekeys.AttrSince] = timeOf(l.Since)
	it[tablekeys.AttrPurgeID] = stringOf(l.PurgeID)
	it.setExpiry(l.ExpiresAt)
	if l.Receipt != "" {
		it[tablekeys.AttrReceipt] = stringOf(l.Receipt)
	}
	return it
}

// PurgeLock is the inverse of FromPurgeLock. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged. To check only whether a lock exists, there is no need to decode it.
func PurgeLock(it Item) (entity.PurgeLock, error) {
	subject, err := tablekeys.ParsePurgeLock(it.Key())
	if err != nil {
		return entity.PurgeLock{}, err
	}
	l := entity.PurgeLock{Subject: subject}
	r := reader{it: it}
	r.version(optional)
	l.Since = r.time(tablekeys.AttrSince, optional)
	l.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	l.PurgeID = r.string(tablekeys.AttrPurgeID, optional)
	l.Receipt = r.string(tablekeys.AttrReceipt, optional)
	return decoded(&r, l, "purge lock of %s", subject)
}

// FromPurge returns the stored form of p.
func FromPurge(p *entity.Purge) Item {
	it := newItem(tablekeys.Purge(p.Subject), 9)
	it[tablekeys.AttrPurgeID] = stringOf(p.ID)
	it[tablekeys.AttrRequestedBy] = stringOf(p.By)
	it[tablekeys.AttrStep] = stringOf(string(p.Step))
	it[tablekeys.AttrRequestedAt], it[tablekeys.AttrDue], it[tablekeys.AttrSince] = timeOf(p.RequestedAt), timeOf(p.DueAt), timeOf(p.StepSince)
	it[tablekeys.AttrRev] = bytesOf(p.Rev[:])
	if p.LockedAt != 0 {
		it[tablekeys.AttrLockedAt] = timeOf(p.LockedAt)
	}
	if len(p.Counts) > 0 {
		it.setJSON(tablekeys.AttrCounts, p.Counts)
	}
	return it
}

// Purge is the inverse of FromPurge. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Purge(it Item) (entity.Purge, error) {
	subject, err := tablekeys.ParsePurge(it.Key())
	if err != nil {
		return entity.Purge{}, err
	}
	p := entity.Purge{Subject: subject}
	r := readerOf(it)
	p.ID = r.string(tablekeys.AttrPurgeID, required)
	p.By = r.string(tablekeys.AttrRequestedBy, required)
	p.Step = entity.PurgeStep(r.string(tablekeys.AttrStep, required))
	p.RequestedAt = r.time(tablekeys.AttrRequestedAt, required)
	p.DueAt = r.time(tablekeys.AttrDue, required)
	p.StepSince = r.time(tablekeys.AttrSince, required)
	p.LockedAt = r.time(tablekeys.AttrLockedAt, optional)
	p.Rev = r.bytes16(tablekeys.AttrRev, required)
	r.json(tablekeys.AttrCounts, &p.Counts, "is not a list of counts", optional)
	return decoded(&r, p, "purge of %s", subject)
}
