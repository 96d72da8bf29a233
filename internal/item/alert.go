package item

import (
	"encoding/json"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromAlert is the stored form of a. While it is open it stands in the first index, in
// the partition of its severity and of shard.
func FromAlert(a *model.Alert, shard int) Item {
	it := under(keys.Alert(a.Series.Subject, a.ID), 9)
	it.setAlert(a)
	it[keys.AttrRev] = bytesOf(a.Rev[:])
	if a.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(a.ExpiresAt)
	}
	if a.Status() == model.AlertOpen {
		it.SetIndex(keys.IndexGSI1, keys.OpenAlert(a.Severity, a.ID, shard))
	}
	return it
}

// Alert is the way back from FromAlert. Errors wrap keys.ErrForeign, ErrNewer or
// ErrDamaged.
func Alert(it Item) (model.Alert, error) {
	subject, id, err := keys.ParseAlert(it.Key())
	if err != nil {
		return model.Alert{}, err
	}
	r := reader{it: it}
	r.version(required)
	a := r.alert(subject, id)
	a.Rev = r.bytes16(keys.AttrRev, required)
	a.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if r.err != nil {
		return model.Alert{}, fmt.Errorf("read alert %s of %s: %w", id, subject, r.err)
	}
	return a, nil
}

// setAlert stores what alerts and notices of them share.
func (it Item) setAlert(a *model.Alert) {
	encoded, _ := json.Marshal(a) // plain data: cannot fail
	it[keys.AttrAlert] = stringOf(string(encoded))
	it[keys.AttrKind], it[keys.AttrStream] = stringOf(a.Series.Kind), stringOf(a.Series.Stream)
	it[keys.AttrAt], it[keys.AttrRaised] = timeOf(a.Raised.At), stringOf(a.Raised.ID)
}

func (r *reader) alert(subject model.Subject, id string) (a model.Alert) {
	if text := r.string(keys.AttrAlert, required); r.err == nil && json.Unmarshal([]byte(text), &a) != nil {
		r.fail(keys.AttrAlert, "is no alert")
	}
	if _, err := ulid.ParseStrict(id); err != nil || a.ID != id {
		r.fail(keys.AttrAlert, "is another's")
	}
	a.Series = model.Series{Subject: subject, Kind: r.string(keys.AttrKind, required), Stream: r.string(keys.AttrStream, required)}
	a.Raised = model.Order{At: r.time(keys.AttrAt, required), ID: r.string(keys.AttrRaised, required)}
	return a
}

// FromNotice is the stored form of n. Until it is delivered it stands in the first
// index, in the partition of shard.
func FromNotice(n *model.Notice, shard int) Item {
	it := under(keys.Notice(n), 11)
	it.setAlert(&n.Alert)
	it[keys.AttrChange] = stringOf(string(n.Change))
	it[keys.AttrSince] = timeOf(n.At)
	if n.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(n.ExpiresAt)
		return it
	}
	it.SetIndex(keys.IndexGSI1, keys.Outbox(n.At, n.Alert.ID, shard))
	return it
}

// Notice is the way back from FromNotice. Errors are those of Alert.
func Notice(it Item) (model.Notice, error) {
	subject, id, rev, err := keys.ParseNotice(it.Key())
	if err != nil {
		return model.Notice{}, err
	}
	r := reader{it: it}
	r.version(required)
	n := model.Notice{Alert: r.alert(subject, id), Change: model.AlertChange(r.string(keys.AttrChange, required))}
	n.Alert.Rev = rev
	n.At = r.time(keys.AttrSince, required)
	n.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if r.err != nil {
		return model.Notice{}, fmt.Errorf("read notice of alert %s of %s: %w", id, subject, r.err)
	}
	return n, nil
}

// FromRule is the stored form of r.
func FromRule(r *model.Rule) Item {
	it := under(keys.Rule(r), 2)
	encoded, _ := json.Marshal(r) // plain data: cannot fail
	it[keys.AttrRule] = stringOf(string(encoded))
	if r.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(r.ExpiresAt)
	}
	return it
}

// Rule is the way back from FromRule. Errors are those of Alert.
func Rule(it Item) (rule model.Rule, err error) {
	at, err := keys.ParseRule(it.Key())
	if err != nil || at.Rule == "" {
		return model.Rule{}, fmt.Errorf("read rule under %.80q: %w", it.Key().SK, keys.ErrForeign)
	}
	r := reader{it: it}
	r.version(required)
	if text := r.string(keys.AttrRule, required); r.err == nil && json.Unmarshal([]byte(text), &rule) != nil {
		r.fail(keys.AttrRule, "is no rule")
	}
	rule.SubjectType, rule.Subject, rule.Kind = at.SubjectType, at.Subject, at.Kind
	rule.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	if rule.ID() != at.Rule {
		r.fail(keys.AttrRule, "is another's")
	}
	if r.err != nil {
		return model.Rule{}, fmt.Errorf("read rule %s: %w", at.Rule, r.err)
	}
	return rule, nil
}

// OwnRules says among the rules of a subject type that there are subjects with rules of
// their own for a kind.
func OwnRules(subjectType, kind string) Item { return under(keys.OwnRules(subjectType, kind), 0) }
