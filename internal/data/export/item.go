package export

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// HasClass reports whether a class, such as EVENT, is the first word of a key's sort key
// or partition key. Every key has the class "".
func HasClass(k keys.Key, class string) bool {
	first := func(text string) string { word, _, _ := strings.Cut(text, "#"); return word }
	return class == "" || first(k.SK) == class || first(k.PK) == class
}

// WriteItem writes an item decoded, for people to read: its key, then each attribute on
// its own line, Tidemark's own attributes first. Secrets are not shown.
func WriteItem(w io.Writer, it item.Item) error {
	var b strings.Builder
	k := it.Key()
	fmt.Fprintf(&b, "%s  %s\n", k.PK, k.SK)
	names := slices.SortedFunc(maps.Keys(it), func(a, b string) int {
		return cmp.Or(compareBool(keys.Reserved(b), keys.Reserved(a)), strings.Compare(a, b))
	})
	for _, name := range names {
		if name == keys.AttrPK || name == keys.AttrSK {
			continue
		}
		decode := decoders[name]
		if decode == nil {
			decode = plain
		}
		fmt.Fprintf(&b, "    %-12s %s\n", name, decode(it[name]))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, terminal.PrintableLines(b.String()))
	return err
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// decoders are for attributes whose stored form people cannot read.
var decoders = map[string]func(item.Value) string{
	keys.AttrExpiresAt:    epoch,
	tablekeys.AttrUntil:   epoch,
	tablekeys.AttrSummary: summary,
	tablekeys.AttrSecret:  func(item.Value) string { return "(a secret)" },
}

func plain(v item.Value) string {
	switch v.Type {
	case item.S:
		return strconv.Quote(v.S)
	case item.N, item.Nested:
		return v.S
	case item.B:
		return "0x" + hex.EncodeToString(v.B)
	case item.Bool:
		return strconv.FormatBool(v.Bool)
	case item.Null:
		return "null"
	default:
		return "(of a type that Tidemark never writes)"
	}
}

// epoch shows epoch seconds with the time that they mean.
func epoch(v item.Value) string {
	seconds, err := strconv.ParseInt(v.S, 10, 64)
	at := model.Time(seconds) * 1000
	if err != nil || v.Type != item.N || seconds > int64(model.MaxTime)/1000 || at < model.MinTime {
		return plain(v)
	}
	return fmt.Sprintf("%s (%s)", v.S, at)
}

// summary shows the numbers of a rollup's measures.
func summary(v item.Value) string {
	s, err := rollup.Decode(v.B)
	if err != nil {
		return fmt.Sprintf("%s (%v)", plain(v), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d bytes, %d events", len(v.B), s.Events())
	for _, name := range s.Names() {
		m, _ := s.Measure(name)
		fmt.Fprintf(&b, "\n      %-14s %s", name, m)
	}
	return b.String()
}
