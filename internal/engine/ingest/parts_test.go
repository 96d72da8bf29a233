package ingest_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Numbers that are ids are common; a field that is named almost like one of the identity is not taken for it.
func TestAppend_AnIDMayBeAnIntegerAndASimilarNameIsNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"deviceId":7,"timestamp":1776600001,"id":5,"stream":3}`: "",
		`{"deviceId":7.5,"timestamp":1776600001}`:                 "is a number: want a string",
		`{"device_id":"a","timestamp":1776600001}`:                `"device_id" is not it: name it deviceId`,
		`{"deviceId":"a","time":1776600001}`:                      `"time" is not it: name it timestamp`,
		`{"deviceId":"a","timestamp":1776600001,"v":1,"_v":2}`:    "",
	} {
		r := appendBody(t, serviceOn(memory.New(clock), 1), newKind(t, keeping), body)
		text := ""
		for _, e := range r.Errors {
			text += e.Message
		}
		if (r.Outcome == model.Rejected) != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: %s %v, want %q", body, r.Outcome, r.Errors, want)
		}
		id := r.Key.Series.Subject.ID + r.Key.Series.Stream + r.Key.Order.ID
		if strings.Contains(body, `"stream"`) && id != "735" {
			t.Errorf("%s: stored under %q, want 7, 3 and 5", body, id)
		}
	}
}

// One part that cannot be stored is named in the result, and the rest of the observation is stored.
func TestAppend_LosesThePartAndNeverTheObservation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more    string
		field   string // of the part that is named; none for a value that rollups count as invalid
		code    string
		stored  string // the field that is stored for it
		value   string
		invalid bool
	}{
		"array":               {more: `,"tags":[1, "x"]`, field: "tags", code: ingest.CodeNested, stored: "tags", value: `"[1,\"x\"]"`},
		"member of an object": {more: `,"update":{"state":"idle"}`, stored: "update.state", value: `"idle"`},
		"key":                 {more: `,"pk":"x"`, field: "pk", code: ingest.CodeNameReserved, stored: "pk_", value: `"x"`},
		"version":             {more: `,"v":229.8`, field: "v", code: ingest.CodeNameReserved, stored: "v_", value: "229.8"},
		"underscore":          {more: `,"_id":"abc"`, field: "_id", code: ingest.CodeNameReserved, stored: "id_", value: `"abc"`},
		"both names":          {more: `,"v":1,"v_":2`, field: "v", code: ingest.CodeNameReserved, stored: "v_", value: "2"},
		"text too long":       {more: `,"a":` + long(5000), field: "a", code: ingest.CodeTooLong},
		"39 digits":           {more: `,"a":` + strings.Repeat("9", 39), field: "a", code: ingest.CodeNumberRange, stored: "a", value: `"` + strings.Repeat("9", 39) + `"`},
		"10^15":               {more: `,"uptime":1795642753000000000`, stored: "uptime", value: "1795642753000000000", invalid: true},
		"two values": {
			more: `,"a":1,"b":2,"a":3`, field: "a", code: ingest.CodeDuplicateName,
			stored: "b", value: "2",
		},
		"value twice": {more: `,"a":1,"a":1`, stored: "a", value: "1"},
		"two values inside": {
			more: `,"a":{"b":1,"b":2,"c":3}`, field: "a.b", code: ingest.CodeDuplicateName,
			stored: "a.c", value: "3",
		},
		"half a character": {
			more: `,"a":"\ud83d","b":2`, field: "a", code: ingest.CodeLoneSurrogate,
			stored: "b", value: "2",
		},
		"bytes of Latin-1": {
			more: ",\"a\":\"\xe9\",\"b\":2", field: "a", code: ingest.CodeInvalidUTF8,
			stored: "b", value: "2",
		},
		"NaN of Python": {
			more:   `,"humidity":NaN,"a":{"b":NaN},"c":"NaN"`,
			stored: "c", value: `"NaN"`, invalid: true,
		},
		"Infinity": {
			more:   `,"humidity":-Infinity`,
			stored: "humidity", value: `"-Infinity"`, invalid: true,
		},
		"name too long": {more: `,"` + strings.Repeat("n", 65) + `":1`, field: strings.Repeat("n", 64) + "…", code: ingest.CodeTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := memory.New(clock)
			kind := newKind(t, keeping)
			r := appendBody(t, serviceOn(table, 1), kind, reading(`,"temperature":21.5`+tc.more))
			if r.Outcome != model.Applied {
				t.Fatalf("%s %v, want applied", r.Outcome, r.Errors)
			}
			if tc.field == "" && len(r.NotStored) > 0 || tc.field != "" &&
				(len(r.NotStored) != 1 || r.NotStored[0].Field != tc.field || r.NotStored[0].Code != tc.code) {
				t.Errorf("not stored: %+v, want %s %s", r.NotStored, tc.field, tc.code)
			}
			if (len(r.Invalid) > 0) != tc.invalid {
				t.Errorf("invalid: %v, want %v", r.Invalid, tc.invalid)
			}
			if got, _ := r.Latest.Attrs.Get("temperature"); got.String() != "21.5" {
				t.Errorf("temperature is %s, want 21.5", got)
			}
			if got, ok := r.Latest.Attrs.Get(tc.stored); tc.stored != "" && (!ok || got.String() != tc.value) {
				t.Errorf("%s is %s, want %s", tc.stored, got, tc.value)
			}
		})
	}
}

func TestAppend_OfTooManyFieldsStoresTheFirstNames(t *testing.T) {
	t.Parallel()
	r := appendBody(t, serviceOn(memory.New(clock), 1), newKind(t, keeping),
		reading(members(60, "1")+with("temperature", "21.5")))
	if _, kept := r.Latest.Attrs.Get("temperature"); r.Outcome != model.Applied || !kept ||
		len(r.Latest.Attrs) != 50 {
		t.Errorf("%s with %d fields, temperature %v; want 50 of 61 with temperature", r.Outcome,
			len(r.Latest.Attrs), kept)
	}
	if len(r.NotStored) != 1+11 {
		t.Errorf("%d parts are named, want the limit and 11 fields", len(r.NotStored))
	}
}

// A rejected observation says what is wrong, and not in which form a part of it is stored.
func TestAppend_ARejectedObservationStoresNothingInAnotherForm(t *testing.T) {
	t.Parallel()
	for _, more := range []string{`"v":1`, `"a":[1]`, `"a":1e999`} {
		r := appendBody(t, serviceOn(memory.New(clock), 1), newKind(t, keeping), `{"deviceId":"d",`+more+`}`)
		if r.Outcome != model.Rejected || len(r.Errors) != 1 || r.Errors[0].Field != "timestamp" {
			t.Errorf("%s: %s %+v, want it rejected for the timestamp alone", more, r.Outcome, r.Errors)
		}
	}
}

func TestAppend_OfNothingThatCanBeStoredIsRejected(t *testing.T) {
	t.Parallel()
	r := appendBody(t, serviceOn(memory.New(clock), 1), newKind(t, keeping), reading(`,"a":`+long(5000)))
	if r.Outcome != model.Rejected || len(r.Errors) != 1 || r.Errors[0].Code != ingest.CodeTooLong {
		t.Errorf("%s %+v, want rejected", r.Outcome, r.Errors)
	}
}

func TestDecodeBody_ReadsABodyWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"\xEF\xBB\xBF" + reading(""), "\xEF\xBB\xBF[" + reading("") + "]"} {
		got, _, err := ingest.DecodeBody([]byte(body), 1)
		if err != nil || len(got) != 1 || got[0].DecodeError != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
	_, _, err := ingest.DecodeBody([]byte(`{"a":1,}`), 1)
	if err == nil || strings.Contains(err.Error(), "NaN") {
		t.Errorf("a comma too many: %v, want no word of NaN", err)
	}
}
