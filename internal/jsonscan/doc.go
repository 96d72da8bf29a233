// Package jsonscan reads JSON in one pass over its bytes, for the two paths that read
// a great deal of it: batches of the table stream, and pages of the table. It builds
// no tree and allocates nothing; a caller walks from value to value and keeps what it
// came for.
//
// Places are indexes into the text. A function takes where to read and answers where
// to read on, Broken where the text is no JSON: places travel in registers, and that
// is most of the speed. What is taken for JSON is what encoding/json takes, byte for
// byte, skipped values included: literals, numbers, escapes, control characters in
// strings, commas, depth. A test and a fuzzer hold the two to one another.
//
// In two points a caller may be stricter than encoding/json, which repairs in silence:
// bytes that are no UTF-8, and half a surrogate pair, are told (see Unescape) where
// encoding/json puts U+FFFD, by which two different ids could become one. And names
// are compared as bytes, where encoding/json also takes another case.
package jsonscan

// Broken is the place answered for text that is no JSON.
const Broken = -1

// MaxDepth is how deep values may be nested, as in encoding/json.
const MaxDepth = 10_000
