package promapi

import (
	"math"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/strutil"

	"github.com/tidemark-db/tidemark/internal/base/patternsize"
)

// The limits of what the engine computes. It counts samples, and neither the steps of functions without
// series, nor the bytes of labels, nor the instructions of a regular expression.
const (
	maxEvaluations = 500_000  // of functions and operators, in all steps; each takes up to 5 µs
	maxLabels      = 16 << 10 // bytes of the labels of a series
	sampleCost     = 0.02     // evaluations, for each sample of a subquery
	knownLabel     = 256      // bytes of a label of the table's series
	knownLabels    = 1 << 10  // bytes of all of them
)

// checkPatterns returns an error if a text of a query would be a regular expression of too many instructions.
// It comes before the parser, which compiles them.
func checkPatterns(name, text string) error {
	instructions := 0
	lexer := parser.Lex(text)
	for item := (parser.Item{}); item.Typ != parser.EOF && item.Typ != parser.ERROR; {
		lexer.NextItem(&item)
		if item.Typ != parser.STRING {
			continue
		}
		pattern, _ := strutil.Unquote(item.Val) // the parser reports the error
		instructions += patternsize.Repeated(pattern)
	}
	if instructions > patternsize.Max {
		return badData("%s has regular expressions that repeat too much: use + or * in place of {n}, "+
			"or shorter ones",
			name)
	}
	return nil
}

// checkWork returns an error if the evaluation of an expression, at the steps of a range, takes too long or
// too much memory.
func checkWork(expr parser.Expr, span, step time.Duration) error {
	if n := evaluations(expr, span, float64(span/step)+1); n > maxEvaluations {
		return badData("the query evaluates %.0f functions and operators in all steps, at most %d: "+
			"use a longer step, a shorter range or fewer terms", n, maxEvaluations)
	}
	if _, all := labelBytes(expr); all > maxLabels {
		return badData("label_replace and label_join make labels of %.0f bytes, at most %d: nest fewer of them",
			all, maxLabels)
	}
	return nil
}

// evaluations returns how often nodes of an expression are evaluated, at steps in a span of time.
func evaluations(n parser.Node, span time.Duration, steps float64) (total float64) {
	total = steps
	switch e := n.(type) {
	case *parser.NumberLiteral, *parser.StringLiteral:
		return 0
	case *parser.SubqueryExpr:
		step := e.Step
		if step == 0 {
			step = subqueryStep
		}
		total += steps * sampleCost * float64(e.Range) / float64(step)
		span += e.Range
		steps = math.Floor(float64(span)/float64(step)) + 1
	}
	for child := range parser.ChildrenIter(n) {
		total += evaluations(child, span, steps)
	}
	return total
}

// labelBytes returns how long the longest label of a result can be, and all labels of one of its series.
func labelBytes(n parser.Node) (longest, all float64) {
	longest = knownLabel
	all = knownLabels
	for child := range parser.ChildrenIter(n) {
		one, of := labelBytes(child)
		longest = max(longest, one)
		all = max(all, of)
	}
	call, ok := n.(*parser.Call)
	if !ok {
		return longest, all
	}
	added := 0.0
	switch text := func(i int) string { return literal(call.Args, i) }; call.Func.Name {
	case "label_replace":
		replacement := text(2)
		added = float64(len(replacement)) + float64(strings.Count(replacement, "$"))*longest
	case "label_join":
		added = float64(len(call.Args)-3) * (longest + float64(len(text(2))))
	}
	return max(longest, added), all + added
}

// literal returns the text of an argument, "" of anything else.
func literal(args parser.Expressions, i int) string {
	if i < len(args) {
		if text, ok := args[i].(*parser.StringLiteral); ok {
			return text.Val
		}
	}
	return ""
}
