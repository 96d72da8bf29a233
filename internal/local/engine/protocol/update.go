package protocol

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// updates are the clauses of an UpdateExpression.
type updates struct {
	set    []engine.Assignment
	remove []string
}

const updateWhat = "UpdateExpression"

// parseUpdate parses an UpdateExpression.
func parseUpdate(text *string, p *placeholders) (u updates, err error) {
	if text == nil {
		return u, nil
	}
	if u, err = parse(updateWhat, *text, p, (*parser).clauses); err != nil {
		return u, err
	}
	seen := map[string]bool{}
	for _, name := range u.names() {
		if seen[name] {
			return u, invalidf("Invalid UpdateExpression: Two document paths overlap with each other; "+
				"must remove or rewrite one of these paths; path one: [%s], path two: [%s]", name, name)
		}
		seen[name] = true
	}
	return u, nil
}

// checkKeys rejects updates of the attributes of the key.
func (u *updates) checkKeys(schema *engine.Schema) error {
	for _, name := range u.names() {
		if schema.IsKey(name) {
			return invalidf("One or more parameter values were invalid: Cannot update attribute %s. "+
				"This attribute is part of the key", name)
		}
	}
	return nil
}

func (u *updates) names() (all []string) {
	for _, s := range u.set {
		all = append(all, s.Attr)
	}
	return append(all, u.remove...)
}

func (p *parser) clauses() (u updates, err error) {
	seen := map[string]bool{}
	for err == nil && p.at < len(p.tokens) {
		word := strings.ToUpper(p.peek())
		if seen[word] {
			return u, invalidf(`Invalid UpdateExpression: The %q section can only be used once in an `+
				`update expression;`, word)
		}
		seen[word] = true
		p.at++
		switch word {
		case "SET":
			err = p.list(func() error { return p.assignment(&u) })
		case "REMOVE":
			err = p.list(func() error {
				name, err := p.name()
				u.remove = append(u.remove, name)
				return err
			})
		case "ADD":
			err = p.list(func() error { return p.addition(&u) })
		case "DELETE":
			return u, unknown("the clause " + word + " in UpdateExpression")
		default:
			p.at--
			return u, p.syntax()
		}
	}
	return u, err
}

// list parses what is separated by commas.
func (p *parser) list(one func() error) error {
	for {
		if err := one(); err != nil || !p.take(",") {
			return err
		}
	}
}

func (p *parser) assignment(u *updates) (err error) {
	var a engine.Assignment
	if a.Attr, err = p.name(); err != nil {
		return err
	}
	if !p.take("=") {
		return p.syntax()
	}
	if p.peek() == "if_not_exists" && p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "(" {
		err = p.ifNotExists(&a)
	} else {
		a.To, err = p.operand()
	}
	if next := p.peek(); err == nil && (next == "+" || next == "-") {
		p.at++
		a.Minus = next == "-"
		var number engine.Operand
		if number, err = p.operand(); err == nil {
			err = checkNumbers(next, number)
		}
		if err == nil && a.Once == "" {
			err = checkNumbers(next, a.To)
		}
		a.Plus = &number
	}
	u.set = append(u.set, a)
	return err
}

// addition parses what ADD adds to an attribute, which is 0 if the item does not have it.
func (p *parser) addition(u *updates) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	number, err := p.operand()
	switch typ := number.Value.Type; {
	case err != nil:
		return err
	case number.Attr != "":
		return p.syntax()
	case typ == item.Other:
		return unknown("a set in the clause ADD in UpdateExpression")
	}
	if err := checkNumbers("ADD", number); err != nil {
		return err
	}
	u.set = append(u.set, engine.Assignment{Attr: name, Once: name, Plus: &number,
		To: engine.Value(item.Value{Type: item.N, S: "0"})})
	return nil
}

// checkNumbers rejects a value of another type as an operand. What an attribute has is known later.
func checkNumbers(operator string, operands ...engine.Operand) error {
	for _, o := range operands {
		if o.Attr == "" && o.Value.Type != item.N {
			return invalidf("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: %s",
				operator)
		}
	}
	return nil
}

// ifNotExists parses if_not_exists(attribute, operand).
func (p *parser) ifNotExists(a *engine.Assignment) (err error) {
	p.at += 2
	if a.Once, err = p.name(); err != nil {
		return err
	}
	if !p.take(",") {
		return p.syntax()
	}
	if a.To, err = p.operand(); err == nil && !p.take(")") {
		err = p.syntax()
	}
	if err == nil && a.To.Attr == a.Once {
		err = invalidf("Invalid UpdateExpression: The first operand must be distinct from the remaining "+
			"operands for this operator or function; operator: if_not_exists, first operand: [%s]", a.Once)
	}
	return err
}
