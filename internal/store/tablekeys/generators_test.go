package tablekeys_test

import (
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// hostile generates text that could break keys: separators, escapes, their digits, control
// characters and the characters that sort next to them, and runes of all lengths.
func hostile(least int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]rune{
		'#', '%', '$', '"', '&', ' ', '!', '~', '0', '2', '3', '5', 'A', 'a', 'b', 'Z', 'T', ':', '-', '.',
		0, 1, '\t', '\n', 0x1f, 0x7f, 0x80, 'é', '\uFFFD', '\uFFFF', '\U00010000', '🌊', '\U0010FFFF',
	}), least, 6), func(r []rune) string { return string(r) })
}

func anySeries() *rapid.Generator[model.Series] {
	return rapid.Custom(func(t *rapid.T) model.Series {
		return model.Series{
			Subject: model.Subject{Type: hostile(1).Draw(t, "type"), ID: hostile(1).Draw(t, "subject id")},
			Kind:    hostile(1).Draw(t, "kind"),
			Stream:  hostile(0).Draw(t, "stream"),
			Shard:   rapid.IntRange(0, 12).Draw(t, "shard"),
		}
	})
}

func anySubject() *rapid.Generator[model.Subject] {
	return rapid.Custom(func(t *rapid.T) model.Subject {
		return model.Subject{Type: hostile(1).Draw(t, "type"), ID: hostile(1).Draw(t, "id")}
	})
}
