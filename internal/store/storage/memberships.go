package storage

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Memberships is the log of the fields of a subject's profile that groups are by. An entry is never changed,
// and each begins later than the one before, so that the membership at a time that has passed is the same for
// every recount. It is written with the change of the profile.
type Memberships struct {
	Subject   model.Subject
	Log       []Membership // in order of From
	ExpiresAt int64        // epoch seconds; 0 unless the subject was purged
}

// Membership is what the fields are from a time on. A field that the profile lacks is not in Fields, nor is
// any field of a profile that is deleted.
type Membership struct {
	From   model.Time        `json:"from"`
	Fields map[string]string `json:"fields"`
}

// MaxMembershipBytes is how large a log may be, as JSON. Each recomputation of a bucket reads it. An entry
// with fields leaves space for one without, so that a profile can be deleted when the log is full.
const MaxMembershipBytes = 16 << 10

// deletionBytes is the size of an entry without fields behind another one. Each time has as many digits.
var deletionBytes = func() int {
	one, two := Memberships{Log: make([]Membership, 1)}, Memberships{Log: make([]Membership, 2)}
	two.Log[1].Fields = map[string]string{}
	return two.size() - one.size()
}()

// ErrMembershipsFull is returned for a change of a profile that the log has no space for.
var ErrMembershipsFull = errors.New("groups are by a field that has changed too often")

// longestGroupValue is the length to which values are shortened: still too long for the id of a group.
const longestGroupValue = 300

// At returns the fields at a time: none before the first entry.
func (m *Memberships) At(at model.Time) (fields model.Attrs) {
	i, found := slices.BinarySearchFunc(m.Log, at,
		func(e Membership, at model.Time) int { return cmp.Compare(e.From, at) })
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	for name, text := range m.Log[i].Fields {
		fields = append(fields, model.Attr{Name: name, Value: model.TextValue(text)})
	}
	fields.Sort()
	return fields
}

// Newest returns when the newest entry begins; MinTime if there is none.
func (m *Memberships) Newest() model.Time {
	if len(m.Log) == 0 {
		return model.MinTime
	}
	return m.Log[len(m.Log)-1].From
}

// Before returns the log without its newest entry.
func (m *Memberships) Before() *Memberships {
	return &Memberships{Subject: m.Subject, Log: m.Log[:max(0, len(m.Log)-1)]}
}

// Moved returns the log after a change of the profile at a time, and whether it differs. names are the fields
// that groups are by. A field that the log has stays in it: a process of an older configuration may write it.
// A log that is full loses entries that ended longer ago than events are kept; zero is without limit. A
// change that leaves no field is never refused: it follows an entry with fields, which left space.
func (m *Memberships) Moved(names []string, profile model.Attrs, now model.Time,
	kept time.Duration) (next *Memberships, moved bool, _ error) {
	entry := Membership{From: now, Fields: map[string]string{}}
	last := Membership{}
	if n := len(m.Log); n > 0 {
		last = m.Log[n-1]
		entry.From = max(now, last.From+1)
	}
	for _, name := range m.names(names) {
		v, _ := profile.Get(name)
		if text, ok := v.Plain(); ok && text != "" {
			entry.Fields[name] = strings.ToValidUTF8(text[:min(len(text), longestGroupValue)], "")
		}
	}
	if maps.Equal(last.Fields, entry.Fields) {
		return m, false, nil
	}
	next = &Memberships{Subject: m.Subject, Log: append(slices.Clone(m.Log), entry)}
	most := MaxMembershipBytes
	if len(entry.Fields) > 0 {
		most -= deletionBytes
	}
	for next.size() > most {
		if len(next.Log) == 1 || kept == 0 || kept == tier.Forever || next.Log[1].From > now.Add(-kept) {
			return nil, false, ErrMembershipsFull
		}
		next.Log = next.Log[1:]
	}
	return next, true, nil
}

// names returns the fields of the log and further ones.
func (m *Memberships) names(further []string) []string {
	all := slices.Clone(further)
	for _, e := range m.Log {
		for name := range e.Fields {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (m *Memberships) size() int {
	text, _ := json.Marshal(m.Log) // plain data
	return len(text)
}
