package item

import (
	"encoding/json"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromAlert returns the stored form of a. An open alert is in the first index, in the
// partition of its severity and of shard.
func FromAlert(a *entity.Alert, shard int) Item {
	it := newItem(tablekeys.Alert(a.Series.Subject, a.ID), 9)
	it.setAlert(a)
	it[tablekeys.AttrRev] = bytesOf(a.Rev[:])
	if a.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(a.ExpiresAt)
	}
	if a.Status() == entity.AlertOpen {
		it.SetIndex(keys.IndexGSI1, tablekeys.OpenAlert(a.Severity, a.ID, shard))
	}
	return it
}

// Alert is the inverse of FromAlert. Errors wrap keys.ErrKeyForm, ErrNewer or
// ErrDamaged.
func Alert(it Item) (entity.Alert, error) {
	subject, id, err := tablekeys.ParseAlert(it.Key())
	if err != nil {
		return entity.Alert{}, err
	}
	r := reader{it: it}
	r.version(required)
	a := r.alert(subject, id)
	a.Rev = r.bytes16(tablekeys.AttrRev, required)
	a.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if r.err != nil {
		return entity.Alert{}, fmt.Errorf("read alert %s of %s: %w", id, subject, r.err)
	}
	return a, nil
}

// setAlert sets the attributes that alerts and notifications share.
func (it Item) setAlert(a *entity.Alert) {
	encoded, _ := json.Marshal(a) // plain data: cannot fail
	it[tablekeys.AttrAlert] = stringOf(string(encoded))
	it[tablekeys.AttrKind], it[tablekeys.AttrStream] = stringOf(a.Series.Kind), stringOf(a.Series.Stream)
	it[tablekeys.AttrAt], it[tablekeys.AttrRaised] = timeOf(a.Raised.At), stringOf(a.Raised.ID)
}

func (r *reader) alert(subject model.Subject, id string) (a entity.Alert) {
	if text := r.string(tablekeys.AttrAlert, required); r.err == nil && json.Unmarshal([]byte(text), &a) != nil {
		r.fail(tablekeys.AttrAlert, "is not an alert")
	}
	if _, err := ulid.ParseStrict(id); err != nil || a.ID != id {
		r.fail(tablekeys.AttrAlert, "does not match the key")
	}
	a.Series = model.Series{Subject: subject, Kind: r.string(tablekeys.AttrKind, required), Stream: r.string(tablekeys.AttrStream, required)}
	a.Raised = model.Order{At: r.time(tablekeys.AttrAt, required), ID: r.string(tablekeys.AttrRaised, required)}
	return a
}

// FromNotification returns the stored form of n. Until it is delivered it is in the first
// index, in the partition of shard.
func FromNotification(n *entity.Notification, shard int) Item {
	it := newItem(tablekeys.Notification(n), 11)
	it.setAlert(&n.Alert)
	it[tablekeys.AttrChange] = stringOf(string(n.Change))
	it[tablekeys.AttrSince] = timeOf(n.At)
	if n.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(n.ExpiresAt)
		return it
	}
	it.SetIndex(keys.IndexGSI1, tablekeys.Outbox(n.At, n.Alert.ID, shard))
	return it
}

// Notification is the inverse of FromNotification. Errors are those of Alert.
func Notification(it Item) (entity.Notification, error) {
	subject, id, rev, err := tablekeys.ParseNotification(it.Key())
	if err != nil {
		return entity.Notification{}, err
	}
	r := reader{it: it}
	r.version(required)
	n := entity.Notification{Alert: r.alert(subject, id), Change: entity.AlertChange(r.string(tablekeys.AttrChange, required))}
	n.Alert.Rev = rev
	n.At = r.time(tablekeys.AttrSince, required)
	n.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if r.err != nil {
		return entity.Notification{}, fmt.Errorf("read notification of alert %s of %s: %w", id, subject, r.err)
	}
	return n, nil
}

// FromRule returns the stored form of r.
func FromRule(r *entity.Rule) Item {
	it := newItem(tablekeys.Rule(r), 2)
	encoded, _ := json.Marshal(r) // plain data: cannot fail
	it[tablekeys.AttrRule] = stringOf(string(encoded))
	if r.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(r.ExpiresAt)
	}
	return it
}

// Rule is the inverse of FromRule. Errors are those of Alert.
func Rule(it Item) (rule entity.Rule, err error) {
	at, err := tablekeys.ParseRule(it.Key())
	if err != nil || at.Rule == "" {
		return entity.Rule{}, fmt.Errorf("read rule under %.80q: %w", it.Key().SK, keys.ErrKeyForm)
	}
	r := reader{it: it}
	r.version(required)
	if text := r.string(tablekeys.AttrRule, required); r.err == nil && json.Unmarshal([]byte(text), &rule) != nil {
		r.fail(tablekeys.AttrRule, "is not a rule")
	}
	rule.SubjectType, rule.Subject, rule.Kind = at.SubjectType, at.Subject, at.Kind
	rule.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if rule.ID() != at.Rule {
		r.fail(tablekeys.AttrRule, "does not match the key")
	}
	if r.err != nil {
		return entity.Rule{}, fmt.Errorf("read rule %s: %w", at.Rule, r.err)
	}
	return rule, nil
}

// OwnRules returns the item that marks, among the rules of a subject type, that some subjects
// have rules of their own for a kind.
func OwnRules(subjectType, kind string) Item {
	return newItem(tablekeys.SubjectRulesMarker(subjectType, kind), 0)
}
