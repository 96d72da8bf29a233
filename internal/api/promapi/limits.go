package promapi

import (
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

// The limits of what is parsed. The parser has no deadline, and takes quadratic time for nested and for long
// expressions; the engine allocates the steps of a subquery before its first check of a limit.
const (
	maxText      = 8 << 10 // bytes of a query or selector
	maxDepth     = 64      // nested parentheses
	maxTerms     = 1_000   // operators and commas
	maxSelectors = 32      // match[] of a request
)

// subqueryStep is the step of a subquery that names none.
const subqueryStep = time.Hour

// short returns an error for a text that is too long, too deep or of too many terms to be parsed.
func short(name, text string) error {
	if len(text) > maxText {
		return badData("%s has %d bytes, at most %d", name, len(text), maxText)
	}
	var depth, deepest, terms int
	for _, c := range text {
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case strings.ContainsRune("+-*/%^,=<>!", c):
			terms++
		}
		deepest = max(deepest, depth)
	}
	switch {
	case deepest > maxDepth:
		return badData("%s has %d nested parentheses, at most %d", name, deepest, maxDepth)
	case terms > maxTerms:
		return badData("%s has %d operators and commas, at most %d", name, terms, maxTerms)
	}
	return checkPatterns(name, text)
}

// checkSteps returns an error if the subqueries of an expression have too many steps together. A subquery is
// evaluated in the whole range of what encloses it, which is span outside of all subqueries.
func checkSteps(expr parser.Expr, span time.Duration) (err error) {
	steps := 0.0 // a sum of products that can exceed an integer
	parser.Inspect(expr, func(n parser.Node, path []parser.Node) error {
		if s, ok := n.(*parser.SubqueryExpr); ok {
			step := s.Step
			if step == 0 {
				step = subqueryStep
			}
			steps += float64(span) / float64(step)
			for _, enclosing := range append(path, n) {
				if outer, ok := enclosing.(*parser.SubqueryExpr); ok {
					steps += float64(outer.Range) / float64(step)
				}
			}
		}
		return nil
	})
	if steps > maxPoints {
		return badData("the subqueries have %.0f steps, at most %d: use longer steps or shorter ranges", steps,
			maxPoints)
	}
	return nil
}
