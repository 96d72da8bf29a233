package arguments

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Values is Fields for events: FIELD=VALUE is a number, true or false if VALUE is written as one, so that
// temperature=22.4 needs no colon. A measure must be a number, or removed.
func Values(args, measures []string) (model.Attrs, error) {
	attrs, err := Fields(args)
	if err != nil {
		return nil, err
	}
	for i, a := range attrs {
		if a.Value.Kind == model.Text {
			attrs[i].Value = typedValue(a.Value.Text)
		}
		measured := attrs[i].Value.Kind == model.Number || attrs[i].Value.Kind == model.Null
		if slices.Contains(measures, a.Name) && !measured {
			return nil, usererr.Errorf(
				"%s=%s: a measure is a number, such as %s=22.4, with a point and without a unit", a.Name, a.Value.Text,
				a.Name)
		}
	}
	return attrs, nil
}

// typedValue returns the value that a text is written as. A text such as 0042 or +49 is no number, because it
// would not be printed as it was typed.
func typedValue(text string) model.Value {
	if text == "true" || text == "false" {
		return model.BoolValue(text == "true")
	}
	digits := strings.TrimPrefix(text, "-")
	if strings.HasPrefix(digits, "+") || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return model.TextValue(text)
	}
	if number, err := model.ParseDecimal(text); err == nil {
		return model.NumberValue(number)
	}
	return model.TextValue(text)
}
