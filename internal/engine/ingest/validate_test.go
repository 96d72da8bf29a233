package ingest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// reading returns a JSON object of sensor_01 at 10:30 with more members.
func reading(more string) string {
	return `{"deviceId":"sensor_01","timestamp":"2026-04-20T10:30:00Z"` + more + `}`
}

func with(name, value string) string { return fmt.Sprintf(`,%q:%s`, name, value) }

func members(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":%s`, i, form)
	}
	return b.String()
}

func long(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// strict declares what READING leaves open.
func strict(k *catalog.Kind) {
	k.IDs = catalog.RequiredID
	k.Enrichment = []string{"accountId"}
	k.Dimensions = []rollup.DimensionSpec{{Name: "country"}}
	k.Distinct = []string{"visitor"}
}

// ordered orders events by a number. They have no time.
func ordered(k *catalog.Kind) {
	k.OrderBy = "seq"
	k.OrderType = catalog.NumberOrder
	k.Latest = catalog.NoLatest
	k.Measures, k.Retention.Tiers = nil, nil
}

func madeIDs(k *catalog.Kind) { k.IDs = catalog.MintedID }

func TestValidation_RejectsEachErrorWithItsCode(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(*catalog.Kind)
		body   string
		field  string
		code   string
	}{
		{"not JSON", keeping, `{"deviceId":`, "", ingest.CodeNotJSON},
		{"two values", keeping, `{} {}`, "", ingest.CodeNotJSON},
		{"nothing", keeping, ``, "", ingest.CodeNotJSON},
		{"array", keeping, `[]`, "", ingest.CodeNotAnObject},
		{"string", keeping, `"x"`, "", ingest.CodeNotAnObject},
		{"null", keeping, `null`, "", ingest.CodeNotAnObject},
		{"invalid UTF-8", keeping, reading(with("location", "\"\xff\"")),
			"location", ingest.CodeInvalidUTF8},
		{"lone high surrogate", keeping, reading(with("location", `"\ud800"`)),
			"location", ingest.CodeLoneSurrogate},
		{"lone low surrogate in a name", keeping, reading(`,"\udc00":1`), "", ingest.CodeLoneSurrogate},
		{"two high surrogates", keeping, reading(with("location", `"\ud83d\ud83d"`)),
			"location", ingest.CodeLoneSurrogate},
		{"deeply nested", keeping, reading(with("a", strings.Repeat("[", 9000)+strings.Repeat("]", 9000))), "a", ingest.CodeNested},
		{"too deeply nested", keeping, reading(with("a", strings.Repeat("[", 20000)+strings.Repeat("]", 20000))), "", ingest.CodeNotJSON},
		{"name twice", keeping, reading(with("a", "1") + with("a", "2")), "a", ingest.CodeDuplicateName},
		{"name twice, once escaped", keeping, reading(with("a", "1") + `,"\u0061":2`),
			"a", ingest.CodeDuplicateName},
		{"timestamp twice", keeping, reading(with("timestamp", "1")), "timestamp", ingest.CodeDuplicateName},
		{"subject twice", keeping, reading(with("deviceId", `"b"`)),
			"deviceId", ingest.CodeDuplicateName},
		{"stream twice", keeping, reading(with("stream", `"a"`) + with("stream", `"b"`)),
			"stream", ingest.CodeDuplicateName},
		{"half a character in the id", keeping, reading(with("id", `"\ud83d"`)),
			"id", ingest.CodeLoneSurrogate},

		{"no subject", keeping, `{"timestamp":1776600001}`, "deviceId", ingest.CodeMissing},
		{"null subject", keeping, `{"deviceId":null,"timestamp":1776600001}`, "deviceId", ingest.CodeMissing},
		{"empty subject", keeping, `{"deviceId":"","timestamp":1776600001}`, "deviceId", ingest.CodeMissing},
		{"subject a number", keeping, `{"deviceId":7,"timestamp":1776600001}`, "deviceId", ingest.CodeWrongType},
		{"subject an object", keeping, `{"deviceId":{},"timestamp":1776600001}`, "deviceId", ingest.CodeWrongType},
		{"subject too long", keeping, `{"deviceId":` + long(513) + `,"timestamp":31536001}`,
			"deviceId", ingest.CodeTooLong},
		{"subject with a control character", keeping, `{"deviceId":"a\u0007b","timestamp":31536001}`,
			"deviceId", ingest.CodeControlCharacter},
		{"subject that is read backwards", keeping, `{"deviceId":"id-\u202Egnp.exe","timestamp":31536001}`,
			"deviceId", ingest.CodeControlCharacter},
		{"subject that looks like another", keeping, `{"deviceId":"sensor_01\u200B","timestamp":31536001}`,
			"deviceId", ingest.CodeControlCharacter},

		{"no time", keeping, `{"deviceId":"a"}`, "timestamp", ingest.CodeMissing},
		{"null time", keeping, `{"deviceId":"a","timestamp":null}`, "timestamp", ingest.CodeMissing},
		{"time a boolean", keeping, `{"deviceId":"a","timestamp":true}`, "timestamp", ingest.CodeWrongType},
		{"time an array", keeping, `{"deviceId":"a","timestamp":[1]}`, "timestamp", ingest.CodeWrongType},
		{"not a time", keeping, `{"deviceId":"a","timestamp":"yesterday"}`, "timestamp", ingest.CodeTimeForm},
		{"empty time", keeping, `{"deviceId":"a","timestamp":""}`, "timestamp", ingest.CodeTimeForm},
		{"a day that does not exist", keeping, `{"deviceId":"a","timestamp":"2025-02-29T00:00:00Z"}`, "timestamp", ingest.CodeTimeForm},
		{"no offset", keeping, `{"deviceId":"a","timestamp":"2026-04-20T10:30:00"}`, "timestamp", ingest.CodeTimeForm},
		{"time with an exponent in quotes", keeping, `{"deviceId":"a","timestamp":"1e9"}`,
			"timestamp", ingest.CodeTimeForm},
		{"time with a negative exponent", keeping, `{"deviceId":"a","timestamp":1e-9}`,
			"timestamp", ingest.CodeTimeForm},
		{"time with a long exponent", keeping, `{"deviceId":"a","timestamp":1e400}`,
			"timestamp", ingest.CodeTimeForm},
		{"microseconds with an exponent", keeping, `{"deviceId":"a","timestamp":1.7766936000001234E9}`,
			"timestamp", ingest.CodeTimeFiner},
		{"clock that is not set", keeping, `{"deviceId":"a","timestamp":12345}`, "timestamp", ingest.CodeTimeUnset},
		{"no time in Go", keeping, `{"deviceId":"a","timestamp":"0001-01-01T00:00:00Z"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"no time in .NET, east of UTC", keeping, `{"deviceId":"a","timestamp":"0001-01-01T02:00:00+01:00"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"no time in .NET, west of UTC", keeping, `{"deviceId":"a","timestamp":"0001-01-01T00:00:00-05:00"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"1970 west of UTC", keeping, `{"deviceId":"a","timestamp":"1969-12-31T19:00:05-05:00"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"1970 east of UTC", keeping, `{"deviceId":"a","timestamp":"1970-01-01T00:00:05+14:00"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"1970 by a local clock in UTC-12", keeping, `{"deviceId":"a","timestamp":"1969-12-31T12:00:05Z"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"32 bits of seconds that overflowed", keeping, `{"deviceId":"a","timestamp":"1901-12-13T20:45:52Z"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"the same in India", keeping, `{"deviceId":"a","timestamp":"1901-12-14T02:15:52Z"}`,
			"timestamp", ingest.CodeTimeUnset},
		{"in 1970", keeping, `{"deviceId":"a","timestamp":31535999}`, "timestamp", ingest.CodeTimeUnset},
		{"time before 1970 as a number", keeping, `{"deviceId":"a","timestamp":-1}`, "timestamp", ingest.CodeTimeRange},
		{"time beyond year 9999", keeping, `{"deviceId":"a","timestamp":999999999999999}`, "timestamp", ingest.CodeTimeRange},
		{"microseconds", keeping, `{"deviceId":"a","timestamp":"2026-04-20T10:30:00.123456Z"}`, "timestamp", ingest.CodeTimeFiner},
		{"six minutes ahead", keeping, `{"deviceId":"a","timestamp":"2026-04-20T12:06:00Z"}`, "timestamp", ingest.CodeTimeAhead},
		{"the last millisecond", keeping, `{"deviceId":"a","timestamp":"9999-12-31T23:59:59.999Z"}`, "timestamp", ingest.CodeTimeAhead},

		{"time of a kind that is ordered by a number", ordered, reading(with("seq", "1")), "timestamp", ingest.CodeNameReserved},
		{"stream a number", keeping, reading(with("stream", "1")), "stream", ingest.CodeWrongType},
		{"stream too long", keeping, reading(with("stream", long(257))), "stream", ingest.CodeTooLong},
		{"id a number", keeping, reading(with("id", "1")), "id", ingest.CodeWrongType},
		{"id of 5 KB", keeping, reading(with("id", long(5<<10))), "id", ingest.CodeTooLong},
		{"id required", strict, reading(""), "id", ingest.CodeMissing},
		{"id sent for a kind that makes ids", madeIDs, reading(with("id", `"x"`)), "id", ingest.CodeIDNotAllowed},
		{"ids that fit alone and not together", keeping, reading(with("id", `"`+strings.Repeat("#", 256)+`"`) + with("stream", `"`+strings.Repeat("#", 128)+`"`)), "", ingest.CodeKeyTooLong},

		{"field without a name", keeping, reading(with("", "1")), "", ingest.CodeNameEmpty},
		{"name too long", keeping, reading(with(strings.Repeat("n", 65), "1")), strings.Repeat("n", 64) + "…", ingest.CodeTooLong},
		{"name with a control character", keeping, reading(`,"a\nb":1`), "a\nb", ingest.CodeControlCharacter},
		{"name with a control character of 8 bits", keeping, reading(`,"a\u009Bb":1`), "a\u009bb",
			ingest.CodeControlCharacter},
		{"name of a key", keeping, reading(with("pk", "1")), "pk", ingest.CodeNameReserved},
		{"name of the TTL", keeping, reading(with("expiresAt", "1")), "expiresAt", ingest.CodeNameReserved},
		{"name of our own attribute", keeping, reading(with("_fence", "true")), "_fence", ingest.CodeNameReserved},
		{"name that a source sets", keeping, reading(with("tidemark_subject", `"x"`)), "tidemark_subject", ingest.CodeNameReserved},
		{"enrichment", strict, reading(with("id", `"1"`) + with("accountId", `"acct"`)), "accountId", ingest.CodeEnrichment},

		{"object under a name of 64 bytes", keeping, reading(with(strings.Repeat("n", 64), `{}`)), strings.Repeat("n", 64), ingest.CodeNested},
		{"object", keeping, reading(with("a", `{"b":1}`)), "a", ingest.CodeNested},
		{"array in a measure", keeping, reading(with("temperature", `[1]`)), "temperature", ingest.CodeNested},
		{"boolean in a measure", keeping, reading(with("temperature", `true`)), "temperature", ingest.CodeWrongType},
		{"number in a dimension", strict, reading(with("id", `"1"`) + with("country", `5`)), "country", ingest.CodeWrongType},
		{"boolean in a distinct count", strict, reading(with("id", `"1"`) + with("visitor", `true`)), "visitor", ingest.CodeWrongType},
		{"1e400", keeping, reading(with("temperature", `1e400`)), "temperature", ingest.CodeNumberRange},
		{"1e400 as text of a measure", keeping, reading(with("temperature", `"1e400"`)), "temperature", ingest.CodeNumberRange},
		{"39 digits", keeping, reading(with("n", strings.Repeat("1", 39))), "n", ingest.CodeNumberRange},
		{"1e-200", keeping, reading(with("n", `1e-200`)), "n", ingest.CodeNumberRange},
		{"10^15", keeping, reading(with("n", `1e15`)), "n", ingest.CodeNumberTooLarge},
		{"-10^15 as text of a measure", keeping, reading(with("temperature", `"-1000000000000000"`)), "temperature", ingest.CodeNumberTooLarge},
		{"text of 400 KB", keeping, reading(with("note", long(400<<10))), "note", ingest.CodeTooLong},
		{"text of a measure too long", keeping, reading(with("temperature", long(4097))), "temperature", ingest.CodeNumberForm},

		{"101 fields", keeping, reading(members(101, `"x"`)), "", ingest.CodeTooManyFields},
		{"1,000 fields", keeping, reading(members(1000, `1`)), "", ingest.CodeTooManyFields},
		{"51 measures", keeping, reading(members(51, `1`)), "", ingest.CodeTooManyMeasures},
		{"50 measures and a declared one that is null", keeping, reading(members(50, `1`) + with("temperature", "null")), "", ingest.CodeTooManyMeasures},
		{"100 fields of 4 KB", keeping, reading(members(100, long(4<<10))), "", ingest.CodeTooLarge},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := memory.New(clock)
			o := appendStrictly(t, serviceOn(table, 1), newKind(t, c.change), c.body)
			if o.Outcome != model.Rejected || len(o.Errors) != 1 || o.Errors[0].Field != c.field ||
				o.Errors[0].Code != c.code {
				t.Fatalf("got %s %+v, want rejected, field %q, code %q", o.Outcome, o.Errors, c.field, c.code)
			}
			if m := o.Errors[0].Message; len(m) < 10 || len(m) > 400 || !strings.ContainsAny(m, ":;") {
				t.Errorf("message %q: want one line with the problem, the reason and what to do", m)
			}
			if left := scan(t, table); len(left) != 0 {
				t.Errorf("stored: %v", left)
			}
		})
	}
}

// A message names the limit and what was sent, in this order.
func TestValidation_MessagesOfLimits(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		reading(members(101, `"x"`)): "101 fields: at most 100 in one observation",
		reading(members(51, `1`)):    "51 measures: at most 50 in one observation",
		reading(with("seq", "1")):    "events of READING are ordered by seq and have no time",
	} {
		change := keeping
		if strings.Contains(body, "seq") {
			change = ordered
		}
		if r := appendStrictly(t, serviceOn(memory.New(clock), 1), newKind(t, change), body); len(r.Errors) != 1 ||
			!strings.HasPrefix(r.Errors[0].Message, want) {
			t.Errorf("%+v, want one error, %q", r.Errors, want)
		}
	}
}

// appendStrictly appends an observation of which every part must be stored.
func appendStrictly(t *testing.T, s *ingest.Service, kind *catalog.Kind, body string) model.AppendResult {
	t.Helper()
	o := ingest.DecodeObject([]byte(body))
	o.Strict = true
	results, err := s.Append(t.Context(), kind, o)
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return results[0]
}

func appendBody(t *testing.T, s *ingest.Service, kind *catalog.Kind, body string) model.AppendResult {
	t.Helper()
	results, err := s.Append(t.Context(), kind, ingest.DecodeObject([]byte(body)))
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return results[0]
}

func TestValidation_ReportsEveryInvalidField(t *testing.T) {
	t.Parallel()
	o := appendStrictly(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
		`{"timestamp":"soon","stream":1,"a":{},"pk":"x","b":1e400}`)
	var got []string
	for _, e := range o.Errors {
		got = append(got, e.Field+" "+e.Code)
	}
	want := []string{"timestamp time-form", "stream wrong-type", "a nested", "b number-range",
		"deviceId missing", "pk name-reserved"}
	if !slices.Equal(got, want) {
		t.Errorf("errors: got %q, want %q", got, want)
	}
}

func TestValidation_AcceptsEverythingWithinTheLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"offset":                `{"deviceId":"a","timestamp":"2026-04-20T05:30:00-05:00"}`,
		"epoch seconds":         `{"deviceId":"a","timestamp":1776680000}`,
		"epoch seconds, parts":  `{"deviceId":"a","timestamp":1776680000.125}`,
		"epoch milliseconds":    `{"deviceId":"a","timestamp":1776680000125}`,
		"epoch text":            `{"deviceId":"a","timestamp":"1776680000"}`,
		"1971":                  `{"deviceId":"a","timestamp":31536000}`,
		"the last days of 1969": `{"deviceId":"a","timestamp":"1969-12-30T23:59:59Z"}`,
		"1901":                  `{"deviceId":"a","timestamp":"1901-12-13T20:45:00Z"}`,
		"year 1":                `{"deviceId":"a","timestamp":"0001-01-02T00:00:00Z"}`,
		"five minutes ahead":    `{"deviceId":"a","timestamp":"2026-04-20T12:05:00Z"}`,
		"no fields":             reading(""),
		"null stream and id":    reading(with("stream", "null") + with("id", "null")),
		"subject of 512 bytes":  `{"deviceId":` + long(512) + `,"timestamp":1776600001}`,
		"forged subject":        `{"deviceId":"a#EVENT#%23","timestamp":1776600001}`,
		"four-byte runes": reading(with("stream", `"😀"`) + with("id", `"😀"`) +
			with("note", `"\ud83d\ude00"`)),
		"escaped backslash":     reading(with("note", `"\\ud800"`)),
		"id of 256 bytes":       reading(with("id", long(256))),
		"name of 64 bytes":      reading(with(strings.Repeat("n", 64), "1")),
		"text of 4 KB":          reading(with("note", long(4096))),
		"100 fields":            reading(members(50, "1") + strings.ReplaceAll(members(50, `"x"`), "f", "g")),
		"just below 10^15":      reading(with("n", "999999999999999.999")),
		"smallest number":       reading(with("n", "1e-130")),
		"declared measure null": reading(with("temperature", "null")),
		"declared measure NaN":  reading(with("temperature", `"NaN"`)),
		"undeclared null":       reading(with("whatever", "null")),
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o := appendBody(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
				body); o.Outcome != model.Applied {
				t.Errorf("got %s %+v, want applied", o.Outcome, o.Errors)
			}
		})
	}
}

func TestValidation_StoresValuesInCanonicalForm(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	o := appendBody(t, serviceOn(table, 1), kind, reading(
		with("temperature", `"22.40"`)+with("humidity", `"NaN"`)+with("battery", `null`)+with("value", `" 1"`)+
			with("extra", `0.10`)+with("text", `"5"`)+with("on", `true`)+with("nothing", `null`)+
			with("exact", `12345678901234.5678901234567890123456`)))
	want := model.Attrs{
		{Name: "battery"},
		{Name: "exact", Value: model.NumberValue(model.MustDecimal("12345678901234.567890123456789012345600"))},
		{Name: "extra", Value: model.NumberValue(model.MustDecimal("0.1"))},
		{Name: "humidity", Value: model.TextValue("NaN")},
		{Name: "on", Value: model.BoolValue(true)},
		{Name: "temperature", Value: model.NumberValue(model.MustDecimal("22.4"))},
		{Name: "text", Value: model.TextValue("5")},
		{Name: "value", Value: model.NumberValue(model.MustDecimal("1"))},
	}
	got := readEvents(t, table, o.Key.Series)[0]
	if !slices.Equal(got.Attrs, want) {
		t.Errorf("stored fields: got %v, want %v", got.Attrs, want)
	}
	if got.Hash != model.HashAttrs(want) {
		t.Error("the hash differs from the validated fields' hash")
	}
	if want := []string{"battery", "humidity"}; !slices.Equal(o.Invalid, want) {
		t.Errorf("invalid measures: got %q, want %q", o.Invalid, want)
	}
}

func TestValidation_NamesMeasuresThatAreNoNumbersAndRejectsThemIfStrict(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"22,4", "1_000", "n/a", "0x10", "12 C", " "} {
		kind, table := newKind(t, keeping), memory.New(clock)
		service := serviceOn(table, 1)
		loose := ingest.DecodeObject([]byte(reading(with("temperature", fmt.Sprintf("%q", text)))))
		strictly := loose
		strictly.Strict = true
		results, err := service.Append(t.Context(), kind, strictly, loose)
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Outcome != model.Rejected || len(r.Errors) != 1 ||
			r.Errors[0].Code != ingest.CodeNumberForm || r.Errors[0].Field != "temperature" {
			t.Errorf("%q, strict: got %+v, want rejected with %s", text, r, ingest.CodeNumberForm)
		}
		if r := results[1]; r.Outcome != model.Applied || !slices.Equal(r.Invalid, []string{"temperature"}) {
			t.Errorf("%q: got %s, invalid %q, want applied with temperature invalid", text, r.Outcome, r.Invalid)
		}
	}
}

func TestValidation_HashDoesNotDependOnSpelling(t *testing.T) {
	t.Parallel()
	s, kind := serviceOn(memory.New(clock), 1), newKind(t, keeping)
	first := appendBody(t, s, kind,
		`{"deviceId":"a","timestamp":"2026-04-20T10:30:00Z","n":1.50,"temperature":7}`)
	again := appendBody(t, s, kind,
		`{"temperature":"7.0","n":15e-1,"x":null,"timestamp":1776681000000,"deviceId":"a"}`)
	if first.Outcome != model.Applied || again.Outcome != model.Duplicate {
		t.Errorf("got %s and %s, want applied and duplicate", first.Outcome, again.Outcome)
	}
}

func TestValidation_TruncatesFinerTimesIfDeclared(t *testing.T) {
	t.Parallel()
	kind := newKind(t, func(k *catalog.Kind) { k.FinerTime = model.TruncateFinerTime })
	o := appendBody(t, serviceOn(memory.New(clock), 1), kind,
		`{"deviceId":"a","timestamp":"2026-04-20T10:30:00.1239Z"}`)
	if o.Outcome != model.Applied || o.Key.At != at("2026-04-20T10:30:00.123Z") {
		t.Errorf("got %s at %s, want applied at …00.123Z", o.Outcome, o.Key.At)
	}
}

func TestValidation_SetsArrivalAndExpiry(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	appendAll(t, serviceOn(table, 1), kind, observation(minute(1), ""))
	e := readEvents(t, table, series(kind))[0]
	if want := clock().Add(30 * tier.Day24).Seconds(); e.ExpiresAt != want || e.ArrivedAt != clock() {
		t.Errorf("arrived %s, expires %d; want %s and %d, retention from write time", e.ArrivedAt, e.ExpiresAt,
			clock(), want)
	}
}

func TestValidation_SubjectMustMatchThatOfTheSource(t *testing.T) {
	t.Parallel()
	s, kind := serviceOn(memory.New(clock), 1), newKind(t, keeping)
	for body, want := range map[string]model.Outcome{
		`{"timestamp":1776600001}`:                        model.Applied,
		`{"timestamp":1776600002,"deviceId":"sensor_01"}`: model.Applied,
		`{"timestamp":1776600003,"deviceId":"sensor_02"}`: model.Rejected,
		`{"timestamp":1776600004,"deviceId":null}`:        model.Applied,
	} {
		o := ingest.DecodeObject([]byte(body))
		o.Subject = "sensor_01"
		results, err := s.Append(t.Context(), kind, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0]; got.Outcome != want && got.Outcome != model.Late ||
			got.Key.Series.Subject.ID != "sensor_01" {
			t.Errorf("%s: got %s for %s, want %s for sensor_01", body, got.Outcome, got.Key.Series.Subject, want)
		}
	}
}

func TestValidation_MakesAnEventID(t *testing.T) {
	t.Parallel()
	kind := newKind(t, madeIDs)
	eventIDs := func(origin string) (ids []string) {
		s := serviceOn(memory.New(clock), 1)
		for range 2 {
			d := observation(minute(1), "")
			d.Origin = origin
			ids = append(ids, appendAll(t, s, kind, d)[0].Key.ID)
		}
		return ids
	}
	if ids := eventIDs(""); ids[0] == ids[1] || len(ids[0]) != 26 {
		t.Errorf("without an origin: got %q, want two ULIDs", ids)
	}
	if ids := eventIDs("delivery/0"); ids[0] != ids[1] {
		t.Errorf("of one origin: got %q, want one id, so that a repeated delivery is the same event", ids)
	}
}

func TestValidation_ValidatesTypedValues(t *testing.T) {
	t.Parallel()
	kind := newKind(t, keeping)
	cases := map[string]struct {
		observation ingest.TypedObservation
		code        string
	}{
		"name twice":         {observation(minute(1), "", num("a", 1), num("a", 2)), ingest.CodeDuplicateName},
		"invalid UTF-8 text": {observation(minute(1), "", model.Attr{Name: "a", Value: model.TextValue("\xff")}), ingest.CodeInvalidUTF8},
		"invalid UTF-8 id":   {observation(minute(1), "\xff"), ingest.CodeInvalidUTF8},
		"subject as a field": {observation(minute(1), "", num("deviceId", 1)), ingest.CodeNameReserved},
		"before year 1":      {observation(model.MinTime-1, ""), ingest.CodeTimeRange},
		"ahead":              {observation(clock().Add(5*time.Minute+time.Millisecond), ""), ingest.CodeTimeAhead},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := appendAll(t, serviceOn(memory.New(clock), 1), kind, c.observation)[0]
			if o.Outcome != model.Rejected || o.Errors[0].Code != c.code {
				t.Errorf("got %s %+v, want rejected with code %s", o.Outcome, o.Errors, c.code)
			}
		})
	}
}

// An observation of too many fields is not examined further.
func TestValidation_TooManyFieldsAreTheOnlyError(t *testing.T) {
	t.Parallel()
	o := observation(minute(1), "", num("pk", 1), num("_x", 1))
	for i := range 99 {
		o.Attrs = append(o.Attrs, num(fmt.Sprint("f", i), 1))
	}
	r := appendAll(t, serviceOn(memory.New(clock), 1), newKind(t, keeping), o)[0]
	if len(r.Errors) != 1 || r.Errors[0].Code != ingest.CodeTooManyFields ||
		!strings.HasPrefix(r.Errors[0].Message, "101 fields: at most 100") {
		t.Errorf("errors %v, want one: %s, 101 instead of 100", r.Errors, ingest.CodeTooManyFields)
	}
}

func TestValidation_DoesNotModifyTheCallersFields(t *testing.T) {
	t.Parallel()
	d := observation(minute(1), "", num("z", 1), num("a", 2))
	appendAll(t, serviceOn(memory.New(clock), 1), newKind(t, keeping), d)
	if d.Attrs[0].Name != "z" {
		t.Errorf("the caller's fields were reordered: %v", d.Attrs)
	}
}
