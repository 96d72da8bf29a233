package config

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Words of the file, and the values for which they stand.
var (
	// of tiers: rows only of closed buckets
	Modes         = map[string]bool{"deferred": true, "immediate": false}
	Means         = map[string]bool{"time": true, "values": false}   // of measures: weighted by time
	MeasureTypes  = map[string]bool{"counter": true, "gauge": false} // of measures
	FinerPolicies = map[string]model.FinerTimePolicy{"reject": model.RejectFinerTime,
		"truncate": model.TruncateFinerTime}
)

// SpanText returns a duration as written in the file.
func SpanText(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d%u.unit == 0 && d != 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.name
		}
	}
	return d.String()
}

// SizeText returns a size as written in the file.
func SizeText(n int) string {
	switch {
	case n%mib == 0 && n != 0:
		return strconv.Itoa(n/mib) + "MiB"
	case n%kib == 0 && n != 0:
		return strconv.Itoa(n/kib) + "KiB"
	}
	return strconv.Itoa(n)
}

// MemberName returns the name of a field as in the file: maxAhead for MaxAhead.
func MemberName(name string) string {
	if strings.ToUpper(name) == name || name == "IoT" {
		return strings.ToLower(name)
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// Join returns the path of a member: kinds.READING of kinds and READING.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Clip quotes text and shortens it, so that a message stays one readable line.
func Clip(text string) string {
	if len(text) > 64 {
		text = text[:64] + "…"
	}
	return strconv.Quote(text)
}
