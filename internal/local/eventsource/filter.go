package eventsource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Filter is the filter criteria of a mapping. A record passes if it matches at least one
// pattern. An empty Filter passes every record.
type Filter []pattern

// pattern is one compiled filter pattern. Every member must match.
type pattern struct{ members []member }

// member matches one member of an object: by a pattern if the member is an object, otherwise
// by a list of conditions, one of which must be true.
type member struct {
	name       string
	object     *pattern
	conditions []condition
}

// condition reports whether a value passes. raw is nil if the member does not exist.
type condition func(raw []byte) bool

// ParseFilter compiles patterns written in JSON. It supports literal values, prefix, suffix,
// equals-ignore-case, anything-but with literals, and exists. Other operators are an error:
// ignoring them would test a different filter than the one that is deployed.
func ParseFilter(patterns ...string) (Filter, error) {
	var f Filter
	for _, text := range patterns {
		p, err := parsePattern([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("filter pattern %s: %w", text, err)
		}
		f = append(f, *p)
	}
	return f, nil
}

// Match reports whether a record passes. body must be well-formed JSON.
func (f Filter) Match(body []byte) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(p pattern) bool { return p.match(body) })
}

func (p *pattern) match(object []byte) bool {
	for _, m := range p.members {
		raw := find(object, m.name)
		if m.object != nil {
			if !m.object.match(raw) {
				return false
			}
		} else if !anyTrue(m.conditions, raw) {
			return false
		}
	}
	return true
}

func anyTrue(conditions []condition, raw []byte) bool {
	return slices.ContainsFunc(conditions, func(c condition) bool { return c(raw) })
}

func parsePattern(text []byte) (*pattern, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	p := &pattern{}
	for name, raw := range members {
		m, err := parseMember(name, raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.members = append(p.members, m)
	}
	if len(p.members) == 0 {
		return nil, errors.New("an object without members matches nothing")
	}
	return p, nil
}

func parseMember(name string, raw json.RawMessage) (member, error) {
	m := member{name: name}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		object, err := parsePattern(raw)
		m.object = object
		return m, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return m, errors.New("want an object, or a list of conditions")
	}
	for _, raw := range list {
		c, err := parseCondition(raw)
		if err != nil {
			return m, err
		}
		m.conditions = append(m.conditions, c)
	}
	return m, nil
}

func parseCondition(raw json.RawMessage) (condition, error) {
	var rule map[string]json.RawMessage
	if json.Unmarshal(raw, &rule) != nil || rule == nil {
		return literal(raw), nil
	}
	if len(rule) == 1 {
		for name, arg := range rule {
			if name == "exists" {
				var want bool
				err := json.Unmarshal(arg, &want)
				return func(raw []byte) bool { return (raw != nil) == want }, err
			}
			if name == "anything-but" {
				return anythingBut(arg)
			}
			if compare, ok := textRules[name]; ok {
				var want string
				err := json.Unmarshal(arg, &want)
				return onText(func(got string) bool { return compare(got, want) }), err
			}
		}
	}
	return nil, fmt.Errorf(
		"condition %s: want a literal, prefix, suffix, equals-ignore-case, anything-but or exists", raw)
}

var textRules = map[string]func(got, want string) bool{
	"prefix":             strings.HasPrefix,
	"suffix":             strings.HasSuffix,
	"equals-ignore-case": strings.EqualFold,
}

// literal returns a condition that is true for the same value. Strings are compared after
// decoding, other values as written: a table stream writes numbers as strings.
func literal(want json.RawMessage) condition {
	var text string
	if len(want) > 0 && want[0] == '"' && json.Unmarshal(want, &text) == nil {
		return onText(func(got string) bool { return got == text })
	}
	want = bytes.TrimSpace(want)
	return func(raw []byte) bool { return bytes.Equal(raw, want) }
}

// anythingBut returns a condition that is true for a value that exists and is none of the literals.
func anythingBut(arg json.RawMessage) (condition, error) {
	var list []json.RawMessage
	if json.Unmarshal(arg, &list) != nil {
		list = []json.RawMessage{arg}
	}
	var not []condition
	for _, raw := range list {
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			return nil, fmt.Errorf("anything-but %s: want literals", raw)
		}
		not = append(not, literal(raw))
	}
	return func(raw []byte) bool { return raw != nil && !anyTrue(not, raw) }, nil
}

// onText returns a condition that is true if the value is a string and rule is true for it.
func onText(rule func(string) bool) condition {
	return func(raw []byte) bool {
		got, ok := decodeString(raw)
		return ok && rule(got)
	}
}
