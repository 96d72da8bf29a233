package tablekeys

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ClassSeries begins the partition keys of the list of series.
const ClassSeries = reserved.Series

// SeriesShards is over how many partitions the list of series of a subject type is
// spread. All entries of a subject are in one of them.
const SeriesShards = 4

// maxSeriesSort is the longest sort key of an entry that is not shortened.
const maxSeriesSort = 900

// SeriesPartition returns the partition key of a shard of the list of series.
func SeriesPartition(subjectType string, shard int) string {
	return keyparts.Join(ClassSeries, subjectType, strconv.Itoa(shard))
}

// SeriesEntry returns the key of a series in the list of series. All shards of a spread series are one entry;
// a series without a kind is the entry of the subject's profile. Entries are sorted by subject, kind and
// stream. A sort key that would be too long ends with a hash.
func SeriesEntry(s model.Series) keys.Key {
	pk, _ := SeriesEntries(s.Subject)
	sk := keyparts.Join(s.Subject.ID, s.Kind, s.Stream)
	if len(sk) > maxSeriesSort {
		sum := sha256.Sum256([]byte(sk))
		sk = sk[:maxSeriesSort] + string(separator) + hex.EncodeToString(sum[:16])
	}
	return keys.Key{PK: pk, SK: sk}
}

// ParseSeriesEntry is the inverse of SeriesEntry, if the sort key is not shortened. The error wraps
// keys.ErrKeyForm.
func ParseSeriesEntry(k keys.Key) (s model.Series, err error) {
	var pk, sk [3]string
	if _, err = keyparts.Split(k.PK, pk[:]); err == nil {
		_, err = keyparts.Split(k.SK, sk[:])
	}
	s = model.Series{Subject: model.Subject{Type: pk[1], ID: sk[0]}, Kind: sk[1], Stream: sk[2]}
	if err != nil || SeriesEntry(s) != k {
		return model.Series{}, formError(k, ClassSeries, err)
	}
	return s, nil
}

// SeriesPrefix returns the prefix of the sort keys of the entries of all subjects whose ids begin with a
// text. Other subjects may have entries with that prefix if the text is very long.
func SeriesPrefix(ids string) string {
	prefix := keyparts.Join(ids)
	return prefix[:min(len(prefix), maxSeriesSort)]
}

// SeriesEntries returns the partition of the entries of a subject, and the prefix of their sort keys. Other
// subjects may have entries with that prefix if the subject's id is very long.
func SeriesEntries(s model.Subject) (pk, prefix string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(keyparts.Join(s.Type, s.ID))) // it never fails
	prefix = keyparts.Join(s.ID, "")
	return SeriesPartition(s.Type, int(h.Sum64()>>32%SeriesShards)), prefix[:min(len(prefix), maxSeriesSort)]
}
