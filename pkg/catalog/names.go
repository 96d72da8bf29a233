package catalog

import (
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// MaxName is the maximum length of a declared name, in bytes.
const MaxName = 64

// Fields that an observation of any kind may have, in addition to the subject's field: the
// event time, the stream and the event id. No kind may declare them.
const (
	TimeField   = "timestamp"
	StreamField = "stream"
	IDField     = "id"
)

// Letters of names. A name begins with a letter; digits may follow.
const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
)

// spelled reports whether s is letters, digits and joint, beginning with a letter.
func spelled(s, letters, joint string) bool {
	return strings.Contains(letters, s[:1]) && strings.Trim(s, letters+"0123456789"+joint) == ""
}

// pathFrom returns the default plural in routes: page-views for PAGE_VIEW.
func pathFrom(name string) string {
	if name == "" {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(name), "_", "-") + "s"
}

// fieldFrom returns the default field of a subject's id: deviceId for DEVICE, windFarmId for WIND_FARM.
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

// wrongName returns the mistake of a name in keys, "" if there is none.
func wrongName(name string) string {
	switch {
	case name == "":
		return "missing: want upper-case letters, for example READING"
	case len(name) > MaxName:
		return "longer than 64 bytes: choose a shorter name, it is part of every key"
	case !spelled(name, capitals, "_"):
		return quote(name) +
			" is not a valid name: want upper-case letters, digits and _, beginning with a letter, for example READING"
	}
	return ""
}

// wrongPath returns the mistake of a name in routes, "" if there is none. An empty path is the
// default of an empty name, which has its own mistake.
func wrongPath(path string) string {
	switch {
	case path == "":
		return ""
	case len(path) > MaxName:
		return "longer than 64 bytes: choose a shorter one"
	case !spelled(path, smalls, "-"):
		return quote(path) +
			" is not a valid path: want lower-case letters, digits and -, beginning with a letter, " +
			"for example readings"
	}
	return ""
}

// wrongField returns the mistake of a field name, "" if there is none.
func wrongField(name string) string {
	switch {
	case name == "":
		return "a field has no name: give it one or remove it"
	case len(name) > MaxName:
		return "longer than 64 bytes: choose a shorter name"
	case !utf8.ValidString(name) || plaintext.Has(name):
		return "contains characters that a reader cannot see, or is not UTF-8: choose another name"
	case name[0] == '_':
		return "names that begin with _ are reserved for Tidemark: choose another name"
	case name == TimeField || name == StreamField || name == IDField:
		return "timestamp, stream and id have a fixed meaning in every observation: choose another name"
	}
	return ""
}
