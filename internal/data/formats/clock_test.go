package formats

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// The form of the times of a file is its author's: an error before anything is sent. A single wrong time is
// one row's, which the API rejects.
func TestClock_RefusesAFileOfOtherTimes(t *testing.T) {
	t.Parallel()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	read := func(clock timetext.Clock, times ...string) (got []string, err error) {
		name := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(name, []byte("deviceId,timestamp\nd,"+strings.Join(times, "\nd,")+"\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		in := Input{Kind: &kinds.Kinds[0], Clock: clock}
		err = in.Each([]string{name}, func(o Observation) error {
			got = append(got, fmt.Sprintf("%s %t", o.Body, o.Timed))
			return nil
		})
		return got, err
	}
	if got, err := read(timetext.Clock{}, "", "2026-11-22 10:00", "2026-11-22 10:05"); !usererr.Is(err) ||
		!errors.Is(err, timetext.ErrNoZone) || !strings.Contains(err.Error(), "a.csv:3: ") || got != nil {
		t.Errorf("read %v, error %v, want the line, what is wrong, and no row", got, err)
	}
	if got, err := read(timetext.Clock{}, "2026-11-22T10:00:00Z", "46348"); len(got) != 1 ||
		!errors.Is(err, timetext.ErrSmall) {
		t.Errorf("read %v, error %v, want the day number's", got, err)
	}
	got, err := read(timetext.Clock{Zone: time.UTC}, "then", "2026-11-22 10:05")
	want := []string{`{"deviceId":"d","timestamp":"then"} false`,
		`{"deviceId":"d","timestamp":"2026-11-22T10:05:00.000Z"} true`}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}
