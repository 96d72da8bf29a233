package item

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shape is an item with its values left out: the text before each value, and what the
// value is. Most items look like the one before, and of one with the same shape only
// the values are read.
type shape struct {
	steps  []step
	tail   string // what follows the last value
	fields int
}

// step is one value and the text before it.
type step struct {
	lead  jsonscan.Prefix
	is    attribute
	place int // of a field in the order of names
}

// shapes are those met last. Learning one costs more than it spares where no item
// looks like another: each that is learned doubles how many items are let pass until
// the next, each that is met again halves it.
type shapes struct {
	of     [4]shape
	last   int // met last: tried first
	oldest int // forgotten first
	passed int // items of no known shape since one was learned
	wait   int
}

// The bounds of what is learned.
const (
	manySteps  = 64
	shapeBytes = 4 << 10
	maxWait    = 1 << 10
	rarely     = 1 << 4
)

// follow reads the item at b[i:] by a shape it has; Broken where it has none that is
// known, or a value that needs a closer look. Where hardly any has, few are tried.
func (s *Scanner) follow(b []byte, i int, f *found, known *shapes) (next int) {
	if known.wait >= rarely && known.passed%rarely != 0 {
		return jsonscan.Broken
	}
	for n := range known.of {
		at := (known.last + n) % len(known.of)
		sh := &known.of[at]
		if len(sh.steps) == 0 || sh.steps[0].lead.Pass(b, i) == jsonscan.Broken {
			continue
		}
		if next = s.followOne(sh, b, i, f); next != jsonscan.Broken {
			known.last = at
			known.wait /= 2
			return next
		}
	}
	return jsonscan.Broken
}

func (s *Scanner) followOne(sh *shape, b []byte, i int, f *found) (next int) {
	*f = found{fields: s.room()[:sh.fields]}
	for k := range sh.steps {
		st := &sh.steps[k]
		if i = st.lead.Pass(b, i); i == jsonscan.Broken {
			return i
		}
		if st.is.role == theField {
			i = s.knownField(&st.is, b, i, &f.fields[st.place])
		} else {
			f.met |= 1 << st.is.role
			i = s.knownValue(&st.is, b, i, f)
		}
		if i == jsonscan.Broken {
			return i
		}
	}
	return jsonscan.Lead(b, i, sh.tail)
}

// passedOne notes that the item b[i:end], which holds f, had no known shape, and
// learns it in place of the oldest if it is time to.
func (s *Scanner) passedOne(b []byte, i, end int, f *found, known *shapes) {
	if known.passed++; known.passed <= known.wait || end-i > shapeBytes || f.damaged {
		return
	}
	steps, tail := s.steps(string(b[i:end]), f.fields)
	if len(steps) == 0 {
		return
	}
	known.passed, known.wait = 0, min(2*known.wait+1, maxWait)
	known.of[known.oldest] = shape{steps, tail, len(f.fields)}
	known.last, known.oldest = known.oldest, (known.oldest+1)%len(known.of)
}

// steps takes an item that was read apart; none where it has a value that no event has.
func (s *Scanner) steps(text string, fields []model.Attr) (steps []step, tail string) {
	b, from := []byte(text), 0
	for i, first := 1, true; len(steps) < manySteps; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return steps, text[from:]
		}
		raw, at := jsonscan.Name(b, at)
		name, _ := s.text(raw)
		v, next := s.value(b, at)
		if v.typ == Other {
			break
		}
		is := s.named(name)
		is.typ = v.typ
		steps = append(steps, step{lead: jsonscan.NewPrefix(text[from:v.from]), is: is, place: place(fields, is.name)})
		i, from = next, v.to
	}
	return nil, ""
}

// place is where a field stands in the order of names.
func place(fields []model.Attr, name string) int {
	i, _ := slices.BinarySearchFunc(fields, name, func(a model.Attr, name string) int { return strings.Compare(a.Name, name) })
	return i
}
