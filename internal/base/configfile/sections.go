package configfile

import (
	"cmp"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// sections returns the sections of the file.
func sections(c *config.Config) members {
	return members{
		{"kinds", readKinds(c)},
		{"subjects", named(&c.Subjects, readSubject)},
		{"tiers", retentionPolicy(&c.Retention)},
		{"limits", section(&c.Limits)},
		{"queue", section(&c.Queue)},
		{"mapping", section(&c.Mapping)},
		{"functions", section(&c.Functions)},
		{"quarantine", section(&c.Quarantine)},
		{"collector", section(&c.Collector)},
		{"sources", readSources(c)},
		{"prometheus", boolean(&c.Prometheus)},
		{"stages", readStages(c)},
	}
}

// section reads a mapping into the struct that to points to.
func section(to any) func(*reader, value) {
	return func(r *reader, v value) { r.object(v, structMembers(to)) }
}

// structMembers returns a member for each field of the struct that to points to, named by config.MemberName,
// or by the tag yaml; "-" leaves the field out. A number with the tag unit:"bytes" is a size.
func structMembers(to any) (all members) {
	fields := reflect.ValueOf(to).Elem()
	for i := range fields.NumField() {
		f := fields.Type().Field(i)
		if name := cmp.Or(f.Tag.Get("yaml"), config.MemberName(f.Name)); name != "-" {
			all = append(all, member{name, fieldReader(fields.Field(i).Addr().Interface(), f.Tag.Get("unit"))})
		}
	}
	return all
}

// fieldReader returns what reads the field that to points to.
func fieldReader(to any, unit string) func(*reader, value) {
	switch to := to.(type) {
	case *config.Billing:
		return wordOr("onDemand", "onDemand, or {readUnits: 25, writeUnits: 50} for provisioned capacity", to)
	case *config.Access:
		const tokens = "iam, or {issuer: https://login.example.com, audience: [tidemark]} for JSON Web Tokens"
		return wordOr("iam", tokens, to)
	case *bool:
		return boolean(to)
	case *time.Duration:
		return span(to)
	case *[]string:
		return list(to)
	case *int:
		if unit == "bytes" {
			return size(to)
		}
		return integer(to)
	}
	if field := reflect.ValueOf(to).Elem(); field.Kind() == reflect.String {
		return func(r *reader, v value) {
			given := field.String()
			text(&given)(r, v)
			field.SetString(given)
		}
	}
	return section(to)
}
