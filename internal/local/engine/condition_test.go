package engine

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
)

// Only texts and bytes begin with something, each with its own type.
func TestBegins_IsOfTextsAndBytes(t *testing.T) {
	text, bytes := item.Value{Type: item.S, S: "ab"}, item.Value{Type: item.B, B: []byte("ab")}
	empty := item.Value{Type: item.S}
	nested := item.Value{Type: item.Nested}
	for _, c := range []struct {
		v, prefix item.Value
		want      bool
	}{
		{v: text, prefix: text, want: true},
		{v: text, prefix: empty, want: true},
		{v: empty, prefix: text},
		{v: bytes, prefix: bytes, want: true},
		{v: bytes, prefix: text},
		{v: text, prefix: bytes},
		{v: nested, prefix: nested},
		{v: nested, prefix: empty},
	} {
		if got := begins(c.v, c.prefix); got != c.want {
			t.Errorf("begins(%+v, %+v) is %v", c.v, c.prefix, got)
		}
	}
}
