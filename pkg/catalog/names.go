package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is how long a declared name may be, in bytes.
const MaxName = 64

// The fields of an observation that say when and which, beside the subject's own
// field. They are the same for every kind, so no kind may declare them.
const (
	TimeField   = "timestamp"
	StreamField = "stream"
	IDField     = "id"
)

// Letters that names are spelled with, beside digits: one begins them.
const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
)

// spelled reports whether s is letters, digits and joint, beginning with a letter.
func spelled(s, letters, joint string) bool {
	return strings.Contains(letters, s[:1]) && strings.Trim(s, letters+"0123456789"+joint) == ""
}

// pathFrom is the plural in routes of a name that declares none: PAGE_VIEW gives
// page-views.
func pathFrom(name string) string {
	if name == "" {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(name), "_", "-") + "s"
}

// fieldFrom is the field of the id of a subject type that declares none: DEVICE
// gives deviceId, WIND_FARM gives windFarmId.
func fieldFrom(name string) string {
	if name == "" {
		return ""
	}
	words := strings.Split(strings.ToLower(name), "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "") + "Id"
}

// wrongName says what is wrong with a name as it stands in keys, "" if nothing.
func wrongName(name string) string {
	switch {
	case name == "":
		return "missing: want capitals, as READING"
	case len(name) > MaxName:
		return "longer than 64 bytes: it is part of every key, choose a shorter one"
	case !spelled(name, capitals, "_"):
		return quote(name) + " cannot stand in a key: want capitals, digits and _, beginning with a capital, as READING"
	}
	return ""
}

// wrongPath says what is wrong with a name as it stands in routes, "" if nothing. An
// empty one comes of an empty name, which is reported as such.
func wrongPath(path string) string {
	switch {
	case path == "":
		return ""
	case len(path) > MaxName:
		return "longer than 64 bytes: choose a shorter one"
	case !spelled(path, smalls, "-"):
		return quote(path) + " cannot stand in a route: want small letters, digits and -, beginning with a letter, as readings"
	}
	return ""
}

// wrongField says what is wrong with the name of a field, "" if nothing.
func wrongField(name string) string {
	switch {
	case name == "":
		return "a field has no name: give it one or remove it"
	case len(name) > MaxName:
		return "longer than 64 bytes: choose a shorter name"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "holds bytes that are not UTF-8, or control characters: choose a plain name"
	case name[0] == '_':
		return "names beginning with _ belong to stored bookkeeping: choose another"
	case name == TimeField || name == StreamField || name == IDField:
		return "every observation has this field already (timestamp, stream and id say when and which): choose another name"
	}
	return ""
}
