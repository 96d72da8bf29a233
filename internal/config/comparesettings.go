package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// notes explain changes of settings that affect others, by the end of the path. All other
// settings take effect with the deployment.
var notes = []struct{ end, why string }{
	{".removal", "when the stack is destroyed, retain keeps the table, and destroy deletes it with all data"},
	{".access", "other callers are authorized: update the callers"},
	{".customerKey", "AWS encrypts the stored data with the new key, and readers outside the stack need access to it"},
	{".sources.topic", "devices must publish to the new topics, and their policies must allow it"},
	{".sources.sqs", "if it is disabled, the queue is deleted with its messages"},
	{".sources.kinesis", "if it is disabled, the data stream is deleted with its records"},
	{".sources.batched", "rules send to another address, and AWS IoT asks the API to confirm it: see docs/SENDERS.md"},
	{".sources.things", "only things of these subject types can publish"},
	{"quarantine.retention", "it applies to new entries of the quarantine"},
}

const takesEffect = "it takes effect with the deployment"

// elsewhere are the fields of Config with their own rules.
var elsewhere = map[string]bool{"Kinds": true, "Subjects": true, "Retention": true, "Stages": true}

// compareSettings compares limits and settings. None of them changes the meaning of stored items.
func compareSettings(before, after *Config) (changes []Change) {
	a, b := reflect.ValueOf(*before), reflect.ValueOf(*after)
	for i := range a.NumField() {
		if name := a.Type().Field(i).Name; !elsewhere[name] {
			changes = append(changes, compareValues(lowerFirst(name), a.Field(i), b.Field(i))...)
		}
	}
	return append(changes, compareNamed("stages", before.Stages, after.Stages, memberRules[Stage]{
		name:    func(s Stage) string { return s.Name },
		show:    func(Stage) string { return "declared" },
		added:   ruling{Safe, "a new stack, with its own table"},
		removed: ruling{Safe, "its stack is not changed: destroy it by name if you no longer need it"},
		both: func(path string, a, b Stage) []Change {
			return compareValues(path, reflect.ValueOf(a), reflect.ValueOf(b))
		},
	})...)
}

// compareValues compares two values of the same type, structs field by field.
func compareValues(path string, a, b reflect.Value) (changes []Change) {
	if a.Kind() != reflect.Struct || noted(path) != takesEffect {
		return differ(path, settingText(a), settingText(b), ruling{Safe, noted(path)})
	}
	for i := range a.NumField() {
		changes = append(changes, compareValues(join(path, lowerFirst(a.Type().Field(i).Name)), a.Field(i), b.Field(i))...)
	}
	return changes
}

func noted(path string) string {
	for _, n := range notes {
		if strings.HasSuffix(path, n.end) {
			return n.why
		}
	}
	return takesEffect
}

func settingText(v reflect.Value) string { return settingOf(v.Interface()) }

// settingOf returns a value as text, "" for an empty string.
func settingOf(v any) string {
	if d, ok := v.(time.Duration); ok {
		return spanText(d)
	}
	return fmt.Sprint(v)
}

// lowerFirst returns the name of a field as in the file: maxAhead for MaxAhead.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name || name == "IoT" {
		return strings.ToLower(name)
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}
