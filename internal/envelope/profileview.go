package envelope

import "strconv"

// ProfileVersion makes the version a part of a profile's entity tag: a change may be
// conditional on it (If-Match).
func (p Profile) ProfileVersion() int64 { return p.Version }

// Subjects is a page of profiles as callers read it.
type Subjects struct {
	Subjects []Profile `json:"subjects"`
	Next     *string   `json:"next"`
}

// Lines has a line a profile.
func (s Subjects) Lines() []any { return linesOf(s.Subjects) }

// Table has a row a profile.
func (s Subjects) Table() Table { return profileTable(s.Subjects) }

// Following is the cursor of the next page.
func (s Subjects) Following() *string { return s.Next }

// Versions is a page of what a profile was, as callers read it.
type Versions struct {
	Versions []Profile `json:"versions"`
	Before   *int64    `json:"before"` // of the next page; null on the last
}

// Lines has a line a version.
func (v Versions) Lines() []any { return linesOf(v.Versions) }

// Table has a row a version.
func (v Versions) Table() Table { return profileTable(v.Versions) }

// profileTable has a row a profile, and a column for each field that one of them has.
func profileTable(profiles []Profile) Table {
	names := fieldNames(func(yield func(Fields)) {
		for _, p := range profiles {
			yield(p.Fields)
		}
	})
	t := Table{Header: append([]string{"subject", "version", "change", "createdAt", "updatedAt", "deletedAt", "expiresAt"}, names...)}
	for _, p := range profiles {
		row := []string{
			p.Subject, strconv.FormatInt(p.Version, 10), string(p.Change),
			timeText(p.CreatedAt), timeText(p.UpdatedAt), timeText(p.DeletedAt), timeText(p.ExpiresAt),
		}
		t.Rows = append(t.Rows, append(row, p.Fields.cells(names)...))
	}
	return t
}
