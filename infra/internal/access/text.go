package access

import (
	"fmt"
	"strings"
)

// text returns a value of a template as text: X for a reference, X.Arn for an attribute, the joined parts
// of a join. The stream of a table is named as one of its streams, and pseudo parameters without colons, so
// that ARNs have their usual parts.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return strings.TrimPrefix(ref, "AWS::")
		}
		if attribute, ok := v["Fn::GetAtt"].([]any); ok && len(attribute) == 2 {
			name := text(attribute[0]) + "." + text(attribute[1])
			return strings.ReplaceAll(name, ".StreamArn", ".Arn/stream/1")
		}
		if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
			var joined strings.Builder
			for _, part := range list(join[1]) {
				joined.WriteString(text(part))
			}
			return joined.String()
		}
	}
	return fmt.Sprint(value)
}

// owner returns the logical id that an ARN in the form of text begins with, or the text itself.
func owner(arn string) string {
	id, _, _ := strings.Cut(arn, ".")
	return id
}

// list returns the values of a list, or the one value.
func list(value any) []any {
	if value == nil {
		return nil
	}
	if all, ok := value.([]any); ok {
		return all
	}
	return []any{value}
}

// at returns the value at a path of members, nil if there is none.
func at(value any, path ...string) any {
	for _, name := range path {
		members, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = members[name]
	}
	return value
}

// matches reports whether text has the form of a pattern, in which * stands for any text. Of two ARNs, only
// the services and what follows the accounts are compared: a place may be a name or a reference.
func matches(pattern, text string) bool {
	return glob(place(pattern), place(text))
}

func place(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[0] != "arn" {
		return arn
	}
	return parts[2] + ":" + parts[5]
}

func glob(pattern, text string) bool {
	before, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, before)
	for i := 0; ok && i <= len(text); i++ {
		if glob(rest, text[i:]) {
			return true
		}
	}
	return false
}
