package envelope

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// ErrRule reports a message that an IoT rule cannot evaluate, so that it never reaches ingest.
var ErrRule = errors.New("the message is not JSON: the rule of its topic cannot add the subject to it")

// ByRule returns what the IoT rule of a topic sends to ingest for a message that was published to
// the topic of a kind and subject, as infra declares the rules: FromDevice decodes it. batch is true
// for the topic of batches, whose messages may be anything. Other messages get the fields of the
// rule, which replace fields of the same names, if they are objects. The error is ErrRule.
func ByRule(message []byte, kind, subject string, batch bool) ([]byte, error) {
	shape := detectShape(message)
	switch {
	case batch:
		return json.Marshal(map[string]string{
			RuleBatch: base64.StdEncoding.EncodeToString(message), RuleSubject: subject, RuleKind: kind,
		})
	case !json.Valid(message):
		if err := ingest.CheckForeign(message); err != nil {
			return nil, fmt.Errorf("%w; %w", ErrRule, err)
		}
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

// Arrived returns the payload of a rule with the fields by which deployed rules say when a message arrived,
// and which row of sources maps it; source may be "". A payload that is no object is returned unchanged.
func Arrived(payload []byte, source string, at time.Time) []byte {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(payload), []byte("{"))
	if !ok {
		return payload
	}
	mark := `{"` + RuleTime + `":` + strconv.FormatInt(at.UnixMilli(), 10)
	if source != "" {
		mark += `,"` + RuleSource + `":"` + source + `"` // FindTopic returns plain names
	}
	if rest = bytes.TrimSpace(rest); !bytes.HasPrefix(rest, []byte("}")) {
		mark += ","
	}
	return append([]byte(mark), rest...)
}

// Topic is what a topic says of its messages.
type Topic struct {
	Kind    *catalog.Kind
	Subject string
	Source  string // the row of sources that maps them, "" for observations
	Batch   bool   // they are arrays
}

// topics have this form: TOPIC/devices/ID/readings, with /batch at its end for a batch and /from/SOURCE,
// and any further levels, for messages of a source; for Basic Ingest with $aws/rules/RULE/ at its start. Any
// first level is accepted.
var topics = regexp.MustCompile(`^(?:\$aws/rules/[^/]+/)?[^/]+/([^/]+)/([^/]+)/([^/]+)` +
	`(/batch|/from/([a-z0-9_-]+)(?:/.*)?)?$`)

// FindTopic returns what a topic says. ok is false if no kind has it.
func FindTopic(kinds *catalog.Catalog, topic string) (t Topic, ok bool) {
	found := topics.FindStringSubmatch(topic)
	if found == nil {
		return t, false
	}
	kind, ok := kinds.ByPath(found[3])
	t = Topic{Kind: kind, Subject: found[2], Source: found[5], Batch: found[4] == "/batch"}
	return t, ok && kind.Subject.Path == found[1]
}

// NoKind returns why no kind has a topic, and what to do.
func NoKind(topic string) string {
	if strings.HasPrefix(topic, "spBv1.0/") {
		return "topics of Sparkplug B are not read, because their payloads are protobuf: " +
			"decode them in the broker or in Node-RED, and publish JSON to TOPIC/devices/ID/readings"
	}
	return "no kind has this topic: " +
		"publish to TOPIC/devices/ID/readings, or to the path of another subject and kind"
}
