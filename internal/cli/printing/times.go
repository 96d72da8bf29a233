package printing

import (
	"cmp"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Times says how times are shown. The zero value shows them as the HTTP API does: in UTC, with milliseconds.
type Times struct {
	Zone   *time.Location // nil means UTC
	Format string         // a key of TimeFormats
}

// TimeFormats are the formats of times by name.
var TimeFormats = map[string]func(time.Time) string{
	"":       iso,
	"iso":    iso,
	"short":  func(t time.Time) string { return t.Format(time.DateTime) },
	"unix":   func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
	"unixms": func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
}

func iso(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") }

// Text returns the text of a time.
func (f Times) Text(t model.Time) string {
	return TimeFormats[f.Format](t.Time().In(cmp.Or(f.Zone, time.UTC)))
}
