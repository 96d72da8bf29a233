package messages

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// relativeTimes is the time in seconds below which times count from now (RFC 8428, section 4.5.3).
const relativeTimes = 1 << 28

// base are the members of records that hold for the records after them.
type base struct {
	name    string
	numbers map[string]*big.Rat          // by the names of baseNumbers
	wrong   map[string]*model.FieldError // why one of them cannot be read: then no record below it can
}

// baseNumbers are the members of a base that are numbers, with the code of one that is not.
var baseNumbers = map[string]string{
	"bt": ingest.CodeTimeForm, "bv": points.CodeSyntax, "bs": points.CodeSyntax, "bver": points.CodeSyntax,
}

// version is the newest version of SenML that is read (RFC 8428, section 4.4).
const version = 10

// records returns the points of a pack of SenML: one for each device and time, with a field for each record.
// The name of a record is the id of its device up to the last colon or slash, and its field behind that.
func records(objects []ingest.Observation, o Options) (all []points.Point) {
	b := base{numbers: map[string]*big.Rat{}, wrong: map[string]*model.FieldError{}}
	for i, object := range objects {
		wrong := object.DecodeError
		if len(object.Dropped) > 0 { // each member says what another is
			wrong = &object.Dropped[0]
		}
		if wrong != nil {
			all = append(all, points.Invalid(i+1, wrong.Code, wrong.Message))
			continue
		}
		members := map[string]ingest.Field{}
		for _, f := range object.Fields {
			members[f.Name] = f
		}
		b.read(members)
		if wrong := cmp.Or(unreadable(members), b.unreadable()); wrong != nil {
			all = append(all, points.Invalid(i+1, wrong.Code, wrong.Message))
			continue
		}
		f, ok := b.field(members)
		if !ok {
			if !isBase(members) {
				all = append(all, points.Invalid(i+1, ingest.CodeMissing,
					"the record has no value: send v, vs, vb, vd or s (RFC 8428)"))
			}
			continue
		}
		device, at := b.device(members, &f), b.at(members, o.Now)
		same := func(p points.Point) bool { return p.Err == nil && p.At.Equal(at) && p.Tags[0].Value == device }
		n := slices.IndexFunc(all, same)
		if n < 0 {
			n = len(all)
			tags := []points.Tag{{Name: deviceTag, Value: device}}
			all = append(all, points.Point{Line: i + 1, Name: o.Source, At: at, Tags: tags})
		}
		all[n].Fields = append(all[n].Fields, f)
		if _, sum := members["s"]; sum && !isSum(members) {
			all[n].Dropped = append(all[n].Dropped, model.FieldError{
				Field: f.Name + ".s", Code: ingest.CodeUndeclared,
				Message: "is a sum beside a value, which is stored: send the sum as a record of its own"})
		}
	}
	return all
}

// unreadable returns why a record has another meaning than its known members say: its time is no number, so
// that the time of arrival would be wrong, or it has a member that a reader must understand (RFC 8428, 4.4).
func unreadable(members map[string]ingest.Field) *model.FieldError {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch {
		case name == "t" && number(members[name]) == nil:
			return &model.FieldError{Field: name, Code: ingest.CodeTimeForm, Message: fmt.Sprintf(
				"%s is %.64q: send a number of seconds (RFC 8428)", name, members[name].Text)}
		case strings.HasSuffix(name, "_"):
			return &model.FieldError{Field: name, Code: ingest.CodeUndeclared, Message: fmt.Sprintf(
				"the record has %.64q, which a reader must understand (RFC 8428, 4.4) and is not known: "+
					"leave it out", name)}
		}
	}
	return nil
}

// isBase reports whether a record has base members alone.
func isBase(members map[string]ingest.Field) bool {
	for name := range members {
		if !strings.HasPrefix(name, "b") {
			return false
		}
	}
	return true
}

// deviceTag is the tag of a record's device.
const deviceTag = "bn"

func (b *base) read(members map[string]ingest.Field) {
	if f, ok := members["bn"]; ok {
		b.name = f.Text
	}
	for name, code := range baseNumbers {
		f, ok := members[name]
		if !ok {
			continue
		}
		delete(b.wrong, name)
		b.numbers[name] = number(f)
		switch {
		case b.numbers[name] == nil:
			b.wrong[name] = &model.FieldError{Field: name, Code: code, Message: fmt.Sprintf(
				"%s is %.64q: send a number (RFC 8428)", name, f.Text)}
		case name == "bver" && b.numbers[name].Cmp(big.NewRat(version, 1)) > 0:
			b.wrong[name] = &model.FieldError{Field: name, Code: code, Message: fmt.Sprintf(
				"version %.20s of SenML is not known: send version %d or older (RFC 8428)", f.Text, version)}
		}
	}
}

// unreadable returns why the records below the present base cannot be read.
func (b *base) unreadable() *model.FieldError {
	for _, name := range slices.Sorted(maps.Keys(b.wrong)) {
		return b.wrong[name]
	}
	return nil
}

// number returns the value of a member that is a number, else nil.
func number(f ingest.Field) *big.Rat {
	n, ok := new(big.Rat).SetString(f.Text)
	if !ok || f.Form != ingest.NumberForm {
		return nil
	}
	return n
}

// isSum reports whether the value of a record is its sum.
func isSum(members map[string]ingest.Field) bool {
	return !slices.ContainsFunc(valueNames, func(name string) bool { _, ok := members[name]; return ok })
}

// valueNames are the members of which a record has one at most, in place of which it may have a sum.
var valueNames = []string{"v", "vs", "vb", "vd"}

// field returns the value of a record, to which the base value or the base sum is added.
func (b *base) field(members map[string]ingest.Field) (f ingest.Field, ok bool) {
	for _, name := range append(valueNames, "s") {
		if f, ok = members[name]; !ok {
			continue
		}
		n, more := number(f), b.numbers["b"+name]
		if n != nil && more != nil && more.Sign() != 0 {
			f.Text = strings.TrimRight(strings.TrimRight(n.Add(n, more).FloatString(12), "0"), ".")
		}
		return f, true
	}
	return f, false
}

// device names the field, and returns the id of its device.
func (b *base) device(members map[string]ingest.Field, f *ingest.Field) string {
	device, name := b.name, members["n"].Text
	if device == "" {
		device, name = divided(name)
	}
	if f.Name = name; name == "" {
		f.Name = "value"
	}
	return strings.TrimRight(device, ":/")
}

// devicePrefix begins the URN of a device (RFC 9039): a type and an id follow it.
const devicePrefix = "urn:dev:"

// divided returns the device and the field of a name without a base name.
func divided(name string) (device, field string) {
	if rest, ok := strings.CutPrefix(name, devicePrefix); ok {
		parts := strings.SplitN(rest, ":", 3)
		if len(parts) < 3 {
			return name, ""
		}
		return devicePrefix + parts[0] + ":" + parts[1], parts[2]
	}
	if at := strings.LastIndexAny(name, ":/"); at >= 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// at returns the time of a record; one without a time is of now.
func (b *base) at(members map[string]ingest.Field, now time.Time) time.Time {
	seconds := new(big.Rat)
	for _, n := range []*big.Rat{b.numbers["bt"], number(members["t"])} {
		if n != nil {
			seconds.Add(seconds, n)
		}
	}
	const most = 1e17 // milliseconds, beyond the years that a time can have
	ms, _ := seconds.Mul(seconds, big.NewRat(1000, 1)).Float64()
	since := int64(max(-most, min(ms, most)))
	if ms < relativeTimes*1000 {
		since += now.UnixMilli()
	}
	return time.UnixMilli(since).UTC()
}
