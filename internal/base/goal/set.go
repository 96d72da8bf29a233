package goal

import (
	"regexp"
	"strings"
	"time"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ValueScale is how many digits after the decimal point values have.
const ValueScale = 9

// Set finds the goals that sessions meet. It is safe for concurrent use.
type Set []compiled

// compiled is a goal with its patterns.
type compiled struct {
	Goal
	steps []step
}

type step struct {
	of    string
	where []match
}

type match struct {
	field   string
	pattern *regexp.Regexp
}

// Progress is what a session has of each goal of a Set so far.
type Progress []progress

type progress struct {
	steps int // the first ones that were met
	value uint256.Int
	sums  bool // an event had a value
}

// NewSet returns the set of some goals.
func NewSet(goals []Goal) Set {
	set := make(Set, len(goals))
	for i, g := range goals {
		set[i].Goal = g
		for _, s := range g.Steps {
			where := lists.Map(s.Where, func(m Match) match { return match{m.Field, compile(m.Pattern)} })
			set[i].steps = append(set[i].steps, step{of: s.Of, where: where})
		}
	}
	return set
}

var wildcards = strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/]*`)

func compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)^` + wildcards.Replace(regexp.QuoteMeta(pattern)) + `$`)
}

// Pattern is the pattern of a text: in it, * is any text without a slash, and ** is any text.
type Pattern struct{ compiled *regexp.Regexp }

// NewPattern returns a pattern.
func NewPattern(text string) Pattern { return Pattern{compile(text)} }

// Matches reports whether the pattern is of all of a text.
func (p Pattern) Matches(text string) bool { return p.compiled.MatchString(text) }

// Begin returns the progress of a session without events.
func (s Set) Begin() Progress { return make(Progress, len(s)) }

// Add adds the next event of a session, in order of time.
func (s Set) Add(p Progress, e *model.Event) {
	for i := range s {
		s[i].add(&p[i], e)
	}
}

// add meets the next step at most, so that each step has an event of its own. After the last
// step, further events that meet it add their values.
func (g *compiled) add(p *progress, e *model.Event) {
	last := len(g.steps) - 1
	if last < 0 || !g.steps[min(p.steps, last)].metBy(e) {
		return
	}
	if p.steps = min(p.steps+1, len(g.steps)); p.steps <= last || g.Value == "" {
		return
	}
	if v, ok := e.Attrs.Get(g.Value); ok && v.Kind == model.Number {
		if n, _, ok := v.Number.Scaled(ValueScale); ok {
			p.value.Add(&p.value, &n)
			p.sums = true
		}
	}
}

func (s *step) metBy(e *model.Event) bool {
	if e.Series.Kind != s.of {
		return false
	}
	for _, m := range s.where {
		if v, ok := e.Attrs.Get(m.field); !ok || v.Kind != model.Text || !m.pattern.MatchString(v.Text) {
			return false
		}
	}
	return true
}

// Attrs returns the measures of a session that has ended. A session that meets a goal without
// a value has no value, not 0.
func (s Set) Attrs(p Progress, duration time.Duration) (all model.Attrs) {
	number := func(name string, n model.Decimal) {
		all = append(all, model.Attr{Name: name, Value: model.NumberValue(n)})
	}
	for i, g := range s {
		for n := 1; n < len(g.steps); n++ {
			number(g.StepField(n), oneIf(p[i].steps >= n))
		}
		met := p[i].steps == len(g.steps) && duration >= g.MinDuration
		number(g.Field(), oneIf(met))
		if met && p[i].sums {
			number(g.ValueField(), model.Unscaled(p[i].value, ValueScale))
		}
	}
	return all
}

func oneIf(met bool) model.Decimal {
	if met {
		return model.NewDecimal(1)
	}
	return model.NewDecimal(0)
}
