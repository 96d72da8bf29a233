package patternsize_test

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/patternsize"
)

// Whatever is repeated, the program has no more instructions than its text and the bound.
func TestRepeated_IsAnUpperBound(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		`sensor_[0-9]{4}`, `a{2,999}`, `(ab{3}){40}`, `x{500,}`, strings.Repeat(`\pL{999}`, 90), `{}{a}{,3}`,
		`(?:(?:a{10}){10}b){10}`, `plain`,
	} {
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		bound := patternsize.Repeated(pattern)
		if n := len(program.Inst); n > 2*(bound+len(pattern))+2 {
			t.Errorf("%.40q has %d instructions, and Repeated returned %d", pattern, n, bound)
		}
	}
	if got := patternsize.Repeated(`sensor_[0-9]{4}`); got > 100 {
		t.Errorf("four digits are %d instructions", got)
	}
	if got := patternsize.Repeated(`a{99999999999999999999}`); got < patternsize.Max {
		t.Errorf("a count beyond an integer is %d instructions", got)
	}
}
