package protocol

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// reservedText has the words that an expression must not use as the name of an attribute, in upper case.
//
//go:embed reserved.txt
var reservedText string

var reserved = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(reservedText) {
		all[word] = true
	}
	return all
}()

// placeholders are the names and values of a request's expressions, and which of them are used.
type placeholders struct {
	names  map[string]string
	values map[string]item.Value
	used   map[string]bool
	empty  string // a parameter that is an empty map, which DynamoDB rejects; "" for none
}

func newPlaceholders(names map[string]string, values map[string]value) *placeholders {
	p := &placeholders{names: names, values: map[string]item.Value{}, used: map[string]bool{}}
	for name, v := range values {
		p.values[name] = item.Value(v)
	}
	if names != nil && len(names) == 0 {
		p.empty = "ExpressionAttributeNames"
	}
	if values != nil && len(values) == 0 {
		p.empty = "ExpressionAttributeValues"
	}
	return p
}

// check rejects placeholders that are malformed or that no expression of the request uses.
func (p *placeholders) check(expressions bool) error {
	if p.empty != "" && expressions {
		return invalid(p.empty + " must not be empty")
	}
	for what, all := range map[string][]string{"ExpressionAttributeNames": slices.Sorted(maps.Keys(p.names)),
		"ExpressionAttributeValues": slices.Sorted(maps.Keys(p.values))} {
		prefix := map[bool]string{true: "#", false: ":"}[what == "ExpressionAttributeNames"]
		var unused []string
		for _, name := range all {
			if !strings.HasPrefix(name, prefix) || len(name) == 1 || strings.IndexFunc(name[1:], notInName) >= 0 {
				return invalidf(`%s contains invalid key: Syntax error; key: "%s"`, what, name)
			}
			if !p.used[name] {
				unused = append(unused, name)
			}
		}
		switch {
		case len(all) > 0 && !expressions:
			return invalidf("%s can only be specified when using expressions", what)
		case len(unused) > 0:
			return invalidf("Value provided in %s unused in expressions: keys: {%s}", what, strings.Join(unused, ", "))
		}
	}
	return nil
}

func notInName(r rune) bool {
	return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// parser parses one expression.
type parser struct {
	what   string // the parameter, for errors
	tokens []string
	at     int
	*placeholders
}

// parse parses an expression completely.
func parse[T any](what, text string, p *placeholders, rule func(*parser) (T, error)) (result T, err error) {
	tokens, err := tokenize(what, text)
	if err != nil {
		return result, err
	}
	s := &parser{what: what, tokens: tokens, placeholders: p}
	if result, err = rule(s); err == nil && s.at < len(s.tokens) {
		err = s.syntax()
	}
	return result, err
}

// tokenize splits an expression into words, placeholders, numbers and operators.
func tokenize(what, text string) (tokens []string, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalidf("Invalid %s: The expression can not be empty;", what)
	}
	for rest := text; ; {
		if rest = strings.TrimLeft(rest, " \t\r\n"); rest == "" {
			return tokens, nil
		}
		n := 1
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "<>"), strings.HasPrefix(rest, "<="), strings.HasPrefix(rest, ">="):
			n = 2
		case strings.IndexByte("=<>(),+-.[]", c) >= 0:
		case c == '#' || c == ':' || !notInName(rune(c)):
			for n < len(rest) && !notInName(rune(rest[n])) {
				n++
			}
		default:
			return nil, invalidf("Invalid %s: Syntax error; token: %q, near: %q", what, rest[:1],
				near(text, len(text)-len(rest), 1))
		}
		tokens, rest = append(tokens, rest[:n]), rest[n:]
	}
}

func near(text string, at, n int) string { return text[max(0, at-4):min(len(text), at+n+4)] }

// peek returns the next token; "" at the end.
func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

// keyword takes the next token if it is this word, in any case, or this operator.
func (p *parser) take(token string) bool {
	if strings.EqualFold(p.peek(), token) && token != "" && p.at < len(p.tokens) {
		p.at++
		return true
	}
	return false
}

func (p *parser) syntax() error {
	token := p.peek()
	if token == "" {
		token = "<EOF>"
	}
	return invalidf("Invalid %s: Syntax error; token: %q, near: %q", p.what, token,
		strings.Join(p.tokens[max(0, p.at-1):min(len(p.tokens), p.at+2)], " "))
}

// name parses the name of an attribute.
func (p *parser) name() (string, error) {
	token := p.peek()
	if token == "" || notInName(rune(token[0])) && token[0] != '#' || token[0] >= '0' && token[0] <= '9' {
		return "", p.syntax()
	}
	p.at++
	name := token
	if token[0] == '#' {
		var ok bool
		if name, ok = p.names[token]; !ok {
			return "", invalidf("Invalid %s: An expression attribute name used in the document path is "+
				"not defined; attribute name: %s", p.what, token)
		}
		p.used[token] = true
	} else if reserved[strings.ToUpper(token)] {
		return "", invalidf("Invalid %s: Attribute name is a reserved keyword; reserved keyword: %s", p.what, token)
	}
	if next := p.peek(); next == "." || next == "[" {
		return "", unknown(fmt.Sprintf("the path %s%s… in %s: a part of a list or a map", token, next, p.what))
	}
	return name, nil
}

// operand parses an attribute or a value.
func (p *parser) operand() (engine.Operand, error) {
	token := p.peek()
	if !strings.HasPrefix(token, ":") {
		if p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "(" {
			return engine.Operand{}, p.function(token)
		}
		name, err := p.name()
		return engine.Attr(name), err
	}
	p.at++
	v, ok := p.values[token]
	if !ok {
		return engine.Operand{},
			invalidf("Invalid %s: An expression attribute value used in expression is not defined; "+
				"attribute value: %s", p.what, token)
	}
	p.used[token] = true
	return engine.Value(v), nil
}

// notHere are functions of DynamoDB that the engine does not have.
var notHere = []string{"size", "contains", "attribute_type", "list_append"}

// function returns the error of a function that is not expected here.
func (p *parser) function(name string) error {
	if slices.Contains(notHere, name) {
		return unknown(fmt.Sprintf("the function %s in %s", name, p.what))
	}
	if slices.Contains([]string{"attribute_exists", "attribute_not_exists", "begins_with", "if_not_exists"},
		name) {
		return invalidf("Invalid %s: The function is not allowed to be used this way in an expression; "+
			"function: %s", p.what, name)
	}
	return invalidf("Invalid %s: Invalid function name; function: %s", p.what, name)
}
