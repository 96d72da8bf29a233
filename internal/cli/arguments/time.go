package arguments

import (
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Range parses the flags --from and --to of a half-open range; an empty text leaves that end open.
func Range(fromText, toText string) (from, to model.Time, err error) {
	return RangeIn(time.UTC, fromText, toText)
}

// RangeIn is Range, but times without an offset are in a time zone.
func RangeIn(zone *time.Location, fromText, toText string) (from, to model.Time, err error) {
	if from, err = timeIn(zone, "from", fromText, model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = timeIn(zone, "to", toText, model.MaxTime+1)
	return from, to, err
}

// Time parses the text of a flag by usertime.Parse. It returns absent for an empty text.
func Time(flag, text string, absent model.Time) (model.Time, error) {
	return timeIn(time.UTC, flag, text, absent)
}

func timeIn(zone *time.Location, flag, text string, absent model.Time) (model.Time, error) {
	if text == "" {
		return absent, nil
	}
	at, err := times.ParseIn(text, zone)
	if err != nil {
		return 0, usererr.Errorf("--%s: %w", flag, err)
	}
	return at, nil
}

// Gap parses the range FROM..TO of the flag --gap.
func Gap(text string) (g storage.Gap, err error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" || to == "" {
		return g, usererr.Errorf(
			"--gap %q: want FROM..TO, as 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z, or recorded", text)
	}
	if g.From, err = Time("gap", from, 0); err != nil {
		return g, err
	}
	if g.To, err = Time("gap", to, 0); err != nil {
		return g, err
	}
	if g.From >= g.To {
		return g, usererr.Errorf("--gap %s: the range ends before it begins", text)
	}
	return g, nil
}
