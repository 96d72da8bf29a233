package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// elsewhere are the fields of Config with their own rules.
var elsewhere = map[string]bool{"Kinds": true, "Subjects": true, "Retention": true, "Stages": true}

// compareSettings compares limits and settings. None of them changes the meaning of stored items.
func compareSettings(before, after *Config) (changes []Change) {
	a, b := reflect.ValueOf(*before), reflect.ValueOf(*after)
	for i := range a.NumField() {
		if name := a.Type().Field(i).Name; !elsewhere[name] {
			changes = append(changes, compareValues(MemberName(name), a.Field(i), b.Field(i))...)
		}
	}
	return append(changes, compareNamed("", before.Stages, after.Stages, memberRules[Stage]{
		list: "stages",
		name: func(s Stage) string { return s.Name },
		show: func(Stage) string { return "declared" },
		both: func(path string, a, b Stage) []Change {
			return compareValues(path, reflect.ValueOf(a), reflect.ValueOf(b))
		},
	})...)
}

// compareValues compares two values of the same type, structs field by field.
func compareValues(path string, a, b reflect.Value) (changes []Change) {
	ruling, found := settingRuling(path)
	if a.Kind() != reflect.Struct || found {
		return differ(path, settingText(a), settingText(b), ruling)
	}
	for i := range a.NumField() {
		changes = append(changes,
			compareValues(Join(path, MemberName(a.Type().Field(i).Name)), a.Field(i), b.Field(i))...)
	}
	return changes
}

// settingRuling returns the name of the ruling for the end of a path, the ruling of all settings if there is
// none.
func settingRuling(path string) (name string, found bool) {
	for parts := strings.Split(path, "."); len(parts) > 0; parts = parts[1:] {
		name = "settings." + strings.Join(parts, ".")
		if _, found = rulings[name]; found {
			return name, true
		}
	}
	return "settings", false
}

func settingText(v reflect.Value) string { return valueText(v.Interface()) }

// valueText returns a value as text, of a struct the fields that are set; "" for nothing.
func valueText(v any) string {
	if d, ok := v.(time.Duration); ok {
		return SpanText(d)
	}
	fields := reflect.ValueOf(v)
	if fields.Kind() != reflect.Struct {
		return fmt.Sprint(v)
	}
	var set []string
	for i := range fields.NumField() {
		if f := fields.Field(i); !f.IsZero() {
			set = append(set, MemberName(fields.Type().Field(i).Name)+": "+settingText(f))
		}
	}
	if set == nil {
		return ""
	}
	return "{" + strings.Join(set, ", ") + "}"
}
