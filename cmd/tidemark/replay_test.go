package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func readAll(t *testing.T, in input, files ...string) (all []observed) {
	t.Helper()
	if err := in.each(files, func(o observed) error { all = append(all, o); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func csvInput(t *testing.T, columns, text string) input {
	t.Helper()
	kind := testKind(t)
	in := input{stdin: strings.NewReader(text), kind: kind}
	var err error
	if in.columns, err = parseColumns(columns, kind); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestCSV_RowsBecomeObservations(t *testing.T) {
	const columns = "subject=device,stream=metric,time=ts,id=rec,value=value,site=place"
	for row, want := range map[string]string{
		`a,t,2026-04-20T09:00:00-05:00,7,1.50,north`:   `{"deviceId":"a","stream":"t","timestamp":"2026-04-20T09:00:00-05:00","id":"7","value":1.5,"site":"north"}`,
		`a,t,2026-04-20T09:00:00-05:00,7,,`:            `{"deviceId":"a","stream":"t","timestamp":"2026-04-20T09:00:00-05:00","id":"7","value":null}`,
		`a,,1776693600,,NaN,12`:                        `{"deviceId":"a","timestamp":1776693600,"value":"NaN","site":12}`,
		`"a ""q"", b",t,2026-04-20T14:00:00Z,007,+5,x`: `{"deviceId":"a \"q\", b","stream":"t","timestamp":"2026-04-20T14:00:00Z","id":"007","value":5,"site":"x"}`,
	} {
		got := readAll(t, csvInput(t, columns, "device,metric,ts,rec,value,place\n"+row+"\n"), stdinName)
		if len(got) != 1 || string(got[0].body) != want {
			t.Errorf("%s\ngot  %s\nwant %s", row, got[0].body, want)
		}
		if !json.Valid(got[0].body) {
			t.Errorf("%s is no JSON", got[0].body)
		}
	}
}

func TestCSV_TellsSeriesTimesAndPlaces(t *testing.T) {
	got := readAll(t, csvInput(t, "subject=d,stream=m,time=t", "d,m,t\na,x,2026-04-20T09:00:00-05:00\na,y,1776693600\nb,x,never\n"), stdinName)
	if got[0].series == got[1].series || got[0].series == got[2].series {
		t.Error("different series have one name")
	}
	if want := eventAt("2026-04-20T14:00:00Z", 0).At; got[0].at != want || got[1].at != want || got[2].timed {
		t.Errorf("times are %s, %s and %t", got[0].at, got[1].at, got[2].timed)
	}
	if got[2].place != "-:4" {
		t.Errorf("the third row stands at %s", got[2].place)
	}
}

func TestParseColumns_RefusesWhatCannotBeMeant(t *testing.T) {
	for text, want := range map[string]string{
		"subject":                     "want field=column",
		"subject=a":                   "no column for time",
		"time=t,value=v":              "no column for subject",
		"subject=a,time=t,time=u":     "timestamp has two columns",
		"subject=a,time=t,deviceId=b": "deviceId has two columns",
	} {
		if _, err := parseColumns(text, testKind(t)); err == nil || !strings.Contains(err.Error(), want) || exitStatus(err) != exitUsage {
			t.Errorf("%q = %v, want %q", text, err, want)
		}
	}
}

func TestNDJSON_LinesAreHandedOnAsTheyStand(t *testing.T) {
	const text = "\n{\"deviceId\":\"a\", \"timestamp\":\"2026-04-20T14:00:00Z\"}\r\nnonsense\n  {\"timestamp\":1776693600,\"stream\":\"s\",\"deviceId\":\"a\"}"
	got := readAll(t, input{stdin: strings.NewReader(text), kind: testKind(t)}, stdinName)
	if len(got) != 3 || string(got[0].body) != `{"deviceId":"a", "timestamp":"2026-04-20T14:00:00Z"}` || string(got[1].body) != "nonsense" {
		t.Fatalf("read %v", got)
	}
	if !got[0].timed || got[1].timed || !got[2].timed || got[0].at != got[2].at || got[0].series == got[2].series || got[1].place != "-:3" {
		t.Errorf("read %+v", got)
	}
}

func TestRebase_ShiftsAllTimesAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.ndjson")
	text := `{"deviceId":"a","timestamp":"2021-04-20T09:00:00-05:00","value":1.50}` + "\n" +
		`{"deviceId":"a","timestamp":"2021-04-20T15:00:00Z","value":2}` + "\nnonsense\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := input{kind: testKind(t)}
	p, err := makePlan(in, replayFlags{rebase: "2026-01-01T00:00:00Z"}, []string{path})
	if err != nil || p.total != 3 {
		t.Fatalf("plan %+v, %v", p, err)
	}
	var got []string
	for _, o := range readAll(t, in, path) {
		shifted, err := p.shift(o)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(shifted.body))
	}
	want := []string{
		`{"deviceId":"a","timestamp":"2025-12-31T23:00:00.000Z","value":1.50}`,
		`{"deviceId":"a","timestamp":"2026-01-01T00:00:00.000Z","value":2}`, "nonsense",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

// front is a fake of the HTTP front: it answers as told and keeps what it took in.
type front struct {
	mu     sync.Mutex
	calls  int
	taken  []string
	answer func(call int, lines []string) (status int, body string)
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	status, answer := f.answer(f.calls, lines)
	if status == http.StatusOK {
		f.taken = append(f.taken, lines...)
	}
	w.WriteHeader(status)
	io.WriteString(w, answer)
}

func verdictsOf(lines []string, v model.Verdict) string {
	list := make([]string, len(lines))
	for i := range list {
		list[i] = fmt.Sprintf(`{"verdict":%q}`, v)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func sendTo(t *testing.T, f *front, flags replayFlags, all []observed) (*sender, error) {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	s := newSender(server.URL, flags, &lines{w: io.Discard, began: time.Now(), told: time.Now()})
	err := s.sendAll(t.Context(), func(send func(observed) error) error {
		for _, o := range all {
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

func numbered(n, series int) (all []observed) {
	for i := range n {
		all = append(all, observed{body: fmt.Appendf(nil, "%d/%d", i%series, i), series: fmt.Sprint(i % series), place: fmt.Sprint("line ", i)})
	}
	return all
}

func TestReplay_KeepsTheOrderOfArrivalWithinEachSeries(t *testing.T) {
	f := &front{answer: func(_ int, lines []string) (int, string) { return 200, verdictsOf(lines, model.Applied) }}
	s, err := sendTo(t, f, replayFlags{batch: 7, concurrency: 4}, numbered(1000, 13))
	if err != nil || s.outcomes.of(model.Applied) != 1000 || len(f.taken) != 1000 {
		t.Fatalf("%d applied, %d taken in: %v", s.outcomes.of(model.Applied), len(f.taken), err)
	}
	last := map[string]int{}
	for _, line := range f.taken {
		var n int
		series, number, _ := strings.Cut(line, "/")
		fmt.Sscan(number, &n)
		if before, ok := last[series]; ok && n < before {
			t.Fatalf("series %s: %d came after %d", series, n, before)
		}
		last[series] = n
	}
}

func TestReplay_SendsAgainOnlyWhatHasNoVerdict(t *testing.T) {
	f := &front{answer: func(call int, lines []string) (int, string) {
		switch call {
		case 1:
			return 500, `{"message":"Internal Server Error"}`
		case 2:
			return 503, `[{"verdict":"applied"},{"verdict":"unknown"},{"verdict":"unknown"}]`
		}
		return 200, verdictsOf(lines, model.Duplicate)
	}}
	s, err := sendTo(t, f, replayFlags{batch: 10, concurrency: 1}, numbered(3, 1))
	if err != nil || s.outcomes.of(model.Applied) != 1 || s.outcomes.of(model.Duplicate) != 2 || s.outcomes.total() != 3 {
		t.Errorf("counted %v, %v", s.outcomes.count, err)
	}
	if !slices.Equal(f.taken, []string{"0/1", "0/2"}) {
		t.Errorf("sent again: %v", f.taken)
	}
}

func TestReplay_StopsAtAnAnswerThatWouldNotChange(t *testing.T) {
	f := &front{answer: func(int, []string) (int, string) { return 404, "no such kind" }}
	_, err := sendTo(t, f, replayFlags{batch: 10, concurrency: 1}, numbered(3, 1))
	var refused *refusedError
	if !errors.As(err, &refused) || f.calls != 1 || !strings.Contains(err.Error(), "no such kind") || exitStatus(err) != exitFailed {
		t.Errorf("after %d calls: %v", f.calls, err)
	}
}

func TestReplay_TellsWhatWasRejectedAndWhere(t *testing.T) {
	f := &front{answer: func(int, []string) (int, string) {
		return 200, `[{"verdict":"applied"},{"verdict":"rejected","errors":[{"field":"value","code":"x","message":"line 2: too large"}]}]`
	}}
	s, err := sendTo(t, f, replayFlags{batch: 10, concurrency: 1}, numbered(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s.outcomes.print(&out, 2*time.Second)
	want := "2 observations in 2s (1/s)\n  applied               1\n  rejected              1\n  rejected line 1: value: line 2: too large\n"
	if out.String() != want {
		t.Errorf("told\n%s\nwant\n%s", out.String(), want)
	}
}

func TestReplay_NoRequestIsLargerThanTheFrontTakes(t *testing.T) {
	var largest int
	f := &front{answer: func(_ int, lines []string) (int, string) {
		largest = max(largest, len(strings.Join(lines, "\n")))
		return 200, verdictsOf(lines, model.Applied)
	}}
	var all []observed
	for range 10 {
		all = append(all, observed{body: []byte(strings.Repeat("x", 300<<10))})
	}
	if _, err := sendTo(t, f, replayFlags{batch: 500, concurrency: 1}, all); err != nil || largest > 1<<20 || f.calls < 3 {
		t.Errorf("%d calls of up to %d bytes: %v", f.calls, largest, err)
	}
}

func TestGrouped_PutsCommasBetweenThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s", n, got)
		}
	}
}
