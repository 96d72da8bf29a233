package httpapi

import (
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Profile is a profile, a deleted profile or a version of a profile as JSON. Empty members
// are omitted.
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

// ProfileOf returns p as JSON.
func ProfileOf(p *model.Profile) Profile {
	return Profile{
		Subject: p.Subject.ID, Version: p.Version, Fields: Fields(p.Attrs),
		CreatedAt: timeOrNil(p.CreatedAt), UpdatedAt: timeOrNil(p.UpdatedAt), DeletedAt: timeOrNil(p.DeletedAt),
		ExpiresAt: timeOrNil(model.Time(p.ExpiresAt * 1000)),
	}
}

// VersionOf returns v as JSON.
func VersionOf(v *model.ProfileVersion) Profile {
	p := ProfileOf(&v.Profile)
	p.Change = v.Change
	return p
}

func timeOrNil(t model.Time) *model.Time {
	if t == 0 {
		return nil
	}
	return &t
}
