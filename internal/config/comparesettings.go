package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// notes say more of the settings whose change others notice. A row is the end of a
// path; all else takes effect with the deployment, and that is all there is to say.
var notes = []struct{ end, why string }{
	{".removal", "it decides what becomes of the table when its stack is destroyed: retain keeps it, destroy takes it with all data"},
	{".access", "it decides who is let in: callers must follow"},
	{".customerKey", "what is stored is encrypted anew by AWS, and readers outside of the stack need the key"},
	{".sources.topic", "devices must publish to the new topics, and their policies change"},
	{".sources.sqs", "shut, the queue goes with the messages that wait in it"},
	{".sources.kinesis", "shut, the data stream goes with the records that wait in it"},
	{".sources.things", "things of these subject types may publish, others no more"},
	{"quarantine.retention", "it holds for what is set aside from now on"},
}

const takesEffect = "it takes effect when it is deployed"

// elsewhere are the fields of Config that are judged by rules of their own.
var elsewhere = map[string]bool{"Kinds": true, "Ladder": true, "Stages": true}

// compareSettings compares all that says how much and how long: none of it changes
// what a stored item means.
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
		added:   ruling{Safe, "a new stack, with a table of its own"},
		removed: ruling{Safe, "its stack stays as it is until it is destroyed by name"},
		both: func(path string, a, b Stage) []Change {
			return compareValues(path, reflect.ValueOf(a), reflect.ValueOf(b))
		},
	})...)
}

// compareValues compares two values of a type, field by field where it has some.
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

// settingOf is a value as text, "" where it is a text that is empty.
func settingOf(v any) string {
	if d, ok := v.(time.Duration); ok {
		return spanText(d)
	}
	return fmt.Sprint(v)
}

// lowerFirst is a field's name as the file has it: MaxAhead is maxAhead, IoT is ioT.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name || name == "IoT" {
		return strings.ToLower(name)
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}
