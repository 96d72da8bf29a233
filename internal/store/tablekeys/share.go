package tablekeys

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ClassShare begins the partition keys and the sort keys of shares.
const ClassShare = reserved.Share

// maxMember is the longest name of a member that is not shortened, in bytes before escaping.
const maxMember = 300

// Member returns the name of a subject in the keys of its shares. A name that would be too long for a sort
// key ends with a hash.
func Member(s model.Subject) string {
	name := keyparts.Join(s.Type, s.ID)
	if len(name) > maxMember {
		sum := sha256.Sum256([]byte(name))
		name = name[:maxMember] + string(separator) + hex.EncodeToString(sum[:16])
	}
	return name
}

// Row returns the key of a row, which may be a share. The shares of a group's bucket have a partition of
// their own, so that one query reads them.
func Row(k rollup.Key) keys.Key {
	if k.Member == "" {
		return keys.Row(k)
	}
	return keys.Key{PK: SharePartition(k), SK: keyparts.Join(ClassShare, k.Member)}
}

// SharePartition returns the partition key of the shares of a group's bucket.
func SharePartition(k rollup.Key) string {
	s, label := k.Series, k.Start.String()
	if u, err := tier.ParseUnit(k.Tier); err == nil {
		label = u.BucketAt(k.Start).Label()
	}
	return keyparts.Join(ClassShare, s.Subject.Type, s.Subject.ID, s.Kind, s.Stream, k.Tier, label)
}

// ParseMember is the inverse of Member for a name that was not shortened. whole is false for another one: its
// id is the beginning of the subject's, and a hash.
func ParseMember(name string) (s model.Subject, whole bool) {
	var parts [3]string
	n, err := keyparts.Split(name, parts[:])
	if err == nil && n == 2 {
		return model.Subject{Type: parts[0], ID: parts[1]}, true
	}
	s.Type, s.ID, _ = strings.Cut(name, string(separator))
	return s, false
}

// GroupRows returns the keys of the rows of the groups in which a member's row counts, by their names. The
// name of a kind of groups is the one of the members' kind and the type of the groups.
func GroupRows(of rollup.Key, groups []string) (all []rollup.Key) {
	for _, name := range groups {
		kind, id, err := storage.ParseGroupName(name)
		if err != nil || id == "" {
			continue
		}
		group := of
		group.Series.Kind = kind
		group.Series.Subject = model.Subject{Type: strings.TrimPrefix(kind, of.Series.Kind+"_"), ID: id}
		all = append(all, group)
	}
	return all
}

// ParseShare is the inverse of Row for a share. The error wraps keys.ErrKeyForm.
func ParseShare(k keys.Key) (r rollup.Key, err error) {
	var pk [7]string
	var sk [2]string
	n, err := keyparts.Split(k.PK, pk[:])
	if err == nil {
		_, err = keyparts.Split(k.SK, sk[:])
	}
	if err == nil && n == len(pk) && sk[1] != "" {
		subject := model.Subject{Type: pk[1], ID: pk[2]}
		r = rollup.Key{Series: model.Series{Subject: subject, Kind: pk[3], Stream: pk[4]}, Tier: pk[5],
			Member: sk[1]}
		r.Start, err = parseLabel(r.Tier, pk[6])
	}
	if err != nil || r.Member == "" || Row(r) != k {
		return rollup.Key{}, formError(k, ClassShare, err)
	}
	return r, nil
}

func parseLabel(unit, label string) (model.Time, error) {
	u, err := tier.ParseUnit(unit)
	if err != nil {
		return 0, fmt.Errorf("the unit of a bucket: %w", err)
	}
	b, err := u.ParseLabel(label)
	return b.Start, err
}
