package item

import (
	"fmt"
	"maps"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FromProfile returns the stored form of an active profile.
func FromProfile(p *model.Profile) Item { return fromProfile(keys.Metadata(p.Subject), p) }

// FromTombstone returns the stored form of a deleted profile. It is in the partition of its subject. It is in
// none of the profile's indexes, but in the list of tombstones of its subject type.
func FromTombstone(p *model.Profile) Item {
	it := fromProfile(tablekeys.Tombstone(p.Subject), p)
	it.SetIndex(keys.IndexGSI1, tablekeys.DeletedEntry(p.Subject, p.DeletedAt))
	return it
}

// FromProfileVersion returns the stored form of v.
func FromProfileVersion(v *model.ProfileVersion) Item {
	it := fromProfile(tablekeys.Version(v.Subject, v.Version), &v.Profile)
	it[tablekeys.AttrChange] = stringValue(string(v.Change))
	return it
}

// FromSentinel returns the stored form of s.
func FromSentinel(s *storage.Sentinel) Item {
	it := newItem(tablekeys.UniqueIn(s.Partition), 2)
	it[tablekeys.AttrOwner] = stringValue(keys.SubjectPartition(s.Owner))
	it[tablekeys.AttrGeneration] = bytesValue(s.Generation[:])
	return it
}

func fromProfile(k keys.Key, p *model.Profile) Item {
	it := newItem(k, len(p.Attrs)+8)
	for _, a := range p.Attrs {
		if !reserved.InProfile(a.Name) {
			it[a.Name] = FromValue(a.Value)
		}
	}
	if foreign, ok := p.Foreign.(Item); ok {
		maps.Copy(it, foreign)
	}
	for name, t := range map[string]model.Time{
		keys.AttrCreatedAt: p.CreatedAt, tablekeys.AttrUpdatedAt: p.UpdatedAt, tablekeys.AttrDeletedAt: p.DeletedAt,
	} {
		if t != 0 {
			it[name] = timeValue(t)
		}
	}
	it.setExpiry(p.ExpiresAt)
	if p.Version != 0 {
		it[tablekeys.AttrProfileVersion] = Number(p.Version)
	}
	if p.Generation != (model.Generation{}) {
		it[tablekeys.AttrGeneration] = bytesValue(p.Generation[:])
	}
	if len(p.Sentinels) > 0 {
		it.setJSON(tablekeys.AttrUnique, p.Sentinels)
	}
	return it
}

// SetIndex sets the key in an index. The zero Key removes the item from the index.
func (it Item) SetIndex(index string, k keys.Key) {
	pk, sk := IndexAttrs(index)
	if k == (keys.Key{}) {
		delete(it, pk)
		delete(it, sk)
		return
	}
	it[pk], it[sk] = stringValue(k.PK), stringValue(k.SK)
}

// IndexKey returns the key in an index, or the zero Key if the item is not in it.
func (it Item) IndexKey(index string) keys.Key {
	pk, sk := IndexAttrs(index)
	return keys.Key{PK: text(it[pk]), SK: text(it[sk])}
}

// IndexAttrs returns the names of the key attributes of an index.
func IndexAttrs(index string) (partition, sort string) {
	if index == keys.IndexGSI2 {
		return keys.AttrGSI2PK, keys.AttrGSI2SK
	}
	return keys.AttrGSI1PK, keys.AttrGSI1SK
}

// Profile is the inverse of FromProfile. All attributes that are not ours become Attrs, except
// those with a type that a field cannot have. An item that another program wrote has no
// version and no generation. Errors wrap keys.ErrKeyForm, ErrNewer or ErrDamaged.
func Profile(it Item) (model.Profile, error) {
	subject, err := keys.ParseMetadata(it.Key())
	if err != nil {
		return model.Profile{}, err
	}
	return toProfile(it, subject, "profile")
}

// Tombstone is the inverse of FromTombstone. The errors are Profile's.
func Tombstone(it Item) (model.Profile, error) {
	subject, err := tablekeys.ParseTombstone(it.Key())
	if err != nil {
		return model.Profile{}, err
	}
	return toProfile(it, subject, "tombstone")
}

// ProfileVersion is the inverse of FromProfileVersion. The errors are Profile's.
func ProfileVersion(it Item) (model.ProfileVersion, error) {
	subject, number, err := tablekeys.ParseVersion(it.Key())
	if err != nil {
		return model.ProfileVersion{}, err
	}
	p, err := toProfile(it, subject, "version")
	v := model.ProfileVersion{Profile: p, Change: model.ProfileChange(text(it[tablekeys.AttrChange]))}
	v.Version = number
	return v, err
}

// Sentinel is the inverse of FromSentinel. The errors are Profile's.
func Sentinel(it Item) (storage.Sentinel, error) {
	k := it.Key()
	if !tablekeys.IsUnique(k.PK) || k.SK != tablekeys.ClassUnique {
		return storage.Sentinel{}, fmt.Errorf("read sentinel %.80q: %w", k.PK, keys.ErrKeyForm)
	}
	s := storage.Sentinel{Partition: k.PK}
	r := newReader(it)
	s.Generation = r.bytes16(tablekeys.AttrGeneration, required)
	owner, err := keys.ParseMetadata(
		keys.Key{PK: r.string(tablekeys.AttrOwner, required), SK: keys.ClassMetadata})
	if err != nil {
		r.fail(tablekeys.AttrOwner, "is not a subject")
	}
	s.Owner = owner
	return decoded(&r, s, "sentinel %.80q", k.PK)
}

func toProfile(it Item, subject model.Subject, what string) (model.Profile, error) {
	p := model.Profile{Subject: subject}
	r := reader{it: it}
	r.version(optional)
	p.CreatedAt = r.time(keys.AttrCreatedAt, optional)
	p.UpdatedAt = r.time(tablekeys.AttrUpdatedAt, optional)
	p.DeletedAt = r.time(tablekeys.AttrDeletedAt, optional)
	p.ExpiresAt = r.int(keys.AttrExpiresAt, optional)
	p.Version = r.int(tablekeys.AttrProfileVersion, optional)
	p.Generation = r.bytes16(tablekeys.AttrGeneration, optional)
	r.json(tablekeys.AttrUnique, &p.Sentinels, "is not a list of sentinels", optional)
	if r.err != nil {
		return model.Profile{Subject: subject}, fmt.Errorf("read %s of %s: %w", what, subject, r.err)
	}
	foreign := Item{}
	for name, stored := range it {
		v, isField := ToValue(stored)
		if stored.Type == Nested {
			v, isField = model.Value{Kind: model.Nested, Text: stored.S}, true
		}
		switch {
		case keys.Reserved(name) || reserved.InProfile(name):
		case isField:
			p.Attrs = append(p.Attrs, model.Attr{Name: name, Value: v})
		default:
			foreign[name] = stored
		}
	}
	p.Attrs.Sort()
	if len(foreign) > 0 {
		p.Foreign = foreign
	}
	return p, nil
}
