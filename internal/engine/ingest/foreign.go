package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// foreign are forms of bodies that are recognised and not read.
var foreign = []struct {
	matches func(body []byte) bool
	is, use string
}{
	{isSparkplug, "a payload of Sparkplug B (protobuf)",
		"decode it in the broker or in Node-RED, and send its metrics as JSON"},
	{isGzip, "compressed by gzip", "name it with the header Content-Encoding: gzip, or unpack it"},
	{begins("\x28\xb5\x2f\xfd"), "compressed by zstd", "send it uncompressed, or as gzip"},
	{begins("x\x9c", "x\xda"), "compressed by zlib", "send it uncompressed, or as gzip"},
	{begins("\xff\xfe", "\xfe\xff", "{\x00", "\x00{", "[\x00", "\x00["), "text in UTF-16",
		"encode it as UTF-8"},
	{isMultipart, "a form of several parts (multipart/form-data)",
		"send application/json, or to /sources/NAME application/x-www-form-urlencoded"},
	{begins("<?xml"), "XML", "send its values as JSON"},
}

// CheckForeign returns ErrNotJSON for a body of a form that is known and not read, with what to do; nil for
// any other. It needs the body with each byte: a payload may end in one that is a space in text.
func CheckForeign(body []byte) error {
	for _, f := range foreign {
		if f.matches(body) {
			return fmt.Errorf("%w: it is %s: %s", ErrNotJSON, f.is, f.use)
		}
	}
	return nil
}

// begins returns a function that reports whether a body begins with one of some texts.
func begins(texts ...string) func([]byte) bool {
	return func(body []byte) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return bytes.HasPrefix(body, []byte(t)) })
	}
}

var isGzip = begins("\x1f\x8b")

func isMultipart(body []byte) bool {
	first, _, _ := bytes.Cut(body, []byte("form-data"))
	return bytes.HasPrefix(body, []byte("--")) && bytes.HasSuffix(first, []byte("Content-Disposition: "))
}

// The times between which the time of a payload of Sparkplug is, in milliseconds since 1970: of the years
// 2000 and 2100.
const (
	earliestSparkplug = 946684800000
	latestSparkplug   = 4102444800000
)

// isSparkplug reports whether a body has the fields of a payload of Sparkplug B 3.0, chapter 6.4: a time (1)
// first, then any number of metrics (2), a sequence number (3), a uuid (4) and a body (5). The death of a
// node has a metric bdSeq, and often no time.
func isSparkplug(body []byte) bool {
	const varint, length = 0, 2 // types of fields on the wire
	isDeath := bytes.HasPrefix(body, []byte{2<<3 | length}) && bytes.Contains(body, []byte("bdSeq"))
	hasField := false
	for ; len(body) > 0; hasField = true {
		tag := body[0]
		n, size := binary.Uvarint(body[1:])
		if size <= 0 {
			return false
		}
		body = body[1+size:]
		isTime := tag == 1<<3|varint && n >= earliestSparkplug && n < latestSparkplug
		if !hasField && !isTime && !isDeath {
			return false
		}
		switch tag {
		case 1<<3 | varint, 3<<3 | varint:
		case 2<<3 | length, 4<<3 | length, 5<<3 | length:
			if n > uint64(len(body)) {
				return false
			}
			body = body[n:]
		default:
			return false
		}
	}
	return hasField
}
