package arguments

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Bounds parses the bounds of a rule from the flags --above, --below and --outside, of
// which one must be given.
func Bounds(above, below, outside string) (bounds entity.Bounds, low, high *model.Decimal, err error) {
	from, to, both := strings.Cut(outside, ",")
	switch {
	case above != "" && below == "" && outside == "":
		bounds, from, to = entity.Above, "", above
	case below != "" && above == "" && outside == "":
		bounds, from, to = entity.Below, below, ""
	case both && above == "" && below == "":
		bounds = entity.Outside
	default:
		return "", nil, nil, usage.Errorf("pass one of --above 30, --below 5 and --outside 18,24")
	}
	if low, err = bound(from); err == nil {
		high, err = bound(to)
	}
	return bounds, low, high, err
}

func bound(text string) (*model.Decimal, error) {
	if text == "" {
		return nil, nil
	}
	d, err := model.ParseDecimal(strings.TrimSpace(text))
	if err != nil {
		return nil, usage.Errorf("%q is not a number", text)
	}
	return &d, nil
}
