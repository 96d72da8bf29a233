package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// write is a request of a sender.
type write struct {
	path, query, body string
	headers           map[string]string
	base64            bool
	key               *access.Scope // nil if no authorizer has checked a key
	rule              bool          // a rule of AWS IoT has signed the request
}

// anyKey allows everything.
var anyKey = &access.Scope{Key: "k1"}

func (w write) payload(t *testing.T) []byte {
	t.Helper()
	var r events.APIGatewayV2HTTPRequest
	r.Version = "2.0"
	r.RawPath = w.path
	r.RawQueryString = w.query
	r.Body = w.body
	r.Headers = w.headers
	r.IsBase64Encoded = w.base64
	r.RequestContext.HTTP.Method = "POST"
	if w.rule {
		r.RouteKey = "POST " + w.path
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			IAM: &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{UserARN: "arn:aws:sts::123456789012:assumed-role/rules/iot"},
		}
	}
	if w.key != nil {
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{Lambda: w.key.Context()}
	}
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func (f fixture) write(t *testing.T, w write) events.APIGatewayV2HTTPResponse {
	t.Helper()
	response, err := f.handle(invocation(t, "1"), w.payload(t))
	if err != nil {
		t.Fatalf("%s: %v", w.path, err)
	}
	return response.(events.APIGatewayV2HTTPResponse)
}

// events returns the stored events as text: partition, stream, time and fields.
func (f fixture) events(t *testing.T) (all []string) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if !strings.HasPrefix(it[keys.AttrSK].S, keys.ClassEvent+"#") {
			continue
		}
		e, err := item.Event(it)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s/%s %s %s", e.Series.Subject, e.Series.Kind, e.Series.Stream, e.Order.At)
		for _, a := range e.Attrs {
			text += fmt.Sprintf(" %s=%s", a.Name, a.Value.String())
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func requireEvents(t *testing.T, f fixture, want ...string) {
	t.Helper()
	if got := f.events(t); !slices.Equal(got, want) {
		t.Errorf("events:\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// Every sample in events/senders: the response, and how many events are stored.
func TestSenders_Samples(t *testing.T) {
	want := map[string]struct{ status, stored int }{
		"lines":                {204, 2},
		"lines-v1":             {204, 2},
		"lines-v3":             {204, 1},
		"lines-partial":        {400, 2},
		"lines-without-bucket": {400, 0},
		"lines-unchecked":      {401, 0},
		"metrics":              {200, 1},
		"metrics-not-otlp":     {400, 0},
		"metrics-other-type":   {415, 0},
	}
	files, err := filepath.Glob("../../events/senders/*.json")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %v; want %d", len(files), err, len(want))
	}
	for name, c := range want {
		f := newCollector(t, nil, nil)
		response, err := f.handle(invocation(t, "1"), sample(t, "../senders/"+name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := response.(events.APIGatewayV2HTTPResponse)
		if stored := f.events(t); r.StatusCode != c.status || len(stored) != c.stored {
			t.Errorf("%s: %d %s, stored %q; want %d and %d events", name, r.StatusCode, r.Body, stored, c.status,
				c.stored)
		}
	}
}

// telegraf are lines as Telegraf sends them without any configuration of ours: several
// measurements and tags for one host and time.
const telegraf = `cpu,cpu=cpu0,host=web-1 usage_idle=98.5,usage_user=1.5 1776693600000000000
cpu,cpu=cpu1,host=web-1 usage_idle=97,usage_user=3 1776693600000000000
mem,host=web-1 used=1024i,total=4096u,huge=f,state="ok" 1776693600123456789
`

var telegrafEvents = []string{
	"HOST/web-1/METRIC cpu,cpu=cpu0 2026-04-20T14:00:00.000Z usage_idle=98.5 usage_user=1.5",
	"HOST/web-1/METRIC cpu,cpu=cpu1 2026-04-20T14:00:00.000Z usage_idle=97 usage_user=3",
	"HOST/web-1/METRIC mem 2026-04-20T14:00:00.123Z huge=false state=\"ok\" total=4096 used=1024",
}

func TestSenders_TelegrafNeedsNoMapping(t *testing.T) {
	for _, w := range []write{
		{path: "/api/v2/write", query: "org=o&bucket=b&precision=ns"},
		{path: "/write", query: "db=telegraf"},
		{path: "/api/v3/write_lp", query: "db=telegraf"},
	} {
		f := newCollector(t, nil, nil)
		w.body, w.key = telegraf, anyKey
		for range 3 { // a repetition is stored once
			if r := f.write(t, w); r.StatusCode != 204 || r.Body != "" {
				t.Fatalf("%s: %d %s, want 204", w.path, r.StatusCode, r.Body)
			}
		}
		requireEvents(t, f, telegrafEvents...)
	}
}

func TestSenders_ReadsGzip(t *testing.T) {
	f := newCollector(t, nil, nil)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(telegraf))
	z.Close()
	w := write{path: "/api/v2/write", query: "bucket=b", body: base64.StdEncoding.EncodeToString(packed.Bytes()),
		base64:  true,
		headers: map[string]string{"content-encoding": "gzip"}, key: anyKey}
	if r := f.write(t, w); r.StatusCode != 204 {
		t.Fatalf("%d %s, want 204", r.StatusCode, r.Body)
	}
	requireEvents(t, f, telegrafEvents...)
}

// A point without a host is about the bucket. Points of one time are merged, in any order.
func TestSenders_MergesThePointsOfATime(t *testing.T) {
	f := newCollector(t, nil, nil)
	body := "a,room=1 x=1 1776693600000000000\na,room=1 y=2 1776693600000000999\na,room=1 x=1,y=2 " +
		"1776693600000000000"
	if r := f.write(t, write{path: "/api/v2/write", query: "bucket=home", body: body,
		key: anyKey}); r.StatusCode != 204 {
		t.Fatalf("%d %s, want 204", r.StatusCode, r.Body)
	}
	requireEvents(t, f, "HOST/home/METRIC a,room=1 2026-04-20T14:00:00.000Z x=1 y=2")
}

func TestSenders_StoresTheGoodLinesAndNamesTheOthers(t *testing.T) {
	f := newCollector(t, nil, nil)
	body := "ok,host=h x=1 1776693600000000000\n" +
		"broken\n" +
		"# a comment\n" +
		"ok,host=h x=2 1776693600000000000\n" + // another value for the same time
		"ahead,host=h x=1 1876693600000000000\n" +
		"wide,host=h x=1,_secret=2 1776693600000000000\n" +
		"exact,host=h x=123456789012345678901234567890123456789012 1776693600000000000\n" +
		"named,host=h id=7,timestamp=\"x\" 1776693600000000000\n"
	r := f.write(t, write{path: "/api/v2/write", query: "bucket=b", body: body, key: anyKey})
	var got struct {
		Code, Message, Error string
		Line                 int
		Data                 []struct {
			Line    int    `json:"line_number"`
			Message string `json:"error_message"`
		}
	}
	if err := json.Unmarshal([]byte(r.Body), &got); err != nil || r.StatusCode != 400 || got.Code != "invalid" ||
		got.Line != 2 || got.Error != got.Message {
		t.Fatalf("%d %s, %v; want 400 with the first line", r.StatusCode, r.Body, err)
	}
	if !strings.HasPrefix(got.Message, "partial write: line 2: column 7") ||
		!strings.Contains(got.Message, "dropped=3 of 7 lines") {
		t.Errorf("message %s", got.Message)
	}
	want := []struct {
		line int
		says string
	}{{2, "column 7"}, {4, "another value of the same field"}, {5, "ahead"}, {6, "_secret"}, {7, "digits"}}
	for i, w := range want {
		if i >= len(got.Data) || got.Data[i].Line != w.line || !strings.Contains(got.Data[i].Message, w.says) {
			t.Errorf("reason %d: %+v, want line %d and %q", i, got.Data, w.line, w.says)
		}
	}
	requireEvents(t, f, "HOST/h/METRIC exact 2026-04-20T14:00:00.000Z "+
		"x=\"123456789012345678901234567890123456789012\"",
		"HOST/h/METRIC named 2026-04-20T14:00:00.000Z id_=7 timestamp_=\"x\"", "HOST/h/METRIC ok 2026-04-20T14:00:00.000Z x=1",
		"HOST/h/METRIC wide 2026-04-20T14:00:00.000Z secret_=2 x=1")
}

// A host has more fields at one time than one observation may have.
func TestSenders_APointOfManyFieldsIsStoredInParts(t *testing.T) {
	f := newCollector(t, nil, nil)
	var fields, first, second []string
	for i := range 60 {
		field := fmt.Sprintf("f%02d=%d", i, i)
		fields = append(fields, field+"i")
		if i < 50 {
			first = append(first, field)
		} else {
			second = append(second, field)
		}
	}
	body := "kernel_vmstat,host=h1 " + strings.Join(fields, ",") + " 1776693600000000000"
	if r := f.write(t, write{path: "/api/v2/write", query: "bucket=b", body: body,
		key: anyKey}); r.StatusCode != 204 || len(r.Headers["Tidemark-Not-Stored"]) > 0 {
		t.Fatalf("%d %s %v, want 204 and all of it", r.StatusCode, r.Body, r.Headers)
	}
	requireEvents(t, f, "HOST/h1/METRIC kernel_vmstat 2026-04-20T14:00:00.000Z "+strings.Join(first, " "),
		"HOST/h1/METRIC kernel_vmstat,part=2 2026-04-20T14:00:00.000Z "+strings.Join(second, " "))
}

func TestSenders_MapsMeasurementsToOtherKinds(t *testing.T) {
	f := newCollector(t, func(c *config.Config) {
		c.Sources = append(c.Sources, config.SourceRow{Match: "weather*", Kind: "READING",
			Measurement: config.RoleDrop, OtherTags: config.RoleDrop,
			Tags:   []config.SourceTag{{Name: "station", Role: config.RoleSubject}, {Name: "sensor", Role: config.RoleStream}, {Name: "model", Role: config.RoleField}},
			Fields: []config.Rename{{From: "temp", To: "temperature"}}})
	}, nil)
	body := "weather2,station=roof,sensor=a,model=m1,host=x temp=21.5 1776693600000000000\nother,host=x " +
		"temp=1 1776693600000000000"
	if r := f.write(t, write{path: "/api/v2/write", query: "bucket=b", body: body,
		key: anyKey}); r.StatusCode != 204 {
		t.Fatalf("%d %s, want 204", r.StatusCode, r.Body)
	}
	requireEvents(t, f, "DEVICE/roof/READING sensor=a 2026-04-20T14:00:00.000Z model=\"m1\" temperature=21.5",
		"HOST/x/METRIC other 2026-04-20T14:00:00.000Z temp=1")
	// A kind that rejects times finer than a millisecond says so.
	r := f.write(t, write{path: "/api/v2/write", query: "bucket=b",
		body: "weather,station=roof temp=1 1776693600000000001", key: anyKey})
	if r.StatusCode != 400 || !strings.Contains(r.Body, "millisecond") {
		t.Errorf("%d %s, want 400", r.StatusCode, r.Body)
	}
}

func TestSenders_AKeyOnlyWritesWhatItAllows(t *testing.T) {
	f := newCollector(t, nil, nil)
	body := "a,host=acme:1 x=1 1776693600000000000\na,host=other:1 x=1 1776693600000000000"
	w := write{path: "/api/v2/write", query: "bucket=b", body: body,
		key: &access.Scope{Key: "k", Subjects: "acme:", Kinds: []string{"METRIC"}}}
	if r := f.write(t, w); r.StatusCode != 400 || !strings.Contains(r.Body, `"line":2`) ||
		!strings.Contains(r.Body, "does not allow METRIC of") {
		t.Errorf("%d %s, want 400 for line 2", r.StatusCode, r.Body)
	}
	w.key = &access.Scope{Key: "k", Kinds: []string{"READING"}}
	if r := f.write(t, w); r.StatusCode != 400 || !strings.Contains(r.Body, "dropped=2") {
		t.Errorf("%d %s, want 400 for both lines", r.StatusCode, r.Body)
	}
	requireEvents(t, f, "HOST/acme:1/METRIC a 2026-04-20T14:00:00.000Z x=1")
}

func TestSenders_RefusesARequestAsAWhole(t *testing.T) {
	bomb := func() string {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(bytes.Repeat([]byte("\n"), 100<<20))
		z.Close()
		return base64.StdEncoding.EncodeToString(packed.Bytes())
	}()
	packed := map[string]string{"content-encoding": "gzip"}
	for name, c := range map[string]struct {
		write
		status int
		says   string
	}{
		"no authorizer":       {write{path: "/api/v2/write", query: "bucket=b", body: telegraf}, 401, `"code":"unauthorized"`},
		"no bucket":           {write{path: "/api/v2/write", body: telegraf, key: anyKey}, 400, "parameter bucket is missing"},
		"no database":         {write{path: "/write", query: "bucket=b", body: telegraf, key: anyKey}, 400, "parameter db is missing"},
		"an unknown unit":     {write{path: "/write", query: "db=b&precision=d", body: telegraf, key: anyKey}, 400, "not a unit of time"},
		"a wrong query":       {write{path: "/write", query: "db=%zz", body: telegraf, key: anyKey}, 400, "escape it"},
		"too many lines":      {write{path: "/write", query: "db=b", body: strings.Repeat("a x=1\n", 1001), key: anyKey}, 413, "at most 1000 lines"},
		"too large":           {write{path: "/write", query: "db=b", body: strings.Repeat("#", 2<<20), key: anyKey}, 413, `"maxLength":1048576`},
		"a gzip bomb":         {write{path: "/write", query: "db=b", body: bomb, base64: true, headers: packed, key: anyKey}, 413, "decompressed"},
		"not gzip":            {write{path: "/write", query: "db=b", body: "eA==", base64: true, headers: packed, key: anyKey}, 400, "not valid gzip"},
		"another compression": {write{path: "/write", query: "db=b", body: "x", headers: map[string]string{"content-encoding": "zstd"}, key: anyKey}, 415, "gzip"},
		"a longer path":       {write{path: "/write/x", query: "db=b", body: telegraf, key: anyKey}, 404, "no kind has the path"},
	} {
		f := newCollector(t, nil, nil)
		if r := f.write(t, c.write); r.StatusCode != c.status || !strings.Contains(r.Body, c.says) {
			t.Errorf("%s: %d %.200s; want %d and %q", name, r.StatusCode, r.Body, c.status, c.says)
		}
		requireEvents(t, f)
	}
	f := newCollector(t, nil, nil)
	if r := f.write(t, write{path: "/write", query: "db=b", key: anyKey}); r.StatusCode != 204 {
		t.Errorf("an empty body: %d, want 204", r.StatusCode)
	}
	if r := f.write(t, write{path: "/write", query: "db=b", body: `a x="` + strings.Repeat("x", 1<<20-10) + `"`,
		key: anyKey}); r.StatusCode != 400 || !strings.Contains(r.Body, "too-long") && !strings.Contains(r.Body, "bytes of text") {
		t.Errorf("a line of 1 MB: %d %.300s, want 400", r.StatusCode, r.Body)
	}
}

// dark is a table that does not respond.
type dark struct {
	*memory.Table
	result storage.WriteResult
	err    error
}

func (d dark) Put(context.Context, model.Event) (storage.StoreResult, error) {
	return storage.StoreResult{Result: d.result}, d.err
}

// What may not be stored must be sent again, whatever the reason: a sender drops data after
// any other response.
func TestSenders_AskForARepetitionWhileTheTableDoesNotRespond(t *testing.T) {
	for name, d := range map[string]dark{
		"throttled":     {result: storage.Throttled},
		"unknown":       {result: storage.Unknown},
		"no such right": {err: errors.New("AccessDeniedException: tidemark-prod-Table")},
	} {
		f := newCollector(t, nil, func(m *memory.Table) store { d.Table = m; return d })
		r := f.write(t, write{path: "/api/v2/write", query: "bucket=b", body: telegraf + "broken\n", key: anyKey})
		if r.StatusCode != 503 || r.Headers["Retry-After"] == "" || !strings.Contains(r.Body, "again") ||
			strings.Contains(r.Body, "AccessDenied") {
			t.Errorf("%s: %d %v %s; want 503 with Retry-After", name, r.StatusCode, r.Headers, r.Body)
		}
	}
}
