package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassRule begins the sort keys of the rules of a subject and of the states of its
// series. It also begins the partition keys of the rules of subject types.
const ClassRule = reserved.Rule

// RulePrefix begins the sort key of every rule and state in the partition of a subject, and of no other item.
const RulePrefix = ClassRule + string(separator)

// The sort key of an item among rules has one of these parts after the kind.
const (
	partRule     = "RULE"
	partState    = "STATE"
	partSubjects = "SUBJECTS"
)

// RulePartition returns the partition key of the rules of a subject type, for all kinds.
func RulePartition(subjectType string) string { return keyparts.Join(ClassRule, subjectType) }

// Rule returns the key of a rule: in the partition of its subject, or of its subject type if it
// names no subject.
func Rule(r *storage.Rule) keys.Key {
	if r.Subject == "" {
		return keys.Key{PK: RulePartition(r.SubjectType), SK: keyparts.Join(r.Kind, partRule, r.ID())}
	}
	subject := model.Subject{Type: r.SubjectType, ID: r.Subject}
	return keys.Key{PK: keys.SubjectPartition(subject), SK: keyparts.Join(ClassRule, r.Kind, partRule, r.ID())}
}

// RulesPrefix returns the prefix of the sort keys of a subject's rules and states of a kind.
func RulesPrefix(kind string) string { return keyparts.Join(ClassRule, kind, "") }

// SubjectRulesMarker returns the key of the marker, among the rules of a subject type,
// which says that some subjects have rules of their own for a kind.
func SubjectRulesMarker(subjectType, kind string) keys.Key {
	return keys.Key{PK: RulePartition(subjectType), SK: keyparts.Join(kind, partSubjects)}
}

// AlertState returns the key of the state of a series: the positions up to which its rules were evaluated.
func AlertState(s model.Series) keys.Key {
	return keys.Key{PK: keys.SubjectPartition(s.Subject),
		SK: keyparts.Join(ClassRule, s.Kind, partState, s.Stream)}
}

// RuleItem is the content of a key of Rule, SubjectRulesMarker or AlertState.
type RuleItem struct {
	SubjectType, Subject string // Subject is "" in the partition of a subject type
	Kind                 string
	Rule                 string // id of the rule; "" if the key is not a rule's
	State                bool   // whether the key is of the state of a series
	Stream               string // stream of the series, if State
}

// ParseRule is the inverse of Rule, SubjectRulesMarker and AlertState. If Rule is empty
// and State is false, the key is a marker's.
func ParseRule(k keys.Key) (r RuleItem, err error) {
	var head [3]string
	if n, err := keyparts.Split(k.PK, head[:]); err == nil && n == 2 && head[0] == ClassRule {
		r.SubjectType = head[1]
	} else {
		subject, err := parseSubjectPartition(k.PK)
		if err != nil {
			return RuleItem{}, formError(k, ClassRule, err)
		}
		r.SubjectType, r.Subject = subject.Type, subject.ID
	}
	var p [4]string
	n, err := keyparts.Split(k.SK, p[:])
	parts := p[:n]
	if err == nil && r.Subject != "" {
		if n < 1 || p[0] != ClassRule {
			err = errForm
		} else {
			parts = p[1:n]
		}
	}
	if err == nil {
		err = r.setParts(parts)
	}
	if err != nil || r.Kind == "" {
		return RuleItem{}, formError(k, ClassRule, err)
	}
	return r, nil
}

// setParts sets the fields that the parts of a sort key from the kind on determine.
func (r *RuleItem) setParts(parts []string) error {
	switch {
	case len(parts) == 3 && parts[1] == partRule && parts[2] != "":
		r.Kind, r.Rule = parts[0], parts[2]
	case len(parts) == 3 && parts[1] == partState && r.Subject != "":
		r.Kind = parts[0]
		r.State = true
		r.Stream = parts[2]
	case len(parts) == 2 && parts[1] == partSubjects && r.Subject == "":
		r.Kind = parts[0]
	default:
		return errForm
	}
	return nil
}
