package item_test

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// hallEvent is an event with fields, given as JSON that begins with a comma.
func hallEvent(id, fields string) []byte {
	return []byte(`{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#` + id +
		`"},"v":{"N":"1"},"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="},` +
		`"_arrived":{"S":"2026-04-20T14:00:01.250Z"}` + fields + `}`)
}

// Values that DynamoDB never writes are errors or damage, scanned for the first time or again.
func TestScanner_UnusualValuesAreThoseOfTheItemDecoder(t *testing.T) {
	for _, value := range []string{
		`5`, `null`, `"x"`, `{}`, `{"S":5}`, `{"S":null}`, `{"S":{}}`, `{"N":null,"S":"x"}`, `{"S":"x","N":"1"}`, `{"S":"x","BOOL":true}`, `{"BOOL":5}`, `{"BOOL":null}`,
		`{"NULL":"true"}`, `{"BOOL":"true"}`, `{"X":"y"}`, `{"X":null}`, `{"S":"\ud800"}`, `{"B":5}`, `{"N":5}`, `[]`,
	} {
		for _, name := range []string{"x", "pk", "sk", "v", "_hash", "_arrived", "_late", "expiresAt", "gsi2pk"} {
			var s item.Scanner
			b := hallEvent("1", fmt.Sprintf(`,%q:%s`, name, value))
			if before, rest, found := strings.Cut(string(hallEvent("1", "")), fmt.Sprintf(`%q:{`, name)); found {
				_, rest, _ = strings.Cut(rest, "}")
				b = fmt.Appendf(nil, `%s%q:%s%s`, before, name, value, rest)
			}
			for range 3 {
				checkItem(t, &s, b)
				checkItem(t, &s, hallEvent("1", `,"x":{"S":"y"}`))
			}
		}
	}
}

func TestScanner_RejectsAValueOfTheWrongForm(t *testing.T) {
	for _, fields := range []string{`,"x":{"S":5}`, `,"x":5`, `,"x":{"BOOL":5}`, `,"x":{"S":"\ud800"}`,
		`,"\ud800":{"S":"y"}`} {
		var e model.Event
		if _, err := new(item.Scanner).Event(hallEvent("1", fields), 0, &e); err == nil {
			t.Errorf("%s: %+v, want an error", fields, e)
		}
	}
}

// An expiry beyond 64 bits is none.
func TestScanner_AnExpiryThatIsNoNumberIsNone(t *testing.T) {
	for _, expiry := range []string{"99999999999999999999", "1.5", "-99999999999999999999"} {
		checkItem(t, new(item.Scanner), hallEvent("1", fmt.Sprintf(`,"expiresAt":{"N":%q}`, expiry)))
	}
}

// Each of the 22 digits of a hash is checked.
func TestScanner_AHashWithAnyInvalidDigitIsDamaged(t *testing.T) {
	const hash = "nrcnk1N2IKA2YjYhJgjMHg"
	for i := range hash {
		damaged := hash[:i] + "!" + hash[i+1:]
		var e model.Event
		b := []byte(strings.Replace(string(hallEvent("1", "")), hash, damaged, 1))
		if _, err := new(item.Scanner).Event(b, 0, &e); err != nil || !e.Unreadable {
			t.Errorf("hash %s: %+v, %v; want an unreadable event", damaged, e, err)
		}
	}
	if _, err := base64.StdEncoding.DecodeString(hash + "=="); err != nil {
		t.Fatal(err)
	}
}

// An event keeps nothing of the one that was scanned into it before.
func TestScanner_LeavesNothingOfTheLastEvent(t *testing.T) {
	var s item.Scanner
	var used, fresh model.Event
	if _, err := s.Event(
		hallEvent("1", `,"_late":{"BOOL":true},"expiresAt":{"N":"7"},"location":{"S":"hall"},"gsi2pk":{"S":"BY#READING#location#hall"},"gsi2sk":{"S":"x"}`), 0, &used); err != nil || used.Unreadable || !used.Late {
		t.Fatalf("%+v, %v", used, err)
	}
	damaged := []byte(strings.Replace(string(hallEvent("2", `,"temperature":{"N":"1"}`)), `"B":"n`, `"B":"!`, 1))
	for _, e := range []*model.Event{&used, &fresh} {
		if _, err := s.Event(damaged, 0, e); err != nil || !e.Unreadable {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	if !cmp.Equal(used, fresh, equalDecimals) {
		t.Errorf("scanned into a used event: %+v, into a new one: %+v", used, fresh)
	}
}

// Events stay valid until Reset, however many there are and however many fields they have.
func TestScanner_EventsStayValidUntilReset(t *testing.T) {
	for _, each := range []int{1, 3, 16, 17, 64, 1023, 1024, 1025, 1100} {
		var s item.Scanner
		var all []model.Event
		for id := range 60 {
			var fields strings.Builder
			for i := range each {
				fmt.Fprintf(&fields, `,"f%04d":{"N":"%d"}`, (i*7+id)%each, id)
			}
			b := hallEvent(fmt.Sprint(id), fields.String())
			var e model.Event
			if _, err := s.Event(b, 0, &e); err != nil || e.Unreadable || len(e.Attrs) != each {
				t.Fatalf("event %d with %d fields: %d fields, %v", id, each, len(e.Attrs), err)
			}
			all = append(all, e)
		}
		for id, e := range all {
			for i, a := range e.Attrs {
				if a.Name != fmt.Sprintf("f%04d", i) || a.Value.Number != model.NewDecimal(int64(id)) {
					t.Fatalf("of %d fields, field %d of event %d is %v later", each, i, id, a)
				}
			}
		}
	}
}

func TestScanner_ResetReusesMemory(t *testing.T) {
	var s item.Scanner
	var e model.Event
	b := hallEvent("1", `,"x":{"N":"1"},"y":{"N":"2"},"z":{"N":"3"}`)
	scan := func() {
		s.Reset()
		if _, err := s.Event(b, 0, &e); err != nil || e.Unreadable {
			t.Fatal(err)
		}
	}
	scan()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10_000 {
		scan()
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 500_000 {
		t.Errorf("%d bytes allocated for 10,000 events after Reset", got)
	}
}

// The key that was parsed last is not taken for the escaped text of an item.
func TestScanner_AParsedKeyIsNotTheTextOfAnItem(t *testing.T) {
	for _, text := range []string{`d\n`, `d\u0041`, `d\\`} {
		b := []byte(strings.Replace(string(hallEvent("1", "")), "DEVICE#d", "DEVICE#"+text, 1))
		var s item.Scanner
		checkItem(t, &s, hallEvent("1", ""))
		checkItem(t, &s, hallEvent("1", ""))
		var to model.EventKey
		_ = s.EventKey(keys.Key{PK: "DEVICE#" + text, SK: "EVENT#READING##2026-04-20T14:00:00.000Z#1"}, &to)
		checkItem(t, &s, b)
	}
}
