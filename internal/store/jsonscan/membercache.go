package jsonscan

import "encoding/binary"

// MemberCache caches the beginnings of object members: the text from the opening quote of
// the name to the part that changes, for example `"temperature":{"N":"`, with a value of the
// caller. A batch or page contains the same few beginnings many times, in any order. A
// beginning that was parsed once is recognised by comparing bytes and not parsed again.
//
// The cache has a fixed size: each beginning has two slots, which later ones overwrite. The
// zero value is ready to use.
type MemberCache[T any] struct {
	slots    [cacheSize]member[T]
	last     uint // slot of the last member found
	expected uint // slot of the member that followed it last time
	score    int  // how often the expected member followed, minus how often another did
}

type member[T any] struct {
	text  Prefix
	value T
	// slot of the member that followed it last time; an index, not a pointer, for the garbage collector
	next uint
}

const (
	cacheBits   = 7
	cacheSize   = 1 << cacheBits
	maxMember   = 512
	maxScore    = 32
	hashedBytes = 1 + 16 // a quote and the bytes of the name that choose the slot
)

// Find looks up the member that begins at i. It returns the cached value and the index after
// the cached beginning, or nil and i.
func (c *MemberCache[T]) Find(b []byte, i int) (value *T, next int) {
	if c.score > 0 {
		known := &c.slots[c.expected%cacheSize]
		if end := known.text.Match(b, i); end > i {
			c.last, c.expected = c.expected, known.next
			return &known.value, end
		}
	}
	return c.search(b, i)
}

func (c *MemberCache[T]) search(b []byte, i int) (value *T, next int) {
	if i+hashedBytes > len(b) {
		return nil, i
	}
	at := slot(b[i:])
	for range 2 {
		known := &c.slots[at]
		if end := known.text.Match(b, i); end > i {
			c.record(at)
			return &known.value, end
		}
		at ^= 1
	}
	return nil, i
}

// record records that the member in slot at followed the last one.
func (c *MemberCache[T]) record(at uint) {
	if at == c.expected {
		c.score = min(c.score+1, maxScore)
	} else {
		c.score = max(c.score-1, -maxScore)
	}
	c.slots[c.last%cacheSize].next = at
	c.last, c.expected = at, c.slots[at].next
}

// Learn caches b[from:to] as the beginning of a member. Very long beginnings are not cached.
func (c *MemberCache[T]) Learn(b []byte, from, to int, value T) {
	if from+hashedBytes > len(b) || to-from > maxMember {
		return
	}
	at := slot(b[from:])
	if text := b[from:to]; c.slots[at].text.text == string(text) || c.slots[at^1].text.text == string(text) {
		return // already cached: the caller could not use the fast path for this value
	}
	if c.slots[at].text.text != "" {
		c.slots[at^1] = c.slots[at]
	}
	c.slots[at] = member[T]{text: NewPrefix(string(b[from:to])), value: value}
	c.record(at)
}

// slot returns the first slot of the name whose opening quote is b[0]. It has no branches,
// because the lengths of names are not predictable.
func slot(b []byte) uint {
	const spread = 0x9E3779B97F4A7C15
	first, second := binary.LittleEndian.Uint64(b[1:]), binary.LittleEndian.Uint64(b[9:])
	ends := quotes(first)
	first &= before(ends)
	// nothing of it if the name ends in first
	second &= before(quotes(second)) & uint64(int64((ends-1)&^ends)>>63)
	return uint((first*spread ^ second) * spread >> (64 - cacheBits))
}

// quotes sets the high bit of each quote in w. Only the lowest mark is reliable.
func quotes(w uint64) uint64 {
	quote := w ^ each*'"'
	return (quote - each) &^ quote & high
}

// before returns a mask of the bytes before the lowest mark, or of all bytes without a mark.
func before(marks uint64) uint64 { return marks&-marks>>7 - 1 }
