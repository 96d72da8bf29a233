package item

import (
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromAlert returns the stored form of a. An open alert is in the first index, in the
// partition of its severity and of shard.
func FromAlert(a *storage.Alert, shard int) Item {
	it := newItem(tablekeys.Alert(a.Series.Subject, a.ID), 9)
	it.setAlert(a)
	it[tablekeys.AttrRev] = bytesValue(a.Rev[:])
	it.setExpiry(a.ExpiresAt)
	if a.Status() == storage.AlertOpen {
		it.SetIndex(keys.IndexGSI1, tablekeys.OpenAlert(a.Severity, a.ID, shard))
	}
	return it
}

// Alert is the inverse of FromAlert. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Alert(it Item) (storage.Alert, error) {
	subject, id, err := tablekeys.ParseAlert(it.Key())
	if err != nil {
		return storage.Alert{}, err
	}
	r := newReader(it)
	a := r.alert(subject, id)
	a.Rev = r.bytes16(tablekeys.AttrRev, required)
	a.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	return decoded(&r, a, "alert %s of %s", id, subject)
}

// setAlert sets the attributes that alerts and notifications share.
func (it Item) setAlert(a *storage.Alert) {
	it.setJSON(tablekeys.AttrAlert, a)
	it[tablekeys.AttrKind], it[tablekeys.AttrStream] = stringValue(a.Series.Kind), stringValue(a.Series.Stream)
	it[tablekeys.AttrAt], it[tablekeys.AttrRaised] = timeValue(a.Raised.At), stringValue(a.Raised.ID)
}

func (r *reader) alert(subject model.Subject, id string) (a storage.Alert) {
	r.json(tablekeys.AttrAlert, &a, "is not an alert", required)
	if _, err := ulid.ParseStrict(id); err != nil || a.ID != id {
		r.fail(tablekeys.AttrAlert, "does not match the key")
	}
	a.Series = model.Series{Subject: subject, Kind: r.string(tablekeys.AttrKind, required),
		Stream: r.string(tablekeys.AttrStream, required)}
	a.Raised = model.Order{At: r.time(tablekeys.AttrAt, required), ID: r.string(tablekeys.AttrRaised, required)}
	return a
}

// FromNotification returns the stored form of n. Until it is delivered it is in the first
// index, in the partition of shard.
func FromNotification(n *storage.Notification, shard int) Item {
	it := newItem(tablekeys.Notification(n), 11)
	it.setAlert(&n.Alert)
	it[tablekeys.AttrChange] = stringValue(string(n.Change))
	it[tablekeys.AttrSince] = timeValue(n.At)
	if n.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = Number(n.ExpiresAt)
		return it
	}
	it.SetIndex(keys.IndexGSI1, tablekeys.Outbox(n.At, n.Alert.ID, shard))
	return it
}

// Notification is the inverse of FromNotification. The errors are Alert's.
func Notification(it Item) (storage.Notification, error) {
	subject, id, rev, err := tablekeys.ParseNotification(it.Key())
	if err != nil {
		return storage.Notification{}, err
	}
	r := newReader(it)
	n := storage.Notification{Alert: r.alert(subject, id),
		Change: storage.AlertChange(r.string(tablekeys.AttrChange, required))}
	n.Alert.Rev = rev
	n.At = r.time(tablekeys.AttrSince, required)
	n.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	return decoded(&r, n, "notification of alert %s of %s", id, subject)
}

// FromRule returns the stored form of r.
func FromRule(r *storage.Rule) Item {
	it := newItem(tablekeys.Rule(r), 2)
	it.setJSON(tablekeys.AttrRule, r)
	it.setExpiry(r.ExpiresAt)
	return it
}

// Rule is the inverse of FromRule. The errors are Alert's.
func Rule(it Item) (rule storage.Rule, err error) {
	at, err := tablekeys.ParseRule(it.Key())
	if err != nil || at.Rule == "" {
		return storage.Rule{}, fmt.Errorf("read rule under %.80q: %w", it.Key().SK, keys.ErrKeyForm)
	}
	r := newReader(it)
	r.json(tablekeys.AttrRule, &rule, "is not a rule", required)
	rule.SubjectType = at.SubjectType
	rule.Subject = at.Subject
	rule.Kind = at.Kind
	rule.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if rule.ID() != at.Rule {
		r.fail(tablekeys.AttrRule, "does not match the key")
	}
	return decoded(&r, rule, "rule %s", at.Rule)
}

// OwnRules returns the item that marks, among the rules of a subject type, that some subjects
// have rules of their own for a kind.
func OwnRules(subjectType, kind string) Item {
	return newItem(tablekeys.SubjectRulesMarker(subjectType, kind), 0)
}
