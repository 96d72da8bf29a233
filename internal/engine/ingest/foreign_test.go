package ingest_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

// payload returns a payload of Sparkplug B: a time in milliseconds, or 0 for none, a metric and a sequence
// number.
func payload(ms uint64, metric string, seq byte) []byte {
	var all []byte
	if ms != 0 {
		all = binary.AppendUvarint([]byte{0x08}, ms)
	}
	metric = "\x0a" + string(rune(len(metric))) + metric + "\x20\x09" // name, datatype
	all = append(all, 0x12, byte(len(metric)))
	return append(append(all, metric...), 0x18, seq)
}

// A body without a byte has no form: a broker sends one where a retained message is cleared. A text has none.
func TestCheckForeign_KnowsNothingOfAnEmptyBodyOrAText(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "--", "-- form-data", "<5", "xyz", "ÿ", "21.5", "{}", "[]"} {
		if err := ingest.CheckForeign([]byte(body)); err != nil {
			t.Errorf("%v", err)
		}
	}
	if _, err := ingest.DecodeLines(nil, 1); errors.Is(err, ingest.ErrNotJSON) {
		t.Errorf("no lines: %v", err)
	}
}

// A payload of Sparkplug B is named, whatever its last byte is: a sequence number may be a space in text.
func TestDecodeBody_NamesWhatItDoesNotRead(t *testing.T) {
	t.Parallel()
	const now = 1776693600000
	for seq := range 256 {
		data := payload(now, "Motor/Speed", byte(seq))
		if seq >= 0x80 { // a varint of two bytes
			data = append(data, 1)
		}
		if _, _, err := ingest.DecodeBody(data, 1); !errors.Is(err, ingest.ErrNotJSON) ||
			!strings.Contains(err.Error(), "Sparkplug B (protobuf): decode it in the broker") {
			t.Fatalf("seq %d: %v", seq, err)
		}
	}
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"death of a node":         {payload(0, "bdSeq", 3)[:11], "Sparkplug B"},
		"gzip without its header": {[]byte("\x1f\x8b\x08\x00"), "header Content-Encoding: gzip"},
		"zstd without its header": {[]byte("\x28\xb5\x2f\xfd\x04"), "compressed by zstd"},
		"zlib without its header": {[]byte("x\x9c\xabV"), "compressed by zlib"},
		"UTF-16 with a mark":      {[]byte("\xff\xfe{\x00}\x00"), "UTF-16: encode it as UTF-8"},
		"UTF-16 without a mark":   {[]byte("\x00{\x00}"), "UTF-16: encode it as UTF-8"},
		"a form of curl -F": {
			[]byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--"),
			"multipart/form-data",
		},
		"XML":                       {[]byte("<?xml ?><a/>"), "it is XML: send its values as JSON"},
		"a time of another century": {payload(now/100, "a", 1), "byte 1: invalid character"},
		"cut in the metric":         {payload(now, "Motor/Speed", 1)[:12], "byte 1: invalid character"},
		"a field of another schema": {append(payload(now, "a", 1), 0x30, 1), "byte 1: invalid character"},
	} {
		_, _, err := ingest.DecodeBody(c.body, 1)
		_, inLines := ingest.DecodeLines(c.body, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
		if c.want != "byte 1: invalid character" && !errors.Is(inLines, ingest.ErrNotJSON) {
			t.Errorf("%s in lines: %v", name, inLines)
		}
	}
}
