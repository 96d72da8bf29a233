package protocol

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// appendItem appends the JSON of an item, with its attributes in sorted order.
func appendItem(dst []byte, it item.Item) []byte {
	names := make([]string, 0, 24)
	for name := range it {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, name), ':')
		dst = appendValue(dst, it[name])
	}
	return append(dst, '}')
}

// appendValue appends the JSON of a value.
func appendValue(dst []byte, v item.Value) []byte {
	switch v.Type {
	case item.S:
		return append(appendQuoted(append(dst, `{"S":`...), v.S), '}')
	case item.N:
		return append(append(append(dst, `{"N":"`...), plain(v.S)...), `"}`...)
	case item.B:
		dst = base64.StdEncoding.AppendEncode(append(dst, `{"B":"`...), v.B)
		return append(dst, `"}`...)
	case item.Bool:
		return fmt.Appendf(dst, `{"BOOL":%t}`, v.Bool)
	case item.Null:
		return append(dst, `{"NULL":true}`...)
	case item.Nested:
		tree, _ := item.ParseNested(v.S) // it was stored
		return appendTree(dst, tree)
	default:
		text, _ := v.Opaque.(engine.Typed)
		return append(dst, text...)
	}
}

// plain returns a number without an exponent, as DynamoDB does.
func plain(n string) string {
	mantissa, exponent, found := strings.Cut(n, "e")
	e, err := strconv.Atoi(exponent)
	if !found || err != nil {
		return n
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	sign := mantissa[:len(mantissa)-len(unsigned)]
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if e < 0 {
		digits := strings.Repeat("0", -e) + whole
		point := len(digits) + e
		return sign + cmp.Or(strings.TrimLeft(digits[:point], "0"), "0") + "." + digits[point:] + fraction
	}
	digits := whole + fraction
	if missing := e - len(fraction); missing >= 0 {
		return sign + digits + strings.Repeat("0", missing)
	}
	return sign + digits[:len(whole)+e] + "." + digits[len(whole)+e:]
}

func appendTree(dst []byte, tree any) []byte {
	switch t := tree.(type) {
	case []any:
		dst = append(dst, `{"L":[`...)
		for i, element := range t {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTree(dst, element)
		}
		return append(dst, `]}`...)
	case map[string]any:
		dst = append(dst, `{"M":{`...)
		for i, name := range slices.Sorted(maps.Keys(t)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTree(append(appendQuoted(dst, name), ':'), t[name])
		}
		return append(dst, `}}`...)
	case model.Decimal:
		return appendValue(dst, item.Value{Type: item.N, S: t.String()})
	case string:
		return appendValue(dst, item.Value{Type: item.S, S: t})
	case bool:
		return appendValue(dst, item.Value{Type: item.Bool, Bool: t})
	default:
		return appendValue(dst, item.Value{Type: item.Null})
	}
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, s[from:]...), '"')
}
