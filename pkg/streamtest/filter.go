package streamtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Filter is a list of patterns as a mapping's filter criteria hold them: a record
// passes that matches any of them. No patterns let everything pass.
type Filter []Pattern

// Pattern is one filter pattern, compiled: the members of an object, all of which
// must match.
type Pattern struct{ members []member }

// member is a rule on one member of an object: a pattern where that is an object too,
// else conditions of which one must hold.
type member struct {
	name       string
	object     *Pattern
	conditions []condition
}

// condition says whether a value passes; raw is nil where there is none.
type condition func(raw []byte) bool

// ParseFilter compiles patterns written in JSON. It knows literal values, prefix,
// suffix, equals-ignore-case, anything-but with literals, and exists; a pattern with
// anything else is an error, since letting it pass would test another filter than the
// one that deploys.
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

// Match reports whether a record passes. body is well-formed JSON.
func (f Filter) Match(body []byte) bool {
	for i := range f {
		if f[i].match(body) {
			return true
		}
	}
	return len(f) == 0
}

func (p *Pattern) match(object []byte) bool {
	for _, m := range p.members {
		raw := find(object, m.name)
		if m.object != nil {
			if !m.object.match(raw) {
				return false
			}
		} else if !holds(m.conditions, raw) {
			return false
		}
	}
	return true
}

func holds(any []condition, raw []byte) bool {
	for _, c := range any {
		if c(raw) {
			return true
		}
	}
	return false
}

func parsePattern(text []byte) (*Pattern, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	p := &Pattern{}
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
	return nil, fmt.Errorf("condition %s: want a literal, prefix, suffix, equals-ignore-case, anything-but or exists", raw)
}

var textRules = map[string]func(got, want string) bool{
	"prefix":             strings.HasPrefix,
	"suffix":             strings.HasSuffix,
	"equals-ignore-case": strings.EqualFold,
}

// literal holds for the same value. Strings are compared as decoded, the rest as
// written: numbers arrive as strings in a table stream anyway.
func literal(want json.RawMessage) condition {
	var text string
	if len(want) > 0 && want[0] == '"' && json.Unmarshal(want, &text) == nil {
		return onText(func(got string) bool { return got == text })
	}
	want = bytes.TrimSpace(want)
	return func(raw []byte) bool { return bytes.Equal(raw, want) }
}

// anythingBut holds for a value that is there and is none of the literals.
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
	return func(raw []byte) bool { return raw != nil && !holds(not, raw) }, nil
}

// onText holds where the value is a string and the rule does.
func onText(rule func(string) bool) condition {
	return func(raw []byte) bool {
		got, ok := textOf(raw)
		return ok && rule(got)
	}
}
