package configfile

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// scalar returns the text of v if v is a scalar of one of the YAML types, and adds a mistake otherwise.
func (r *reader) scalar(v value, want string, tags ...string) (text string, ok bool) {
	if !r.is(v, yaml.ScalarNode, want) {
		return "", false
	}
	for _, tag := range tags {
		if v.node.ShortTag() == tag {
			return v.node.Value, true
		}
	}
	if r.isNull(v) {
		r.wrong(v, "there is no value: want %s, or remove the key for the default", want)
	} else {
		r.wrong(v, "%s is not %s", config.Clip(v.node.Value), want)
	}
	return "", false
}

func text[T ~string](to *T) func(*reader, value) {
	return func(r *reader, v value) {
		if s, ok := r.scalar(v, wantText, "!!str"); ok {
			*to = T(s)
		}
	}
}

func integer(to *int) func(*reader, value) {
	return func(r *reader, v value) {
		s, ok := r.scalar(v, "a whole number", "!!int")
		if !ok {
			return
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			r.wrong(v, "%s is not a whole number in decimal digits within range", config.Clip(s))
			return
		}
		*to = n
	}
}

func boolean(to *bool) func(*reader, value) {
	return func(r *reader, v value) {
		if s, ok := r.scalar(v, "true or false", "!!bool"); ok {
			*to = s[0] == 't' || s[0] == 'T'
		}
	}
}

// span returns a function that reads a duration.
func span(to *time.Duration) func(*reader, value) {
	return func(r *reader, v value) {
		s, ok := r.scalar(v, wantDuration, "!!str")
		if !ok {
			return
		}
		d, err := parseDuration(s)
		if err != nil {
			r.wrong(v, "%v", err)
			return
		}
		*to = d
	}
}

// finite returns a function that reads a duration above 0.
func finite(to *time.Duration) func(*reader, value) {
	return func(r *reader, v value) {
		d, before := time.Duration(0), len(r.mistakes)
		span(&d)(r, v)
		switch {
		case len(r.mistakes) > before:
		case d == 0:
			r.wrong(v, "a retention of 0 would keep nothing: want %s", wantDuration)
		default:
			*to = d
		}
	}
}

// limit returns a function that reads a duration above 0, or forever, which is no limit: 0.
func limit(to *time.Duration) func(*reader, value) {
	return func(r *reader, v value) {
		if retention(to)(r, v); *to == tier.Forever {
			*to = 0
		}
	}
}

// retention returns a function that reads a duration above 0, or forever.
func retention(to *time.Duration) func(*reader, value) {
	return func(r *reader, v value) {
		if v.node.Kind == yaml.ScalarNode && v.node.Value == "forever" {
			*to = tier.Forever
			return
		}
		finite(to)(r, v)
	}
}

// size returns a function that reads a number of bytes.
func size(to *int) func(*reader, value) {
	return func(r *reader, v value) {
		s, ok := r.scalar(v, wantSize, "!!int", "!!str")
		if !ok {
			return
		}
		n, err := parseSize(s)
		if err != nil {
			r.wrong(v, "%v", err)
			return
		}
		*to = n
	}
}

// instant returns a function that reads a time, or a date as its start in UTC.
func instant(to *model.Time) func(*reader, value) {
	return func(r *reader, v value) {
		s, ok := r.scalar(v, "a date or time in UTC, for example 2026-11-01 or 2026-11-01T00:00:00Z", "!!timestamp",
			"!!str")
		if !ok {
			return
		}
		if len(s) == len(time.DateOnly) {
			s += "T00:00:00Z"
		}
		at, err := model.ParseTime(s, model.RejectFinerTime)
		if err != nil {
			r.wrong(v, "%v", err)
			return
		}
		*to = at
	}
}

// list returns a function that reads a list of texts, each with its own path. Values of the tags are texts
// too.
func list(to *[]string, tags ...string) func(*reader, value) {
	tags = append([]string{"!!str"}, tags...)
	return func(r *reader, v value) {
		if !r.is(v, yaml.SequenceNode, "a list ([a, b])") {
			return
		}
		*to = nil
		for _, n := range v.node.Content {
			item := value{n, config.Join(v.path, n.Value)}
			r.at[item.path] = position{n.Line, n.Column}
			if s, ok := r.scalar(item, wantText, tags...); ok {
				*to = append(*to, s)
			}
		}
	}
}

const (
	wantText     = "text (in quotes if it looks like a number)"
	wantDuration = "a number and its unit (30s, 5m, 12h, 30d, 2y)"
	wantSize     = "a number of bytes (512, 4KiB, 1MiB)"
)

var (
	durationUnits = map[string]time.Duration{
		"s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": tier.Day24, "y": 365 * tier.Day24,
	}
	sizeUnits = map[string]int{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}

	errTooLong = errors.New("longer than 200 years: write forever to keep without limit")
)

const longest = 200 * 365 * tier.Day24

// countAndUnit splits 30s into 30 and s.
func countAndUnit(s string) (digits, unit string) {
	unit = strings.TrimLeft(s, "0123456789")
	return strings.TrimSuffix(s, unit), unit
}

// isCount reports whether digits are a number without leading zeros.
func isCount(digits string) bool { return digits == "0" || digits != "" && digits[0] != '0' }

// parseDuration parses 30s, 5m, 12h, 30d or 2y. A day is 24 hours, a year 365 days.
func parseDuration(s string) (time.Duration, error) {
	digits, name := countAndUnit(s)
	unit, ok := durationUnits[name]
	if !ok || !isCount(digits) {
		return 0, fmt.Errorf("%s is not a duration: want %s", config.Clip(s), wantDuration)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > int64(longest/unit) {
		return 0, fmt.Errorf("%s is %w", config.Clip(s), errTooLong)
	}
	return time.Duration(n) * unit, nil
}

// parseSize parses a number of bytes, without a unit or in B, KiB (1,024) or MiB (1,048,576).
func parseSize(s string) (int, error) {
	digits, name := countAndUnit(s)
	unit, ok := sizeUnits[name]
	if !ok || !isCount(digits) {
		return 0, fmt.Errorf("%s is not a size: want %s", config.Clip(s), wantSize)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > math.MaxInt32/unit {
		return 0, fmt.Errorf("%s is more than any limit allows: want %s", config.Clip(s), wantSize)
	}
	return n * unit, nil
}
