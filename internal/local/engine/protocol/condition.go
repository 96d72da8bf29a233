package protocol

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// condition parses a ConditionExpression; nil if there is none.
func condition(what string, text *string, p *placeholders) (engine.Condition, error) {
	if text == nil {
		return nil, nil
	}
	c, err := parse(what, *text, p, (*parser).or)
	if err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, invalidf("Invalid %s: %v", what, err)
	}
	return c, nil
}

func (p *parser) or() (engine.Condition, error) {
	return p.chain("OR", (*parser).and, func(all []engine.Condition) engine.Condition { return engine.Any(all) })
}

func (p *parser) and() (engine.Condition, error) {
	return p.chain("AND", (*parser).not, func(all []engine.Condition) engine.Condition {
		return engine.All(all)
	})
}

func (p *parser) chain(word string, rule func(*parser) (engine.Condition, error),
	join func([]engine.Condition) engine.Condition) (engine.Condition, error) {
	var all []engine.Condition
	for {
		one, err := rule(p)
		if err != nil {
			return nil, err
		}
		if all = append(all, one); p.take(word) {
			continue
		}
		if len(all) == 1 {
			return one, nil
		}
		return join(all), nil
	}
}

func (p *parser) not() (engine.Condition, error) {
	if !p.take("NOT") {
		return p.primary()
	}
	inner, err := p.not()
	return engine.Not{Condition: inner}, err
}

// primary parses a comparison, a function or parentheses.
func (p *parser) primary() (engine.Condition, error) {
	if p.take("(") {
		if p.peek() == "(" && p.redundant() {
			return nil, invalidf("Invalid %s: The expression has redundant parentheses;", p.what)
		}
		inner, err := p.or()
		if err == nil && !p.take(")") {
			err = p.syntax()
		}
		return inner, err
	}
	if p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "(" {
		return p.call()
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	switch op := model.Op(p.peek()); {
	case p.take("BETWEEN"):
		return p.between(left)
	case slices.Contains(
		[]model.Op{model.Equal, model.NotEqual, model.Less, model.AtMost, model.Greater, model.AtLeast}, op):
		p.at++
		right, err := p.operand()
		return engine.Compare{Left: left, Op: op, Right: right}, err
	case p.take("IN"):
		return nil, unknown("the operator IN in " + p.what)
	default:
		return nil, p.syntax()
	}
}

func (p *parser) between(v engine.Operand) (engine.Condition, error) {
	low, err := p.operand()
	if err != nil {
		return nil, err
	}
	if !p.take("AND") {
		return nil, p.syntax()
	}
	high, err := p.operand()
	return engine.Between{Value: v, Low: low, High: high}, err
}

// call parses one of the functions that are conditions.
func (p *parser) call() (engine.Condition, error) {
	function := p.peek()
	switch function {
	case "attribute_exists", "attribute_not_exists", "begins_with":
	default:
		return nil, p.function(function)
	}
	p.at += 2
	if function == "begins_with" {
		left, err := p.operand()
		if err != nil {
			return nil, err
		}
		if !p.take(",") {
			return nil, p.syntax()
		}
		right, err := p.operand()
		if err == nil && !p.take(")") {
			err = p.syntax()
		}
		return engine.Compare{Left: left, Op: model.Begins, Right: right}, err
	}
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.syntax()
	}
	if function == "attribute_exists" {
		return engine.Exists(name), nil
	}
	return engine.Missing(name), nil
}

// redundant reports whether the parentheses that open at the next token enclose all that the ones before it
// do.
func (p *parser) redundant() bool {
	depth := 0
	for i := p.at; i < len(p.tokens); i++ {
		switch p.tokens[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i+1 < len(p.tokens) && p.tokens[i+1] == ")"
			}
		}
	}
	return false
}
