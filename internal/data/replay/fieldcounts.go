package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fieldCount is what became of the values of one field.
type fieldCount struct {
	stored, not int
	first       string // place and reason of the first value that was not stored as a value of its field
	doubts      int    // of those that were stored, and may be wrong
	firstDoubt  string // place and reason of the first
}

// storedOutcomes are the outcomes of observations that are stored.
var storedOutcomes = []model.Outcome{model.Applied, model.Late, model.Duplicate, storedBefore}

// fields counts the values of an observation by field. A value is not stored if nothing of its observation
// is, if the API named it, or if rollups count it as invalid.
func (c *Counts) fields(o formats.Observation, r result) {
	not := map[string]string{}
	for _, name := range o.Stray {
		not[name] = "is not as the other cells of its column are, and is text"
	}
	for _, name := range r.Invalid {
		not[name] = "is not a number that rollups can sum"
	}
	named := map[string]string{} // fields whose names are refused, not their values
	for _, e := range r.NotStored {
		if e.Code == ingest.CodeNameReserved {
			named[e.Field] = "the name " + e.Message
			continue
		}
		not[e.Field] = e.Message
	}
	whole := ""
	if !slices.Contains(storedOutcomes, r.Outcome) {
		whole = "is in an observation with the outcome " + string(r.Outcome)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range ingest.Leaves(ingest.DecodeObject(o.Body).Fields) {
		if f.Name == catalog.TimeField || f.Name == catalog.StreamField || f.Name == catalog.IDField ||
			f.Form == ingest.NullForm {
			continue
		}
		count := c.field(f.Name)
		value, name := cmp.Or(whole, take(not, f.Name)), take(named, f.Name)
		switch {
		case value != "":
			count.miss(fmt.Sprintf("%s: %s %s", o.Location, formats.Quote(f.Text), value))
		case name != "":
			count.miss(fmt.Sprintf("%s: %s", o.Location, name))
		default:
			count.stored++
			count.doubt(o, f)
		}
	}
	if whole == "" {
		c.undecoded(o.Location, r.NotStored, not)
	}
}

// undecoded counts the parts that the API named and that have no field: a member that cannot be decoded, or
// is there twice. reasons are the reasons that no field has taken.
func (c *Counts) undecoded(location string, parts []model.FieldError, reasons map[string]string) {
	for _, e := range parts {
		isTotal := e.Code == ingest.CodeTooManyFields || e.Code == ingest.CodeTooManyMeasures
		if reason := reasons[e.Field]; reason != "" && (e.Field != "" || !isTotal) {
			c.field(e.Field).miss(location + ": " + reason)
			delete(reasons, e.Field)
		}
	}
}

// field returns the count of a field. mu is held.
func (c *Counts) field(name string) *fieldCount {
	if c.byField == nil {
		c.byField = map[string]*fieldCount{}
	}
	if c.byField[name] == nil {
		c.byField[name] = &fieldCount{}
	}
	return c.byField[name]
}

// take removes and returns the reason of a name. The API shortens a long name in its errors.
func take(reasons map[string]string, name string) string {
	if _, ok := reasons[name]; !ok {
		name = ingest.ShownName(name)
	}
	reason := reasons[name]
	delete(reasons, name)
	return reason
}

func (f *fieldCount) miss(first string) {
	if f.not++; f.not == 1 {
		f.first = first
	}
}

// doubt counts a value of an observation that is stored, and may be wrong.
func (f *fieldCount) doubt(o formats.Observation, value ingest.Field) {
	i := slices.IndexFunc(o.Doubts, func(d formats.Doubt) bool { return d.Field == value.Name })
	if i < 0 {
		return
	}
	if f.doubts++; f.doubts == 1 {
		f.firstDoubt = fmt.Sprintf("%s: %s %s", o.Location, value.Text, o.Doubts[i].Why)
	}
}

// shownFields is how many fields are printed.
const shownFields = 10

// printFields writes the fields of which a value was not stored. mu is held.
func (c *Counts) printFields(w io.Writer) {
	shown := 0
	for _, name := range slices.Sorted(maps.Keys(c.byField)) {
		f := c.byField[name]
		if f.not == 0 && f.doubts == 0 {
			continue
		}
		if shown++; shown <= shownFields && f.doubts > 0 {
			fmt.Fprintf(w, "  field %s: %s of %s values may be wrong, the first at %s\n",
				terminal.Printable(name), terminal.Grouped(f.doubts), terminal.Grouped(f.not+f.stored),
				terminal.Printable(f.firstDoubt))
		}
		if shown <= shownFields && f.not > 0 {
			fmt.Fprintf(w, "  field %s: %s of %s values are not stored as they are, the first at %s\n",
				terminal.Printable(name),
				terminal.Grouped(f.not), terminal.Grouped(f.not+f.stored), terminal.Printable(f.first))
		}
	}
	if more := shown - shownFields; more > 0 {
		fmt.Fprintf(w, "  … and values of %d more fields\n", more)
	}
}
