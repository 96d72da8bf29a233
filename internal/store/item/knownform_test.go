package item

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// attributesOf has every attribute that an event can have, and one of ours that it cannot have.
var attributesOf = []string{
	`"pk":{"S":"DEVICE#d"}`, `"sk":{"S":"EVENT#READING##2026-04-20T14:00:0%d.000Z#"}`, `"v":{"N":"1"}`, `"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMHg=="}`,
	`"_arrived":{"S":"2026-04-20T14:00:01.250Z"}`, `"expiresAt":{"N":"1779285601"}`, `"_late":{"BOOL":true}`, `"gsi2pk":{"S":"BY#READING#location#hall"}`,
	`"_corrected":{"S":"2026-04-21T09:30:00.000Z"}`,
	`"gsi1pk":{"S":"x"}`, `"_alert":{"BOOL":false}`, `"_purge":{"NULL":true}`, `"temperature":{"N":"22.4"}`, `"location":{"S":"hall"}`, `"ok":{"BOOL":true}`, `"gone":{"NULL":true}`,
}

// completeItem returns an item with all attributes, beginning with the n-th.
func completeItem(n int) []byte {
	rotated := append(attributesOf[n:len(attributesOf):len(attributesOf)], attributesOf[:n]...)
	return []byte("{" + strings.ReplaceAll(strings.Join(rotated, ","), "%d", fmt.Sprint(n%10)) + "}")
}

func scanned(t *testing.T, s *Scanner, b []byte) model.Event {
	t.Helper()
	var e model.Event
	if next, err := s.Event(b, 0, &e); err != nil || next != len(b) || e.Unreadable {
		t.Fatalf("%s: %+v, %v", b, e, err)
	}
	return e
}

// The second item of a shape is scanned by the shape, with all of its values.
func TestScanner_ScansAKnownShapeByItsShape(t *testing.T) {
	for n := range attributesOf {
		var s Scanner
		want := scanned(t, &s, completeItem(n))
		var f rawItem
		b := completeItem(n)
		if next := s.matchShape(b, 0, &f, &s.events.shapes); next != len(b) {
			t.Fatalf("%s does not match its own shape: next %d", b, next)
		}
		if want.IndexBy != "location" || !want.Late {
			t.Errorf("indexed by %q, late %v; want location, true", want.IndexBy, want.Late)
		}
		if string(f.pk) != "DEVICE#d" || f.sameAsLast&(1<<rolePK) == 0 ||
			string(f.index) != "BY#READING#location#hall" || f.expiresAt != 1779285601 ||
			f.arrived != want.ArrivedAt || f.hash != want.Hash || !f.late || len(f.fields) != 4 ||
			f.damaged || f.corrected != want.CorrectedAt || f.corrected == 0 {
			t.Errorf("scanned by its shape: %+v, want the values of %+v", f, want)
		}
		other := []byte(strings.Replace(string(b), "DEVICE#d", "DEVICE#e", 1))
		if next := s.matchShape(other, 0, &f, &s.events.shapes); next != len(other) || string(f.pk) != "DEVICE#e" ||
			f.sameAsLast&(1<<rolePK) != 0 {
			t.Errorf("another subject: next %d, %+v", next, f)
		}
	}
}

// An attribute that was scanned before is known, wherever it is in an item.
func TestScanner_KnowsEachAttributeThatItHasScanned(t *testing.T) {
	var s Scanner
	scanned(t, &s, completeItem(0))
	for n := range attributesOf {
		b := completeItem(n)
		f := rawItem{fields: s.fieldBuffer()}
		i := 1
		for range attributesOf {
			next := s.knownAttribute(b, i, &f, &s.events.members)
			if next == jsonscan.Invalid {
				t.Fatalf("the attribute at %.40s is not known", b[i:])
			}
			i = next + 1 // the comma
		}
		if i != len(b) || len(f.fields) != 4 || f.expiresAt != 1779285601 || !f.late ||
			string(f.index) != "BY#READING#location#hall" {
			t.Errorf("%s: ends at %d of %d with %+v", b, i, len(b), f)
		}
		if again := s.knownAttribute(b, 1, &f, &s.events.members); n != 9 && n != 10 && n != 11 && n < 12 &&
			again != jsonscan.Invalid {
			t.Errorf("%.30s is taken twice", b)
		}
	}
}

// An attribute that is not known leaves nothing in the item.
func TestScanner_AnUnknownValueChangesNothing(t *testing.T) {
	var s Scanner
	scanned(t, &s, completeItem(0))
	for _, b := range []string{`"temperature":{"N":"x"}`, `"temperature":{"N":"1","S":"a"}`,
		`"location":{"S":"a\n"}`, `"pk":{"S":"\u0041"}`, `"_late":{"BOOL":1}`,
		`"_corrected":{"S":"2026"`,
		`"_arrived":{"S":"2026"`, `"_hash":{"B":"nrc"`, `"_hash":{"B":"nrcnk1N2IKA2YjYhJgjMH!=="}`, `"v":{"N":"2"}`, `"expiresAt":{"N":"-1"}`} {
		f := rawItem{fields: s.fieldBuffer()}
		if next := s.knownAttribute([]byte("{"+b+"}"), 1, &f, &s.events.members); next != jsonscan.Invalid ||
			len(f.fields) != 0 || f.roles != 0 || f.sameAsLast != 0 {
			t.Errorf("%s: next %d, %+v; want it unknown", b, next, f)
		}
	}
}

// Shapes that come back are learned, and ones that do not are given up: each learned shape doubles
// the number of items without a known shape before the next one is learned.
func TestScanner_LearnsShapesLessAndLessOften(t *testing.T) {
	var s Scanner
	item := func(i int) []byte {
		return []byte(strings.Replace(string(completeItem(0)), `"location"`, fmt.Sprintf(`"field%05d"`, i), 1))
	}
	var learned []int
	last := 0
	for i := range 1100 {
		scanned(t, &s, item(i))
		if cache := &s.events.shapes; cache.oldest != last {
			learned, last = append(learned, i), cache.oldest
		}
	}
	if got, want := fmt.Sprint(learned), "[0 2 6 14 30 62 126 254 510 1022]"; got != want {
		t.Errorf("learned the items %s, want %s", got, want)
	}
	cache := &s.events.shapes
	if cache.wait != 1023 || cache.unmatched != 1100-1023 {
		t.Errorf("waits for %d items, %d since the last; want 1023, 77", cache.wait, cache.unmatched)
	}
	var f rawItem
	b := item(1022)
	for cache.unmatched = 1; cache.unmatched < tryEvery; cache.unmatched++ {
		if next := s.matchShape(b, 0, &f, cache); next != jsonscan.Invalid {
			t.Errorf("item %d is tried, although matches are rare", cache.unmatched)
		}
	}
	for want := 511; want > 100; want /= 2 {
		if next := s.matchShape(b, 0, &f, cache); next != len(b) || cache.wait != want {
			t.Errorf("next %d, waits for %d; want a match, and %d", next, cache.wait, want)
		}
	}
}

// The four shapes that were learned last are known, each of them, and the one that matched last is
// tried first.
func TestScanner_RemembersFourShapes(t *testing.T) {
	var s Scanner
	cache := &s.events.shapes
	for n := range 5 {
		cache.wait, cache.unmatched = 0, 0
		scanned(t, &s, completeItem(n))
	}
	var f rawItem
	for _, n := range []int{1, 2, 3, 4, 2} {
		b := completeItem(n)
		if next := s.matchShape(b, 0, &f, cache); next != len(b) || cache.last != n%4 {
			t.Errorf("shape %d: next %d, last %d; want a match, and %d", n, next, cache.last, n%4)
		}
	}
	if next := s.matchShape(completeItem(0), 0, &f, cache); next != jsonscan.Invalid {
		t.Error("the oldest shape is still known")
	}
}

// A shape is not learned from an item that is too long, has too many attributes, or a value that an
// event cannot have.
func TestScanner_LearnsNoUnusualShape(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"f%d":{"N":"1"}`, i)
		}
		return b.String()
	}
	base := strings.TrimSuffix(string(completeItem(0)), "}")
	steps := len(attributesOf)
	for name, c := range map[string]struct {
		more string
		want bool
	}{
		"as it is":                  {"", true},
		"up to the number of steps": {many(maxSteps - steps - 1), true},
		"more steps":                {many(maxSteps - steps), false},
		"of the largest size":       {fmt.Sprintf(`,"x":{"S":"%s"}`, strings.Repeat("x", maxShapeBytes-len(base)-len(`,"x":{"S":""}}`))), true},
		"larger":                    {fmt.Sprintf(`,"x":{"S":"%s"}`, strings.Repeat("x", maxShapeBytes+1-len(base)-len(`,"x":{"S":""}}`))), false},
		"a list":                    {`,"x":{"L":[]}`, false},
	} {
		var s Scanner
		var e model.Event
		b := []byte(base + c.more + "}")
		if _, err := s.Event(b, 0, &e); err != nil {
			t.Fatal(name, err)
		}
		if learned := len(s.events.shapes.shapes[0].steps) > 0; learned != c.want {
			t.Errorf("%s (%d bytes): learned %v, want %v", name, len(b), learned, c.want)
		}
	}
}
