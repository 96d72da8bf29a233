package plausible

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// term is a filter of version 1: a dimension, == or !=, and values with | between them.
var term = regexp.MustCompile(`(?s)\A([a-z_]+:[^=!]+?)([=!]=)(.+)\z`)

// reportFilters reads filters of version 1, as visit:country==DE|FR;event:page!=/a, or filters of version 2
// as JSON. A backslash before a separator makes it a part of the value.
func reportFilters(text string) (all []json.RawMessage, err error) {
	all = []json.RawMessage{}
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &all) != nil {
			return nil, refuse("filters %.200s: want a list of filters", text)
		}
		return all, strict([]byte(text))
	}
	for _, part := range splitUnescaped(text, ';') {
		parts := term.FindStringSubmatch(part)
		if parts == nil {
			return nil, refuse("filter %.200q: want a property, == or !=, and a value: visit:country==DE",
				part)
		}
		operator := map[string]string{"==": "is", "!=": "is_not"}[parts[2]]
		values := splitUnescaped(parts[3], '|')
		if strings.Contains(parts[3], "*") {
			operator = strings.Replace(operator, "is", "matches", 1)
			if slices.Contains(paths, parts[1]) {
				values = lists.Map(values, storedPath)
			}
			values = lists.Map(values, func(v string) string {
				return `\A` + strings.ReplaceAll(regexp.QuoteMeta(v), `\*`, ".*") + `\z`
			})
		}
		filter, err := json.Marshal([]any{operator, parts[1], values})
		if err != nil {
			return nil, err
		}
		all = append(all, filter)
	}
	return all, nil
}

// splitUnescaped splits a text at a separator, and takes the backslashes off separators that are part of it.
// "" has no parts.
func splitUnescaped(text string, separator byte) (parts []string) {
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch escaped := text[i] == '\\' && i+1 < len(text) && text[i+1] == separator; {
		case escaped:
			i++
			part.WriteByte(separator)
		case text[i] == separator:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	if text == "" {
		return nil
	}
	return append(parts, part.String())
}
