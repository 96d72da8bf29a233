package formats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func readings(t *testing.T) *catalog.Kind {
	t.Helper()
	c, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &c.Kinds[0]
}

func timeAt(t *testing.T, text string) model.Time {
	t.Helper()
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func readAll(t *testing.T, in Input, files ...string) (all []Observation) {
	t.Helper()
	if err := in.Each(files, func(o Observation) error { all = append(all, o); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func csvInput(t *testing.T, columns, text string) Input {
	t.Helper()
	kind := readings(t)
	in := Input{Stdin: strings.NewReader(text), Kind: kind}
	var err error
	if in.Columns, err = ParseColumns(columns, kind); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestCSV_RowsBecomeObservations(t *testing.T) {
	const columns = "subject=device,stream=metric,time=ts,id=rec,value=value,site=place"
	for row, want := range map[string]string{
		`a,t,2026-04-20T09:00:00-05:00,7,1.50,north`:   `{"deviceId":"a","stream":"t","timestamp":"2026-04-20T09:00:00-05:00","id":"7","value":1.5,"site":"north"}`,
		`a,t,2026-04-20T09:00:00-05:00,7,,`:            `{"deviceId":"a","stream":"t","timestamp":"2026-04-20T09:00:00-05:00","id":"7","value":null}`,
		`a , t, 2026-04-20T14:00:00Z,7, 22.4 , x `:     `{"deviceId":"a","stream":"t","timestamp":"2026-04-20T14:00:00Z","id":"7","value":22.4,"site":"x"}`,
		`a,,1776693600,,NaN,12`:                        `{"deviceId":"a","timestamp":1776693600,"value":null,"site":12}`,
		`"a ""q"", b",t,2026-04-20T14:00:00Z,007,+5,x`: `{"deviceId":"a \"q\", b","stream":"t","timestamp":"2026-04-20T14:00:00Z","id":"007","value":5,"site":"x"}`,
	} {
		got := readAll(t, csvInput(t, columns, "device,metric,ts,rec,value,place\n"+row+"\n"), StdinName)
		if len(got) != 1 || string(got[0].Body) != want {
			t.Errorf("%s\ngot  %s\nwant %s", row, got[0].Body, want)
		}
		if !json.Valid(got[0].Body) {
			t.Errorf("%s is not JSON", got[0].Body)
		}
	}
}

func TestCSV_ReadsSeriesTimesAndLocations(t *testing.T) {
	got := readAll(t, csvInput(t, "subject=d,stream=m,time=t",
		"d,m,t\na,x,2026-04-20T09:00:00-05:00\na,y,1776693600\nb,x,never\n"), StdinName)
	if got[0].Series == got[1].Series || got[0].Series == got[2].Series {
		t.Error("different series have the same name")
	}
	if want := timeAt(t, "2026-04-20T14:00:00Z"); got[0].At != want || got[1].At != want || got[2].Timed {
		t.Errorf("times are %s, %s and %t", got[0].At, got[1].At, got[2].Timed)
	}
	if got[2].Location != "-:4" {
		t.Errorf("the third row is at %s, want -:4", got[2].Location)
	}
}

func TestParseColumns_RejectsIncompleteMaps(t *testing.T) {
	for text, want := range map[string]string{
		"subject":                     "want field=column",
		"subject=a,time=t,time=u":     "timestamp has two columns",
		"subject=a,time=t,deviceId=b": "deviceId has two columns",
		"subject=*,time=t":            "subject=* and value=* belong together",
		"subject=*,value=*":           "subject=* and value=* belong together",
		"subject=*,time=*,value=*":    "subject=* and value=* belong together",
		"subject=a,time=t,value=*":    "subject=* and value=* belong together",
	} {
		if _, err := ParseColumns(text, readings(t)); err == nil || !strings.Contains(err.Error(), want) ||
			!usererr.Is(err) {
			t.Errorf("%q = %v, want %q", text, err, want)
		}
	}
}

func TestNDJSON_LinesAreNotChanged(t *testing.T) {
	const text = "\n{\"deviceId\":\"a\", \"timestamp\":\"2026-04-20T14:00:00Z\"}\r\nnonsense\n  {\"timestamp\":1776693600,\"stream\":\"s\",\"deviceId\":\"a\"}"
	got := readAll(t, Input{Stdin: strings.NewReader(text), Kind: readings(t)}, StdinName)
	if len(got) != 3 || string(got[0].Body) != `{"deviceId":"a", "timestamp":"2026-04-20T14:00:00Z"}` ||
		string(got[1].Body) != "nonsense" {
		t.Fatalf("read %v", got)
	}
	if !got[0].Timed || got[1].Timed || !got[2].Timed || got[0].At != got[2].At ||
		got[0].Series == got[2].Series || got[1].Location != "-:3" {
		t.Errorf("read %+v", got)
	}
}

func TestShift_MovesAllTimesByTheSameAmount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.ndjson")
	text := `{"deviceId":"a","timestamp":"2021-04-20T09:00:00-05:00","value":1.50}` + "\n" +
		`{"deviceId":"a","timestamp":"2021-04-20T15:00:00Z","value":2}` + "\nnonsense\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := Input{Kind: readings(t)}
	survey, err := in.Survey([]string{path})
	if err != nil || survey.Total != 3 || survey.Newest != timeAt(t, "2021-04-20T15:00:00Z") {
		t.Fatalf("survey %+v, %v", survey, err)
	}
	by := timeAt(t, "2026-01-01T00:00:00Z").Time().Sub(survey.Newest.Time())
	var got []string
	for _, o := range readAll(t, in, path) {
		shifted, err := o.Shift(by)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(shifted.Body))
	}
	want := []string{
		`{"deviceId":"a","timestamp":"2025-12-31T23:00:00.000Z","value":1.50}`,
		`{"deviceId":"a","timestamp":"2026-01-01T00:00:00.000Z","value":2}`, "nonsense",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}
