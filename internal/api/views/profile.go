package views

import (
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Profile is a profile, a deleted profile or a version of a profile as JSON. Empty members are omitted.
type Profile struct {
	Subject   string              `json:"subject,omitempty"` // id
	Version   int64               `json:"version,omitempty"`
	Change    model.ProfileChange `json:"change,omitempty"` // of a version: the change that created it
	Fields    Fields              `json:"fields"`
	CreatedAt *model.Time         `json:"createdAt,omitempty"`
	UpdatedAt *model.Time         `json:"updatedAt,omitempty"`
	DeletedAt *model.Time         `json:"deletedAt,omitempty"`
	ExpiresAt *model.Time         `json:"expiresAt,omitempty"`
	// LastSeenAt is the time of the subject's newest event; only in a single profile.
	LastSeenAt *model.Time `json:"lastSeenAt,omitempty"`
}

// NewProfile returns p as JSON.
func NewProfile(p *model.Profile) Profile {
	return Profile{
		Subject: p.Subject.ID, Version: p.Version, Fields: Fields(p.Attrs),
		CreatedAt: timeOrNil(p.CreatedAt), UpdatedAt: timeOrNil(p.UpdatedAt), DeletedAt: timeOrNil(p.DeletedAt),
		ExpiresAt: timeOrNil(model.Time(p.ExpiresAt * 1000)),
	}
}

// NewVersion returns v as JSON.
func NewVersion(v *model.ProfileVersion) Profile {
	p := NewProfile(&v.Profile)
	p.Change = v.Change
	return p
}

func timeOrNil(t model.Time) *model.Time {
	if t == 0 {
		return nil
	}
	return &t
}

// VersionTag makes the version a part of the entity tag, so that If-Match can make a change
// conditional on it.
func (p Profile) VersionTag() string {
	if p.Version == 0 {
		return ""
	}
	return strconv.FormatInt(p.Version, 10)
}

// Subjects is a page of profiles as JSON.
type Subjects struct {
	Subjects []Profile `json:"subjects"`
	NextPage
}

// Lines has one line for each profile.
func (s Subjects) Lines() []any { return toLines(s.Subjects) }

// Table has one row for each profile.
func (s Subjects) Table() Table { return profileTable(s.Subjects) }

// Versions is a page of the versions of a profile as JSON.
type Versions struct {
	Versions []Profile `json:"versions"`
	Before   *int64    `json:"before"` // of the next page; nil on the last page
}

// Lines has one line for each version.
func (v Versions) Lines() []any { return toLines(v.Versions) }

// Table has one row for each version.
func (v Versions) Table() Table { return profileTable(v.Versions) }

// profileTable returns one row for each profile, and a column for each field of any profile.
func profileTable(profiles []Profile) Table {
	names := FieldNames(profiles, func(p Profile) Fields { return p.Fields })
	t := Table{Header: append(
		[]string{"subject", "version", "change", "createdAt", "updatedAt", "deletedAt", "expiresAt"}, names...)}
	for _, p := range profiles {
		row := []string{
			p.Subject, strconv.FormatInt(p.Version, 10), string(p.Change),
			timeText(p.CreatedAt), timeText(p.UpdatedAt), timeText(p.DeletedAt), timeText(p.ExpiresAt),
		}
		t.Rows = append(t.Rows, append(row, p.Fields.cells(names)...))
	}
	return t
}
