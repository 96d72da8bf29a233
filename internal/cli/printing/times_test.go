package printing_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestTimes_ShowTheTimeInTheZoneAndFormat(t *testing.T) {
	at := model.Time(1775000000123)
	tokyo := time.FixedZone("", 9*3600)
	for _, c := range []struct {
		zone         *time.Location
		format, want string
	}{
		{nil, "", at.String()},
		{nil, "iso", "2026-03-31T23:33:20.123Z"},
		{tokyo, "", "2026-04-01T08:33:20.123+09:00"},
		{tokyo, "short", "2026-04-01 08:33:20"},
		{tokyo, "unix", "1775000000"},
		{nil, "unixms", "1775000000123"},
	} {
		if got := (printing.Times{Zone: c.zone, Format: c.format}).Text(at); got != c.want {
			t.Errorf("%v %q: %s, want %s", c.zone, c.format, got, c.want)
		}
	}
	for _, at := range []model.Time{model.MinTime, model.MaxTime, -1} {
		if got := (printing.Times{}).Text(at); got != at.String() {
			t.Errorf("%s is shown as %s", at, got)
		}
	}
}
