package arguments

import (
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Range parses the flags --from and --to of a half-open range; an empty text leaves that
// end open.
func Range(fromText, toText string) (from, to model.Time, err error) {
	if from, err = Time("from", fromText, model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = Time("to", toText, model.MaxTime+1)
	return from, to, err
}

// Time parses the text of a flag by usertime.Parse. It returns absent for an empty text.
func Time(flag, text string, absent model.Time) (model.Time, error) {
	if text == "" {
		return absent, nil
	}
	at, err := usertime.Parse(text)
	if err != nil {
		return 0, usage.Errorf("--%s: %w", flag, err)
	}
	return at, nil
}
