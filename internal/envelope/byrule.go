package envelope

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// ErrRule reports a message that an IoT rule cannot evaluate, so that it never reaches ingest.
var ErrRule = errors.New("the message is not JSON: the rule of its topic cannot add the subject to it")

// ByRule returns what the IoT rule of a topic sends to ingest for a message that was published to
// the topic of a kind and subject, as infra declares the rules: FromDevice decodes it. batch is true
// for the topic of batches, whose messages may be anything. Other messages get the fields of the
// rule, which replace fields of the same names, if they are objects. The error is ErrRule.
func ByRule(message []byte, kind, subject string, batch bool) ([]byte, error) {
	shape := shapeOf(message)
	switch {
	case batch:
		return json.Marshal(map[string]string{
			RuleBatch: base64.StdEncoding.EncodeToString(message), RuleSubject: subject, RuleKind: kind,
		})
	case !json.Valid(message):
		return nil, ErrRule
	case shape == nil:
		return message, nil
	}
	fields := map[string]any{}
	for name, value := range shape {
		fields[name] = value
	}
	fields[RuleSubject], fields[RuleKind] = subject, kind
	return json.Marshal(fields)
}

// topics are those of kinds: TOPIC/devices/ID/readings, for a batch with /batch at its end, for Basic
// Ingest with $aws/rules/RULE/ at its start. Any first level is accepted.
var topics = regexp.MustCompile(`^(?:\$aws/rules/[^/]+/)?[^/]+/([^/]+)/([^/]+)/([^/]+)(/batch)?$`)

// FindTopic returns the kind and subject of a topic, and whether it is for batches.
func FindTopic(kinds *catalog.Catalog, topic string) (kind *catalog.Kind, subject string, batch, ok bool) {
	found := topics.FindStringSubmatch(topic)
	if found == nil {
		return nil, "", false, false
	}
	kind, ok = kinds.ByPath(found[3])
	return kind, found[2], found[4] != "", ok && kind.Subject.Path == found[1]
}
