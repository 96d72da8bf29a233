package replay

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fakeAPI is an HTTP API with prepared responses. It records the lines it accepted.
type fakeAPI struct {
	mu       sync.Mutex
	calls    int
	accepted []string
	respond  func(call int, lines []string) (status int, body string)
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	status, response := f.respond(f.calls, lines)
	if status == http.StatusOK {
		f.accepted = append(f.accepted, lines...)
	}
	w.WriteHeader(status)
	io.WriteString(w, response)
}

func outcomesJSON(lines []string, v model.Outcome) string {
	list := make([]string, len(lines))
	for i := range list {
		list[i] = fmt.Sprintf(`{"outcome":%q}`, v)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func sendTo(t *testing.T, f *fakeAPI, s *Sender, all []formats.Observation) (*Sender, error) {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	s.URL = server.URL
	err := s.Send(t.Context(), func(send func(formats.Observation) error) error {
		for _, o := range all {
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

func numbered(n, series int) (all []formats.Observation) {
	for i := range n {
		all = append(all, formats.Observation{Body: fmt.Appendf(nil, "%d/%d", i%series, i),
			Series: fmt.Sprint(i % series), Location: fmt.Sprint("line ", i)})
	}
	return all
}

func TestSend_KeepsTheOrderWithinEachSeries(t *testing.T) {
	f := &fakeAPI{respond: func(_ int, lines []string) (int, string) {
		return 200, outcomesJSON(lines, model.Applied)
	}}
	s, err := sendTo(t, f, &Sender{Batch: 7, Lanes: 4}, numbered(1000, 13))
	if err != nil || s.Counts.Count(model.Applied) != 1000 || len(f.accepted) != 1000 {
		t.Fatalf("%d applied, %d accepted: %v", s.Counts.Count(model.Applied), len(f.accepted), err)
	}
	last := map[string]int{}
	for _, line := range f.accepted {
		var n int
		series, number, _ := strings.Cut(line, "/")
		fmt.Sscan(number, &n)
		if before, ok := last[series]; ok && n < before {
			t.Fatalf("series %s: %d came after %d", series, n, before)
		}
		last[series] = n
	}
}

func TestSend_RepeatsOnlyObservationsWithoutAnOutcome(t *testing.T) {
	f := &fakeAPI{respond: func(call int, lines []string) (int, string) {
		switch call {
		case 1:
			return 500, `{"message":"Internal Server Error"}`
		case 2:
			return 503, `[{"outcome":"applied"},{"outcome":"unknown"},{"outcome":"unknown"}]`
		}
		return 200, outcomesJSON(lines, model.Duplicate)
	}}
	s, err := sendTo(t, f, &Sender{Batch: 10, Lanes: 1}, numbered(3, 1))
	if err != nil || s.Counts.Count(model.Applied) != 1 || s.Counts.Count(storedBefore) != 2 ||
		s.Counts.Count(model.Duplicate) != 0 || s.Counts.Total() != 3 {
		t.Errorf("counted %v, %v", s.Counts.count, err)
	}
	if !slices.Equal(f.accepted, []string{"0/1", "0/2"}) {
		t.Errorf("sent again: %v", f.accepted)
	}
}

// A lane that waits for an API that does not respond says so, once.
func TestSend_SaysWhyItWaitsOnce(t *testing.T) {
	t.Parallel()
	down := &fakeAPI{respond: func(call int, lines []string) (int, string) {
		if call <= 8 {
			return 502, "no gateway"
		}
		return 200, outcomesJSON(lines, model.Applied)
	}}
	var notices []string // by one lane
	s := &Sender{Batch: 10, Lanes: 1, Notice: func(text string) { notices = append(notices, text) }}
	if _, err := sendTo(t, down, s, numbered(3, 1)); err != nil || len(notices) != 1 ||
		!strings.HasPrefix(notices[0], "no outcome yet: requests are repeated up to 10 times in a row: ") ||
		!strings.Contains(notices[0], "no gateway") {
		t.Errorf("notices %q, %v; want one that says why", notices, err)
	}
}

func TestSend_StopsAtAPermanentError(t *testing.T) {
	f := &fakeAPI{respond: func(int, []string) (int, string) { return 404, "no such kind" }}
	_, err := sendTo(t, f, &Sender{Batch: 10, Lanes: 1}, numbered(3, 1))
	var permanent *permanentError
	if !errors.As(err, &permanent) || f.calls != 1 || !strings.Contains(err.Error(), "no such kind") {
		t.Errorf("after %d calls: %v", f.calls, err)
	}
}

func TestCounts_PrintTheLinesThatWereRejected(t *testing.T) {
	f := &fakeAPI{respond: func(int, []string) (int, string) {
		return 200, `[{"outcome":"applied"},{"outcome":"rejected","errors":[{"field":"value","code":"x","message":"line 2: too large"}]}]`
	}}
	s, err := sendTo(t, f, &Sender{Batch: 10, Lanes: 1}, numbered(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s.Counts.Print(&out, 2*time.Second)
	want := "2 observations in 2s (1/s)\n  applied               1\n  rejected              1\n  rejected line 1: value: line 2: too large\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

func TestCounts_PrintInvalidMeasuresAndWhatWasStoredBefore(t *testing.T) {
	f := &fakeAPI{respond: func(call int, _ []string) (int, string) {
		if call == 1 {
			return 502, "no response"
		}
		return 200, `[{"outcome":"duplicate","invalid":["t"]},{"outcome":"applied","invalid":["t","h"]},{"outcome":"applied"}]`
	}}
	s, err := sendTo(t, f, &Sender{Batch: 10, Lanes: 1}, numbered(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s.Counts.Print(&out, 3*time.Second)
	want := "3 observations in 3s (1/s)\n" +
		"  applied               2\n" +
		"  stored                1  sent again after a lost response, and already stored\n" +
		"  invalid               2  observations with a measure that is not a number; rollups count it as invalid; --strict rejects them\n" +
		"  invalid line 0: t\n" +
		"  invalid line 1: t, h\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

func TestSend_KeepsRequestsBelowTheLimitOfTheAPI(t *testing.T) {
	var largest int
	f := &fakeAPI{respond: func(_ int, lines []string) (int, string) {
		largest = max(largest, len(strings.Join(lines, "\n")))
		return 200, outcomesJSON(lines, model.Applied)
	}}
	var all []formats.Observation
	for range 10 {
		all = append(all, formats.Observation{Body: []byte(strings.Repeat("x", 300<<10))})
	}
	if _, err := sendTo(t, f, &Sender{Batch: 500, Lanes: 1}, all); err != nil || largest > 1<<20 || f.calls < 3 {
		t.Errorf("%d calls of up to %d bytes: %v", f.calls, largest, err)
	}
}
