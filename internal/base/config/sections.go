package config

import (
	"cmp"
	"reflect"
	"sync"
	"time"
)

// members returns the sections of the file.
func (c *Config) members() members {
	return members{
		{"kinds", c.readKinds},
		{"subjects", named(&c.Subjects, readSubject)},
		{"tiers", retentionPolicy(&c.Retention)},
		{"limits", section(&c.Limits)},
		{"queue", section(&c.Queue)},
		{"mapping", section(&c.Mapping)},
		{"functions", section(&c.Functions)},
		{"quarantine", section(&c.Quarantine)},
		{"collector", section(&c.Collector)},
		{"sources", c.readSources},
		{"prometheus", boolean(&c.Prometheus)},
		{"stages", c.readStages},
	}
}

// section reads a mapping into the struct that to points to.
func section(to any) func(*reader, value) {
	return func(r *reader, v value) { r.object(v, structMembers(to)) }
}

// structMembers returns a member for each field of the struct that to points to, named as in lowerFirst,
// or by the tag yaml; "-" leaves the field out. A number with the tag unit:"bytes" is a size.
func structMembers(to any) (all members) {
	fields := reflect.ValueOf(to).Elem()
	for i := range fields.NumField() {
		f := fields.Type().Field(i)
		if name := cmp.Or(f.Tag.Get("yaml"), lowerFirst(f.Name)); name != "-" {
			all = append(all, member{name, fieldReader(fields.Field(i).Addr().Interface(), f.Tag.Get("unit"))})
		}
	}
	return all
}

// fieldReader returns what reads the field that to points to.
func fieldReader(to any, unit string) func(*reader, value) {
	switch to := to.(type) {
	case interface{ read(*reader, value) }:
		return to.read
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

var defaultLimits = sync.OnceValue(func() Limits { return Default().Limits })

// Complete returns l with the default of each limit that is zero.
func (l Limits) Complete() Limits {
	given, defaults := reflect.ValueOf(&l).Elem(), reflect.ValueOf(defaultLimits())
	for i := range given.NumField() {
		if limit := given.Field(i); limit.IsZero() {
			limit.Set(defaults.Field(i))
		}
	}
	return l
}

// Negative reports whether a limit is below zero, so that nothing could meet it.
func (l Limits) Negative() bool {
	given := reflect.ValueOf(l)
	for i := range given.NumField() {
		if given.Field(i).Int() < 0 {
			return true
		}
	}
	return false
}
