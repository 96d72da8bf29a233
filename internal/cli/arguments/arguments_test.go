package arguments

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCheckText_RejectsTextThatIsNotUTF8(t *testing.T) {
	if err := CheckText([]string{"latest", "devices/ä"}); err != nil {
		t.Error(err)
	}
	if err := CheckText([]string{"latest", "devices/\xff"}); !usererr.Is(err) {
		t.Errorf("error %v, want one of the usage", err)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ above, below, outside, want string }{
		{"30", "", "", "above - 30"}, {"", "5", "", "below 5 -"}, {"", "", "18, 24", "outside 18 24"},
		{"30", "5", "", "pass one of"}, {"", "", "", "pass one of"}, {"", "", "18", "pass one of"},
		{"hot", "", "", "--above hot: not a number"}, {"", "", "18,hot", "--outside hot: not a number"},
	} {
		bounds, low, high, err := Bounds(c.above, c.below, c.outside)
		text := func(d *model.Decimal) string {
			if d == nil {
				return "-"
			}
			return d.String()
		}
		got := string(bounds) + " " + text(low) + " " + text(high)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || err != nil && !usererr.Is(err) {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func TestClear(t *testing.T) {
	for _, c := range []struct {
		text   string
		bounds storage.Bounds
		want   string
	}{
		{"28", storage.Above, "- 28"}, {"7", storage.Below, "7 -"}, {"19, 23", storage.Outside, "19 23"},
		{"", storage.Above, "- -"}, {"hot", storage.Above, "--clear hot: not a number"},
		{"19,23", storage.Above, "pass one number"}, {"19", storage.Outside, "two with --outside"},
	} {
		low, high, err := Clear(c.text, c.bounds)
		got := fmt.Sprint(low, high)
		got = strings.ReplaceAll(got, "<nil>", "-")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || err != nil && !usererr.Is(err) {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func TestSubject_AcceptsPathNameAndBareID(t *testing.T) {
	all, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kinds      *catalog.Catalog
		text, want string
	}{
		{all, "devices/sensor_01", "DEVICE/sensor_01"},
		{all, "DEVICE/sensor_01", "DEVICE/sensor_01"},
		{all, "sites/a/b", "SITE/a/b"},
		{alone, "sensor_01", "DEVICE/sensor_01"},
		{all, "sensor_01", ""}, // two types are declared
		{all, "ships/sensor_01", ""},
		{alone, "ships/sensor_01", ""},
		{alone, "devices/", ""},
		{alone, "", ""},
	} {
		got, err := Subject(c.text, c.kinds)
		switch {
		case c.want == "" && !usererr.Is(err):
			t.Errorf("%q: %v, %v; want a usage error", c.text, got, err)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%q: %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestTime_AcceptsRFC3339DatesAndEpochs(t *testing.T) {
	for text, want := range map[string]string{
		"2026-04-20":                "2026-04-20T00:00:00.000Z",
		"2026-04-20T14:00:00+02:00": "2026-04-20T12:00:00.000Z",
		"1776643200":                "2026-04-20T00:00:00.000Z",
	} {
		if got, err := Time("from", text, 0); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	if _, err := Time("from", "yesterday", 0); !usererr.Is(err) || !strings.Contains(err.Error(), "--from") {
		t.Errorf("yesterday: %v, want a usage error that names the flag", err)
	}
}

func TestKinds_ReturnsTheNamedKindsOrAll(t *testing.T) {
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	site, device := model.Subject{Type: "SITE", ID: "my-site"}, model.Subject{Type: "DEVICE", ID: "a"}
	for _, c := range []struct {
		subject model.Subject
		kinds   []string
		want    string
	}{
		{site, nil, "PAGEVIEW REQUEST MALFORMED CUSTOMEVENT"},
		{site, []string{"requests"}, "REQUEST"},
		{site, []string{"MALFORMED", "pageviews"}, "MALFORMED PAGEVIEW"},
		{device, nil, "READING"},
		{site, []string{"READING"}, ""},
		{site, []string{"pageviews", ""}, ""},
	} {
		found, err := Kinds(kinds, c.subject, c.kinds)
		switch {
		case c.want == "" && !usererr.Is(err):
			t.Errorf("%s --kind %q: %v, want a usage error", c.subject, c.kinds, err)
		case c.want != "" && (err != nil || strings.Join(KindNames(found), " ") != c.want):
			t.Errorf("%s --kind %q: %v, %v; want %s", c.subject, c.kinds, KindNames(found), err, c.want)
		}
	}
}

// A group has rollups and no events: commands find its kind, and say so where they need an event.
func TestArguments_GroupsHaveAKindAndNoEvents(t *testing.T) {
	readings := iot.Readings
	readings.Groups = []string{"site"}
	kinds, err := catalog.New(readings)
	if err != nil {
		t.Fatal(err)
	}
	group := model.Subject{Type: "BY_SITE", ID: "berlin"}
	found, err := Kinds(kinds, group, nil)
	if err != nil || strings.Join(KindNames(found), " ") != "READING_BY_SITE" {
		t.Errorf("kinds %v, %v; want the kind of the groups", KindNames(found), err)
	}
	_, _, err = Event(kinds, "by-site/berlin", "", "", "2026-04-20", "")
	if !usererr.Is(err) || !strings.Contains(err.Error(), "name a subject of kind READING") {
		t.Errorf("an event of a group: %v, want a usage error that names the members' kind", err)
	}
}

func TestFields_ParsesWhatFieldsTextReturns(t *testing.T) {
	given := []string{`domains:=["a.example"]`, "floor:=3", "name=Hall 3", "ok:=true", `place:={"floor":2}`,
		"removed=", "sent with a space ="}
	attrs, err := Fields(given)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := FieldsText(attrs), strings.Join(given, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, wrong := range []string{"floor", "=3", "floor:=high", "floor:=[1", "floor = 3", " floor=3"} {
		if _, err := Fields([]string{wrong}); !usererr.Is(err) {
			t.Errorf("%q: got %v, want a usage error", wrong, err)
		}
	}
}

// Attrs are sorted: a lookup in fields in the order of the command line would not find all of them.
func TestFields_AreFoundInAnyOrder(t *testing.T) {
	attrs, err := Fields([]string{"temperature:=22.4", "note=", "battery:=3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"temperature", "note", "battery"} {
		if _, ok := attrs.Get(name); !ok {
			t.Errorf("%s is not found in %v", name, attrs)
		}
	}
	if _, err := Fields([]string{"note=a", "floor:=1", "note=b"}); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "note is given twice") {
		t.Errorf("note twice: %v, want a usage error that names it", err)
	}
}

func TestArguments_NameWhatWasMeant(t *testing.T) {
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	device := model.Subject{Type: "DEVICE", ID: "a"}
	_, subject := Subject("device/a", kinds)
	_, chosen := Kinds(kinds, device, []string{"readin"})
	_, ruled := RuleSubject(kinds, "device")
	_, rule := RuleKind(kinds, "DEVICE", "READINGS")
	for err, want := range map[error]string{subject: "devices", chosen: "READING", ruled: "devices",
		rule: "READING"} {
		if err == nil || !strings.HasSuffix(err.Error(), "(did you mean "+want+"?)") {
			t.Errorf("%v, want %s named", err, want)
		}
	}
	if _, err := Subject("devices", kinds); err == nil || !strings.Contains(err.Error(), "as in devices/ID") {
		t.Errorf("a type: %v, want its form with an id", err)
	}
}
