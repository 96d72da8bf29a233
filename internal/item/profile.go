package item

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromProfile is the stored form of p, which stands.
func FromProfile(p *model.Profile) Item { return fromProfile(keys.Metadata(p.Subject), p) }

// FromTombstone is the stored form of p, which was deleted. It stands in the partition
// it stood in, and in none of the indexes it stood in: only in the list of its
// subject type's tombstones.
func FromTombstone(p *model.Profile) Item {
	it := fromProfile(keys.Tombstone(p.Subject), p)
	it.SetIndex(keys.IndexGSI1, keys.ByDeletion(p.Subject, p.DeletedAt))
	return it
}

// FromProfileVersion is the stored form of v.
func FromProfileVersion(v *model.ProfileVersion) Item {
	it := fromProfile(keys.Version(v.Subject, v.Version), &v.Profile)
	it[keys.AttrChange] = stringOf(string(v.Change))
	return it
}

// FromSentinel is the stored form of s.
func FromSentinel(s *model.Sentinel) Item {
	it := under(keys.UniqueIn(s.Partition), 2)
	it[keys.AttrOwner] = stringOf(keys.SubjectPartition(s.Owner))
	it[keys.AttrLife] = bytesOf(s.Life[:])
	return it
}

func fromProfile(k keys.Key, p *model.Profile) Item {
	it := under(k, len(p.Attrs)+8)
	for _, a := range p.Attrs {
		if !keys.ReservedInProfile(a.Name) {
			it[a.Name] = FromValue(a.Value)
		}
	}
	for name, t := range map[string]model.Time{
		keys.AttrCreatedAt: p.CreatedAt, keys.AttrUpdatedAt: p.UpdatedAt, keys.AttrDeletedAt: p.DeletedAt,
	} {
		if t != 0 {
			it[name] = timeOf(t)
		}
	}
	if p.ExpiresAt != 0 {
		it[keys.AttrExpiresAt] = numberOf(p.ExpiresAt)
	}
	if p.Version != 0 {
		it[keys.AttrNumber] = numberOf(p.Version)
	}
	if p.Life != (model.Life{}) {
		it[keys.AttrLife] = bytesOf(p.Life[:])
	}
	if len(p.Sentinels) > 0 {
		encoded, _ := json.Marshal(p.Sentinels) // strings only: cannot fail
		it[keys.AttrUnique] = stringOf(string(encoded))
	}
	return it
}

// SetIndex puts it into an index; the zero Key takes it out.
func (it Item) SetIndex(index string, k keys.Key) {
	pk, sk := IndexAttrs(index)
	if k == (keys.Key{}) {
		delete(it, pk)
		delete(it, sk)
		return
	}
	it[pk], it[sk] = stringOf(k.PK), stringOf(k.SK)
}

// IndexKey is where it stands in an index; the zero Key where it does not.
func (it Item) IndexKey(index string) keys.Key {
	pk, sk := IndexAttrs(index)
	return keys.Key{PK: text(it[pk]), SK: text(it[sk])}
}

// IndexAttrs are the attributes of an index's key.
func IndexAttrs(index string) (partition, sort string) {
	if index == keys.IndexGSI2 {
		return keys.AttrGSI2PK, keys.AttrGSI2SK
	}
	return keys.AttrGSI1PK, keys.AttrGSI1SK
}

// Profile is the way back from FromProfile. All attributes that are not ours become
// Attrs; what has a type that no field has is left out, never an error. An item that
// another program made has no version and no life. Errors wrap keys.ErrForeign,
// ErrNewer or ErrDamaged.
func Profile(it Item) (model.Profile, error) {
	subject, err := keys.ParseMetadata(it.Key())
	if err != nil {
		return model.Profile{}, err
	}
	return toProfile(it, subject, "profile")
}

// Tombstone is the way back from FromTombstone. Errors are those of Profile.
func Tombstone(it Item) (model.Profile, error) {
	subject, err := keys.ParseTombstone(it.Key())
	if err != nil {
		return model.Profile{}, err
	}
	return toProfile(it, subject, "tombstone")
}

// ProfileVersion is the way back from FromProfileVersion. Errors are those of Profile.
func ProfileVersion(it Item) (model.ProfileVersion, error) {
	subject, number, err := keys.ParseVersion(it.Key())
	if err != nil {
		return model.ProfileVersion{}, err
	}
	p, err := toProfile(it, subject, "version")
	v := model.ProfileVersion{Profile: p, Change: model.ProfileChange(text(it[keys.AttrChange]))}
	v.Version = number
	return v, err
}

// Sentinel is the way back from FromSentinel. Errors are those of Profile.
func Sentinel(it Item) (model.Sentinel, error) {
	k := it.Key()
	if !keys.IsUnique(k.PK) || k.SK != keys.ClassUnique {
		return model.Sentinel{}, fmt.Errorf("read sentinel %.80q: %w", k.PK, keys.ErrForeign)
	}
	s := model.Sentinel{Partition: k.PK}
	r := reader{it: it}
	r.version(required)
	s.Life = r.bytes16(keys.AttrLife, required)
	owner, err := keys.ParseMetadata(keys.Key{PK: r.string(keys.AttrOwner, required), SK: keys.ClassMetadata})
	if err != nil {
		r.fail(keys.AttrOwner, "names no subject")
	}
	if r.err != nil {
		return model.Sentinel{Partition: k.PK}, fmt.Errorf("read sentinel %.80q: %w", k.PK, r.err)
	}
	s.Owner = owner
	return s, nil
}

func toProfile(it Item, subject model.Subject, what string) (model.Profile, error) {
	p := model.Profile{Subject: subject}
	r := reader{it: it}
	r.version(optional)
	p.CreatedAt = r.time(keys.AttrCreatedAt, optional)
	p.UpdatedAt = r.time(keys.AttrUpdatedAt, optional)
	p.DeletedAt = r.time(keys.AttrDeletedAt, optional)
	p.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	p.Version = r.int(keys.AttrNumber, optional)
	p.Life = r.bytes16(keys.AttrLife, optional)
	if list := r.string(keys.AttrUnique, optional); list != "" && json.Unmarshal([]byte(list), &p.Sentinels) != nil {
		r.fail(keys.AttrUnique, "is no list of sentinels")
	}
	if r.err != nil {
		return model.Profile{Subject: subject}, fmt.Errorf("read %s of %s: %w", what, subject, r.err)
	}
	attrs, _ := it.attrs()
	p.Attrs = slices.DeleteFunc(attrs, func(a model.Attr) bool { return keys.ReservedInProfile(a.Name) })
	return p, nil
}
