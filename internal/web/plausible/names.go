package plausible

import "strings"

// The names of a blank value.
const (
	direct = "Direct / None"
	notSet = "(not set)"
	none   = "(none)" // of a property
)

// shown are the names of values in queries and responses, by dimension, where they differ from the stored
// text. "" names visits without a value: where it has no name, they are no row.
var shown = map[string]map[string]string{
	"visit:source":   {"": direct},
	"visit:referrer": {"": direct},
	"visit:channel":  {"AI Assistant": "AI Assistants"},
	"visit:device": {
		"": notSet, "phone": "Mobile", "tablet": "Tablet", "desktop": "Desktop", "tv": "TV", "other": notSet,
	},
	"visit:screen": {
		"": notSet, "mobile": "Mobile", "tablet": "Tablet", "laptop": "Laptop", "desktop": "Desktop",
	},
	"visit:os": {"": notSet, "macOS": "Mac", "Linux": "GNU/Linux", "ChromeOS": "Chrome OS"},
	"visit:browser": {"": notSet, "Edge": "Microsoft Edge", "Miui Browser": "MIUI Browser",
		"Android browser": "Android Browser"},

	"visit:utm_source":   {"": notSet},
	"visit:utm_medium":   {"": notSet},
	"visit:utm_campaign": {"": notSet},
	"visit:utm_term":     {"": notSet},
	"visit:utm_content":  {"": notSet},
}

// shownAs returns the name of a value.
func shownAs(dimension, value string) string {
	if value == "" && strings.HasPrefix(dimension, properties) {
		return none
	}
	if name, ok := shown[dimension][value]; ok {
		return name
	}
	return value
}
