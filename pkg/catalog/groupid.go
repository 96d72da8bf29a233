package catalog

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// GroupLevel returns the level of k's groups, as it is declared: site/line, or profile.accountId.
func (k *Kind) GroupLevel() string {
	level := strings.Join(k.GroupBy, "/")
	if k.GroupByProfile {
		level = profilePrefix + strings.Join(k.GroupBy, "/"+profilePrefix)
	}
	return level
}

// GroupID returns the id of the group of an event: the value of the field, or of several fields the values
// with / between them. The values are the event's, or with GroupByProfile the ones in member: what the
// subject's profile had at the start of the event's bucket. It returns false if one of the fields is missing,
// or if the event cannot be decoded.
func (k *Kind) GroupID(e *model.Event, member model.Attrs) (id string, ok bool) {
	if e == nil || e.Unreadable {
		return "", false
	}
	if k.GroupByProfile {
		return k.groupID(member)
	}
	return k.groupID(e.Attrs)
}

// ProfileGroup returns the id of the group of all events of a bucket, if groups are by fields of profiles.
func (k *Kind) ProfileGroup(member model.Attrs) (id string, ok bool) {
	if !k.GroupByProfile {
		return "", false
	}
	return k.groupID(member)
}

func (k *Kind) groupID(fields model.Attrs) (id string, ok bool) {
	escape := escapeOther
	if len(k.GroupBy) > 1 {
		escape = escapeLevel
	}
	values := make([]string, len(k.GroupBy))
	for i, name := range k.GroupBy {
		v, _ := fields.Get(name)
		text, ok := v.Plain()
		if !ok || text == "" {
			return "", false
		}
		values[i] = escape(text)
	}
	if id = strings.Join(values, "/"); len(id) > maxGroupID {
		return reserved.OtherGroup, true
	}
	return id, true
}

// escapeLevel returns a value without the separator of levels.
var escapeLevel = strings.NewReplacer("%", "%25", "/", "%2F").Replace

// escapeOther returns a value that is not reserved.OtherGroup.
func escapeOther(value string) string {
	if value == reserved.OtherGroup {
		return "%2A"
	}
	return value
}
