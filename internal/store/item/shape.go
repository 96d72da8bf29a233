package item

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shape is the JSON text of an item without its values: the text before each value, and the attribute of the
// value. Most items have the shape of the previous one; then only the values are scanned.
type shape struct {
	steps  []step
	tail   string // what follows the last value
	fields int
}

// step is one value of a shape and the text before it.
type step struct {
	prefix    jsonscan.Prefix
	attribute attribute
	index     int // of a field, in the order of names
}

// shapeCache holds the last shapes. Learning a shape costs more than it saves if items rarely
// have the same shape. Each learned shape therefore doubles the number of items to skip
// before the next one is learned, and each match halves it.
type shapeCache struct {
	shapes    [4]shape
	last      int // matched last: tried first
	oldest    int // replaced first
	unmatched int // items without known shape since the last one was learned
	wait      int
}

// Limits of the cache.
const (
	maxSteps      = 64
	maxShapeBytes = 4 << 10
	maxWait       = 1 << 10
	tryEvery      = 1 << 4
)

// matchShape scans the item at b[i:] by a known shape. It returns Invalid if no shape matches, or if a value
// does not have the common form. If matches are rare, it tries only every tryEvery-th item.
func (s *Scanner) matchShape(b []byte, i int, f *rawItem, cache *shapeCache) (next int) {
	if cache.wait >= tryEvery && cache.unmatched%tryEvery != 0 {
		return jsonscan.Invalid
	}
	for n := range cache.shapes {
		at := (cache.last + n) % len(cache.shapes)
		sh := &cache.shapes[at]
		if len(sh.steps) == 0 || sh.steps[0].prefix.Match(b, i) == jsonscan.Invalid {
			continue
		}
		if next = s.matchOne(sh, b, i, f); next != jsonscan.Invalid {
			cache.last = at
			cache.wait /= 2
			return next
		}
	}
	return jsonscan.Invalid
}

func (s *Scanner) matchOne(sh *shape, b []byte, i int, f *rawItem) (next int) {
	*f = rawItem{fields: s.fieldBuffer()[:sh.fields]}
	for k := range sh.steps {
		st := &sh.steps[k]
		if i = st.prefix.Match(b, i); i == jsonscan.Invalid {
			return i
		}
		if st.attribute.role == roleField {
			i = s.knownField(&st.attribute, b, i, &f.fields[st.index])
		} else {
			f.roles |= 1 << st.attribute.role
			i = s.knownValue(&st.attribute, b, i, f)
		}
		if i == jsonscan.Invalid {
			return i
		}
	}
	return jsonscan.Match(b, i, sh.tail)
}

// learnShape counts that the item b[i:end], which was scanned into f, had no known shape. If
// enough items were skipped, it learns the shape in place of the oldest one.
func (s *Scanner) learnShape(b []byte, i, end int, f *rawItem, cache *shapeCache) {
	if cache.unmatched++; cache.unmatched <= cache.wait || end-i > maxShapeBytes || f.damaged {
		return
	}
	steps, tail := s.steps(string(b[i:end]), f.fields)
	if len(steps) == 0 {
		return
	}
	cache.unmatched, cache.wait = 0, min(2*cache.wait+1, maxWait)
	cache.shapes[cache.oldest] = shape{steps: steps, tail: tail, fields: len(f.fields)}
	cache.last, cache.oldest = cache.oldest, (cache.oldest+1)%len(cache.shapes)
}

// steps divides an item that was scanned into the steps of a shape. It returns none if the item
// has a value that an event cannot have.
func (s *Scanner) steps(text string, fields []model.Attr) (steps []step, tail string) {
	b, from := []byte(text), 0
	for i, first := 1, true; len(steps) < maxSteps; first = false {
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
		steps = append(steps,
			step{prefix: jsonscan.NewPrefix(text[from:v.from]), attribute: is, index: fieldIndex(fields, is.name)})
		i, from = next, v.to
	}
	return nil, ""
}

// fieldIndex returns the index of a field in the order of names.
func fieldIndex(fields []model.Attr, name string) int {
	i, _ := slices.BinarySearchFunc(fields, name, func(a model.Attr, name string) int {
		return strings.Compare(a.Name, name)
	})
	return i
}
