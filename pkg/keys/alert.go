package keys

import (
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Classes of what alerts leave. Alerts, states and notices stand in their subject's
// partition, and go with it.
const (
	// ClassRule begins the sort keys of a subject's rules and of the states of its
	// series, and the partition of the rules that a whole subject type has.
	ClassRule   = "RULE"
	ClassNotice = "NOTICE" // of changes of alerts that are to be told
	ClassOpen   = "OPEN"   // of the index partitions that list open alerts
	classOutbox = "OUTBOX" // of the index partitions that list notices
)

// What stands beside each other in the partitions of rules.
const (
	partRule  = "RULE"
	partState = "STATE"
	partOwn   = "SUBJECTS"
)

// RulePrefix begins the sort keys of a subject's rules and states and of nothing else.
const RulePrefix = ClassRule + string(separator)

// NoticePrefix begins the sort key of every notice and of nothing else.
const NoticePrefix = ClassNotice + string(separator)

// Alert is the key of an alert. Byte order of the sort keys is the order of the events
// that raised them, to the millisecond.
func Alert(s model.Subject, id string) Key { return Key{SubjectPartition(s), join(ClassAlert, id)} }

// ParseAlert is the way back from Alert.
func ParseAlert(k Key) (s model.Subject, id string, err error) {
	var series model.Series
	var p [2]string
	err = parse(k, ClassAlert, &series, p[:])
	if err != nil || p[1] == "" || series.Shard != 0 {
		return model.Subject{}, "", foreign(k, ClassAlert, err)
	}
	return series.Subject, p[1], nil
}

// RulePartition is where the rules of a subject type stand, those of all its kinds.
func RulePartition(subjectType string) string { return join(ClassRule, subjectType) }

// Rule is the key of a rule: in its subject's partition, or in that of the subject type.
func Rule(r *model.Rule) Key {
	if r.Subject == "" {
		return Key{RulePartition(r.SubjectType), join(r.Kind, partRule, r.ID())}
	}
	subject := model.Subject{Type: r.SubjectType, ID: r.Subject}
	return Key{SubjectPartition(subject), join(ClassRule, r.Kind, partRule, r.ID())}
}

// RulesPrefix begins the sort keys of a subject's rules and states of a kind.
func RulesPrefix(kind string) string { return join(ClassRule, kind, "") }

// OwnRules is the key of what says, among the rules of a subject type, that there are
// subjects with rules of their own for a kind.
func OwnRules(subjectType, kind string) Key {
	return Key{RulePartition(subjectType), join(kind, partOwn)}
}

// AlertState is the key of how far the rules of a series have been tested.
func AlertState(s model.Series) Key {
	return Key{SubjectPartition(s.Subject), join(ClassRule, s.Kind, partState, s.Stream)}
}

// RuleItem is what a key among rules says.
type RuleItem struct {
	SubjectType, Subject string // Subject is "" among the rules of a subject type
	Kind                 string
	Rule                 string // the rule's ID, where it is one
	State                bool   // where it is the state of a series of Subject
	Stream               string // of which
}

// ParseRule is the way back from Rule, OwnRules and AlertState: neither a Rule nor a
// State is what OwnRules made.
func ParseRule(k Key) (r RuleItem, err error) {
	var head [3]string
	if n, err := split(k.PK, head[:]); err == nil && n == 2 && head[0] == ClassRule {
		r.SubjectType = head[1]
	} else {
		var series model.Series
		if err := parsePartition(k.PK, &series); err != nil || series.Shard != 0 {
			return RuleItem{}, foreign(k, ClassRule, err)
		}
		r.SubjectType, r.Subject = series.Subject.Type, series.Subject.ID
	}
	var p [4]string
	n, err := split(k.SK, p[:])
	parts := p[:n]
	if err == nil && r.Subject != "" {
		if n < 1 || p[0] != ClassRule {
			err = errors.New("the sort key has another form")
		} else {
			parts = p[1:n]
		}
	}
	switch {
	case err != nil:
	case len(parts) == 3 && parts[1] == partRule && parts[2] != "":
		r.Kind, r.Rule = parts[0], parts[2]
	case len(parts) == 3 && parts[1] == partState && r.Subject != "":
		r.Kind, r.State, r.Stream = parts[0], true, parts[2]
	case len(parts) == 2 && parts[1] == partOwn && r.Subject == "":
		r.Kind = parts[0]
	default:
		err = errors.New("the sort key has another form")
	}
	if err != nil || r.Kind == "" {
		return RuleItem{}, foreign(k, ClassRule, err)
	}
	return r, nil
}

// Notice is the key of what is to be told of an alert: one for each write of it.
func Notice(n *model.Notice) Key {
	return Key{SubjectPartition(n.Alert.Series.Subject), join(ClassNotice, n.Alert.ID, hex.EncodeToString(n.Alert.Rev[:]))}
}

// ParseNotice is the way back from Notice: whose, and of which alert.
func ParseNotice(k Key) (s model.Subject, alert string, rev [16]byte, err error) {
	var series model.Series
	var p [3]string
	err = parse(k, ClassNotice, &series, p[:])
	if err == nil && len(p[2]) != 2*len(rev) {
		err = errors.New("its nonce has another length")
	}
	if err == nil {
		_, err = hex.Decode(rev[:], []byte(p[2]))
	}
	if err != nil || p[1] == "" || series.Shard != 0 {
		return model.Subject{}, "", rev, foreign(k, ClassNotice, err)
	}
	return series.Subject, p[1], rev, nil
}

// OpenAlert is where an open alert stands in the first index: with the others of its
// severity, over so many partitions that a storm of them makes none hot.
func OpenAlert(severity model.Severity, id string, shard int) Key {
	return Key{OpenPartition(severity, shard), join(id)}
}

// OpenPartition is where open alerts of a severity are found.
func OpenPartition(severity model.Severity, shard int) string {
	return join(ClassOpen, string(severity), strconv.Itoa(shard))
}

// Outbox is where a notice that is not delivered stands in the first index, oldest first.
func Outbox(at model.Time, alert string, shard int) Key {
	return Key{OutboxPartition(shard), join(at.String(), alert)}
}

// OutboxPartition is where notices that are not delivered are found.
func OutboxPartition(shard int) string { return join(classOutbox, strconv.Itoa(shard)) }
