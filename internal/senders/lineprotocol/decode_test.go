package lineprotocol_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	official "github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/lineprotocol"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var now = time.Date(2026, 4, 20, 14, 0, 1, 0, time.UTC)

func options() lineprotocol.Options {
	return lineprotocol.Options{
		Unit: lineprotocol.Unit(time.Nanosecond), Now: now, Points: 1000, Tags: 100, Fields: 100,
	}
}

// shown is a point as one line of text.
func shown(p points.Point) string {
	if p.Err != nil {
		return fmt.Sprintf("%d error %s: %s", p.Line, p.Err.Code, p.Err.Message)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", p.Line, p.Name)
	for _, t := range p.Tags {
		fmt.Fprintf(&b, ",%s=%s", t.Name, t.Value)
	}
	for _, f := range p.Fields {
		fmt.Fprintf(&b, " %s=%s(%s)", f.Name, f.Text, f.Form)
	}
	return b.String() + " " + p.At.UTC().Format(time.RFC3339Nano)
}

func TestDecode_ReadsEveryTypeWithTheDigitsSent(t *testing.T) {
	body := "# a comment\n\n" +
		`weather,host=h1,site=a\ b temp=21.50,count=7i,large=18446744073709551615u,ok=T,note="two` + "\n" + `lines" 1776693600123456789` + "\r\n" +
		"cpu value=1"
	points, err := lineprotocol.Decode([]byte(body), options())
	want := []string{
		"3 weather,host=h1,site=a b temp=21.50(a number) count=7(a number) large=18446744073709551615(a number) ok=true(a boolean) note=two\nlines(a string) 2026-04-20T14:00:00.123456789Z",
		"5 cpu value=1(a number) 2026-04-20T14:00:01Z",
	}
	if err != nil || len(points) != len(want) {
		t.Fatalf("%d points, %v; want %d", len(points), err, len(want))
	}
	for i, p := range points {
		if shown(p) != want[i] {
			t.Errorf("point %d:\n got %s\nwant %s", i, shown(p), want[i])
		}
	}
}

// A line that is wrong does not affect the others, whatever is wrong with it.
func TestDecode_KeepsTheLinesAroundAWrongOne(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{"cpu", "column 4: expected"},
		{"cpu ", "column 5: invalid character"},
		{",host=a x=1", "column 1"},
		{"cpu,host= x=1", "tag value"},
		{"cpu x=1i5", "not a valid value"},
		{"cpu x=NaN", "unrecognized type"},
		{"cpu x=tru,y=-1u", `field "x" is not a valid value`},
		{`cpu x="a` + "\n" + `b"c 5`, "column 3"},
		{`cpu x=tru,x="a` + "\n" + `b" 5 5`, "after timestamp"},
		{"cpu x=1 99999999999999999999", "out of range"},
		{"cpu x=1 5 5", "unexpected text after timestamp"},
		{"cpu,host=a,host=b x=1", `the tag "host" is there twice`},
		{"cp\x00u x=1", "column 3"},
		{"# \x00", "column 1"},
		{"cpu,a=\xff x=1", "utf-8"},
		{"c\xffpu x=1", "utf-8"},
	} {
		points, err := lineprotocol.Decode([]byte("first x=1 1\n"+c.line+"\nlast x=1 1"), options())
		if err != nil || len(points) != 3 || points[0].Name != "first" || points[2].Name != "last" {
			t.Errorf("%q: %v, %v; want three points", c.line, points, err)
			continue
		}
		if wrong := points[1]; wrong.Err == nil || wrong.Line != 2 || !strings.Contains(wrong.Err.Message, c.says) {
			t.Errorf("%q: %s; want an error on line 2 that says %s", c.line, shown(wrong), c.says)
		}
		if want := 3 + strings.Count(c.line, "\n"); points[2].Line != want {
			t.Errorf("%q: the last line has the number %d, want %d", c.line, points[2].Line, want)
		}
	}
}

// A value that is wrong costs its line nothing else, also where it is in front of a text with two lines.
func TestDecode_DropsAWrongValueAlone(t *testing.T) {
	for line, want := range map[string]string{
		"cpu x=tru,y=2":                   "y=2(a number)",
		`cpu x=-1u,y="a` + "\n" + `b"`:    "y=a\nb(a string)",
		"cpu x=99999999999999999999i,y=2": "x=99999999999999999999(a number) y=2(a number)",
		"cpu x=1e999,y=2":                 "x=1e999(a number) y=2(a number)",
		"cpu y=2,x=0x1F":                  "y=2(a number)",
		"cpu x\xff=1,y=2":                 "y=2(a number)",
		"cpu y=\"a\xffb\",x=1":            "y=a\xffb(a string) x=1(a number)", // the kind refuses y alone
	} {
		points, err := lineprotocol.Decode([]byte(line+" 1\nlast x=1 1"), options())
		if err != nil || len(points) != 2 || points[1].Name != "last" {
			t.Errorf("%q: %v, %v; want two points", line, points, err)
			continue
		}
		if got := shown(points[0]); !strings.Contains(got, " "+want+" ") {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
		isX := func(e model.FieldError) bool { return strings.HasPrefix(e.Field, "x") }
		if slices.ContainsFunc(points[0].Dropped, isX) == strings.Contains(want, "x=") {
			t.Errorf("%q: dropped %v", line, points[0].Dropped)
		}
	}
}

func TestDecode_ReadsTimesInTheirUnit(t *testing.T) {
	for _, c := range []struct{ unit, sent, want string }{
		{"ns", "1776693600123456789", "2026-04-20T14:00:00.123456789Z"},
		{"n", "-1", "1969-12-31T23:59:59.999999999Z"},
		{"us", "1776693600123456", "2026-04-20T14:00:00.123456Z"},
		{"u", "1776693600123456", "2026-04-20T14:00:00.123456Z"},
		{"millisecond", "1776693600123", "2026-04-20T14:00:00.123Z"},
		{"s", "1776693600", "2026-04-20T14:00:00Z"},
		{"m", "29611560", "2026-04-20T14:00:00Z"},
		{"h", "493526", "2026-04-20T14:00:00Z"},
		{"auto", "1776693600", "2026-04-20T14:00:00Z"},
		{"auto", "1776693600123", "2026-04-20T14:00:00.123Z"},
		{"auto", "1776693600123456", "2026-04-20T14:00:00.123456Z"},
		{"auto", "1776693600123456789", "2026-04-20T14:00:00.123456789Z"},
		{"s", "9223372037", ""}, // more nanoseconds than 63 bits hold
		{"h", "-9223372036854775808", ""},
	} {
		o := options()
		unit, ok := lineprotocol.ParseUnit(c.unit)
		if o.Unit = unit; !ok {
			t.Fatalf("%s is not a unit", c.unit)
		}
		points, _ := lineprotocol.Decode([]byte("a x=1 "+c.sent), o)
		got := ""
		if points[0].Err == nil {
			got = points[0].At.UTC().Format(time.RFC3339Nano)
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.sent, c.unit, got, c.want)
		}
	}
	if _, ok := lineprotocol.ParseUnit("d"); ok {
		t.Error("d is a unit, want not")
	}
}

func TestDecode_LimitsWhatABodyCanHold(t *testing.T) {
	o := options()
	o.Points = 2
	if _, err := lineprotocol.Decode([]byte("a x=1\na x=2\na x=3"), o); !errors.Is(err, ingest.ErrTooMany) {
		t.Errorf("three points: %v, want %v", err, ingest.ErrTooMany)
	}
	many := "a" + strings.Repeat(",t=1", 1_000_000) + " x=1\nb x=1"
	points, err := lineprotocol.Decode([]byte(many), options())
	if err != nil || len(points) != 2 || points[0].Err == nil || points[1].Name != "b" {
		t.Errorf("a million tags: %v, %v; want an error and the next line", points, err)
	}
	many = "a x=1" + strings.Repeat(",x=1", 1_000_000) + "\nb x=1"
	if points, err = lineprotocol.Decode([]byte(many), options()); err != nil || len(points) != 2 ||
		!strings.Contains(points[0].Err.Message, "more than 100 fields") {
		t.Errorf("a million fields: %v, %v; want an error and the next line", points, err)
	}
}

// The points are those that the official library returns, for any input.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"a,b=c d=1 5", "a d=1i,e=2u,f=t,g=\"x\ny\" 5\nb e=.5", "a\\ b,c\\=d=e\\,f g\\ h=\"\\\"\\n\" -1", "#c\n\r\na x=1\r\n", "a x=1\r", "a x=\"\n", "a x=1 x\nb y=2",
		"a x=tru,y=\"\n\" 1\nb y=2", "\xff x=1", "a x=1,", "a,=b x=1", "a,b= x=1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o := options()
		o.Points = 1 << 20
		o.Tags, o.Fields = o.Points, o.Points
		points, err := lineprotocol.Decode(body, o)
		if err != nil {
			t.Fatal(err)
		}
		d := official.NewDecoderWithBytes(body)
		for i := 0; d.Next(); i++ {
			want, failed, line := reference(d)
			switch {
			case i >= len(points):
				t.Fatalf("%q: %d points, want more", body, len(points))
			case failed && points[i].Err == nil:
				t.Fatalf("%q: point %d is %s, want an error", body, i, shown(points[i]))
			case failed && line < int64(points[i].Line):
				t.Fatalf("%q: the error is on line %d, got %d", body, line, points[i].Line)
			case !failed && points[i].Err == nil && shown(points[i]) != fmt.Sprint(points[i].Line)+want:
				t.Fatalf("%q: point %d\n got %s\nwant %s", body, i, shown(points[i]), want)
			}
		}
	})
}

// reference returns a point as shown does, without its line, as the official library decodes it
// by its own typed values.
func reference(d *official.Decoder) (text string, failed bool, line int64) {
	fail := func(err error) (string, bool, int64) {
		at := new(official.DecodeError)
		if errors.As(err, &at) {
			return "", true, at.Line
		}
		return "", true, 1 << 60
	}
	name, err := d.Measurement()
	if err != nil {
		return fail(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, " %s", name)
	for {
		key, value, err := d.NextTag()
		if err != nil {
			return fail(err)
		}
		if key == nil {
			break
		}
		fmt.Fprintf(&b, ",%s=%s", key, value)
	}
	var fields []string
	for {
		key, kind, value, err := d.NextFieldBytes()
		if err != nil {
			return fail(err)
		}
		if key == nil {
			break
		}
		form := map[official.ValueKind]ingest.Form{official.String: ingest.TextForm,
			official.Bool: ingest.BoolForm}[kind]
		if kind != official.String && kind != official.Bool {
			form = ingest.NumberForm
		}
		typed, err := official.NewValueFromBytes(kind, value)
		text := string(value)
		if err == nil && kind == official.Bool {
			text = typed.String()
		}
		if err == nil || errors.Is(err, official.ErrValueOutOfRange) {
			fields = append(fields, fmt.Sprintf(" %s=%s(%s)", key, text, form))
		}
	}
	at, err := d.Time(official.Nanosecond, now)
	if err != nil {
		return fail(err)
	}
	return b.String() + strings.Join(fields, "") + " " + at.UTC().Format(time.RFC3339Nano), false, 0
}

func TestDecode_AByteOrderMarkIsNoPartOfAName(t *testing.T) {
	o := lineprotocol.Options{Points: 1, Tags: 1, Fields: 1}
	got, err := lineprotocol.Decode([]byte("\xEF\xBB\xBFm v=1"), o)
	if err != nil || len(got) != 1 || got[0].Name != "m" {
		t.Errorf("%+v, %v; want m", got, err)
	}
}

func TestDecode_NamesTheUnitOfATimeThatIsOutOfRange(t *testing.T) {
	o := options()
	o.Unit = lineprotocol.Unit(time.Second)
	points, _ := lineprotocol.Decode([]byte("a x=1 1776693600123"), o)
	if p := points[0]; p.Err == nil || !strings.Contains(p.Err.Message, "1776693600123 is a time in ms") {
		t.Errorf("milliseconds with precision s: %v, want the unit named", p.Err)
	}
}

// What microcontrollers and scripts print for no value costs its field alone.
func TestDecode_AValueOfNoTypeLosesItsFieldAlone(t *testing.T) {
	for line, want := range map[string]string{
		`m,host=a  f=1,g=nan`:                            "1 m,host=a f=1(a number)",
		`m,host=a f=NaN,g=2,h=inf,k=+Inf 1000000000`:     "1 m,host=a g=2(a number)",
		`m,host=a\ b,c=x\=nan f=N/A,g="x=nan, \"y=no\""`: `1 m,host=a b,c=x=nan g=x=nan, "y=no"(a string)`,
		`m,host=null f\ =null,g=None,h=t`:                "1 m,host=null h=true(a boolean)",
		`m f=2,g='x'` + "\r":                             "1 m f=2(a number)",
		`m f=nan`:                                        "1 error",
		`m f=1,g=`:                                       "1 error",
		`m f=21,5,g=2`:                                   "1 error",
		`m f=1,g=nan soon`:                               "1 error",
	} {
		found, err := lineprotocol.Decode([]byte(line+"\nnext f=1"), options())
		if err != nil || len(found) != 2 || found[1].Name != "next" || found[1].Line != 2 {
			t.Errorf("%s: %+v, %v", line, found, err)
			continue
		}
		got, _, _ := strings.Cut(shown(found[0]), " 20")
		if got, _, _ = strings.Cut(got, " 1970"); want == "1 error" {
			got = got[:min(len(got), len(want))]
		}
		if got != want {
			t.Errorf("%s is %s, want %s", line, got, want)
		}
		if want != "1 error" && len(found[0].Dropped) == 0 {
			t.Errorf("%s: nothing is counted as dropped", line)
		}
	}
}
