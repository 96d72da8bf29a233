package jsonscan

import "encoding/binary"

// Leads remembers how members begin: the text from a name's opening quote to what
// differs from one time to the next, as `"temperature":{"N":"`, and what it means to
// the caller. In a batch or page the same few leads come time and again, in whatever
// order. A lead that was read and checked once need not be read again where it comes
// again, byte for byte: it is never trusted, only recognised.
//
// It forgets: a lead has two places where it may be, and later ones take them over.
// The zero value is ready.
type Leads[T any] struct {
	of       [leadRoom]lead[T]
	last     uint // where the one found last is,
	expected uint // and the one that came after it the last time
	luck     int  // how often the expected one came, less how often another
}

type lead[T any] struct {
	text  Prefix
	means T
	next  uint // where the one is that came after it: a guess, and nothing for the collector to follow
}

const (
	leadBits = 7
	leadRoom = 1 << leadBits
	maxLead  = 512
	maxLuck  = 32
	wordsOf  = 1 + 16 // a quote, and the bytes of a name by which it is found
)

// Find recognises the member at i and answers the place after its lead; nil where it
// is not known.
func (l *Leads[T]) Find(b []byte, i int) (means *T, next int) {
	if l.luck > 0 {
		known := &l.of[l.expected%leadRoom]
		if end := known.text.Pass(b, i); end > i {
			l.last, l.expected = l.expected, known.next
			return &known.means, end
		}
	}
	return l.search(b, i)
}

func (l *Leads[T]) search(b []byte, i int) (means *T, next int) {
	if i+wordsOf > len(b) {
		return nil, i
	}
	at := place(b[i:])
	for range 2 {
		known := &l.of[at]
		if end := known.text.Pass(b, i); end > i {
			l.follows(at)
			return &known.means, end
		}
		at ^= 1
	}
	return nil, i
}

// follows notes that the one at a place came after the one before it.
func (l *Leads[T]) follows(at uint) {
	if at == l.expected {
		l.luck = min(l.luck+1, maxLuck)
	} else {
		l.luck = max(l.luck-1, -maxLuck)
	}
	l.of[l.last%leadRoom].next = at
	l.last, l.expected = at, l.of[at].next
}

// Learn remembers b[from:to] as the lead of a member. A very long one is not worth it.
func (l *Leads[T]) Learn(b []byte, from, to int, means T) {
	if from+wordsOf > len(b) || to-from > maxLead {
		return
	}
	at := place(b[from:])
	if text := b[from:to]; l.of[at].text.text == string(text) || l.of[at^1].text.text == string(text) {
		return // known, and the value needed a closer look
	}
	if l.of[at].text.text != "" {
		l.of[at^1] = l.of[at]
	}
	l.of[at] = lead[T]{text: NewPrefix(string(b[from:to])), means: means}
	l.follows(at)
}

// place is chosen by the first bytes of the name whose opening quote begins b. It is
// computed without a branch: lengths of names come in no order to be foreseen.
func place(b []byte) uint {
	const spread = 0x9E3779B97F4A7C15
	first, second := binary.LittleEndian.Uint64(b[1:]), binary.LittleEndian.Uint64(b[9:])
	ends := quotes(first)
	first &= before(ends)
	second &= before(quotes(second)) & uint64(int64((ends-1)&^ends)>>63) // nothing of it where first has the end
	return uint((first*spread ^ second) * spread >> (64 - leadBits))
}

// quotes marks the quotes in w; of the marks the lowest is right.
func quotes(w uint64) uint64 {
	quote := w ^ each*'"'
	return (quote - each) &^ quote & high
}

// before is a mask of the bytes before the lowest mark, of all where there is none.
func before(marks uint64) uint64 { return marks&-marks>>7 - 1 }
