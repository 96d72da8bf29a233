// Package jsonscan scans JSON in one pass over its bytes. It is used where a great deal of
// JSON is read: batches of the table stream and pages of the table. It builds no tree and
// allocates nothing. The caller moves from value to value and keeps what it needs.
//
// Positions are indexes into the text. A function takes the index to start at and returns the index to
// continue at, or Invalid if the text is not JSON. Indexes stay in registers, which is the main reason for
// the speed. Exactly the texts that encoding/json accepts are valid, also within skipped values: literals,
// numbers, escapes, control characters in strings, commas, depth. A test and a fuzz test compare the two.
//
// A caller can be stricter than encoding/json in two cases. Unescape reports bytes that are not UTF-8 and
// half surrogate pairs, which encoding/json replaces by U+FFFD; two different ids could become equal by that.
// And names are compared as bytes, while encoding/json also accepts another case.
package jsonscan

// Invalid is returned instead of an index for text that is not JSON.
const Invalid = -1

// MaxDepth is the maximum depth of nested values, as in encoding/json.
const MaxDepth = 10_000
