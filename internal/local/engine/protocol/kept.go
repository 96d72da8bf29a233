package protocol

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// meta is what the file keeps of a table besides its items.
type meta struct {
	Schema    engine.Schema
	TTL       string
	Stream    bool
	Streams   []string
	Created   int64
	Protected bool
}

// OpenData opens the tables that a directory keeps, and keeps them there from then on. Call it before the
// first request, and Close at the end.
func (s *Server) OpenData(dir string) (err error) {
	if s.disk, err = openDisk(dir); err != nil {
		return err
	}
	err = s.disk.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, root *bbolt.Bucket) error {
			t, err := s.restore(string(name), root)
			s.tables[string(name)] = t
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("read the tables in %s: %w: delete them with --fresh", dir, err)
	}
	return nil
}

// Failed returns a channel that is closed when a commit could not be written to disk: from then on, each
// request fails. It is nil if tables are in memory only.
func (s *Server) Failed() <-chan struct{} {
	if s.disk == nil {
		return nil
	}
	return s.disk.failed
}

// Failure returns why a commit could not be written to disk; nil if all could.
func (s *Server) Failure() error {
	if s.disk == nil {
		return nil
	}
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.disk.err()
}

// Close waits until all commits are on disk, and closes the file.
func (s *Server) Close() error {
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

// restore reads a table of the file.
func (s *Server) restore(name string, root *bbolt.Bucket) (*table, error) {
	var m meta
	if err := json.Unmarshal(root.Get(keyMeta), &m); err != nil {
		return nil, err
	}
	state := engine.State{Tokens: map[string]engine.Transaction{}}
	if trimmed := root.Get(keyTrimmed); trimmed != nil {
		state.Trimmed = binary.BigEndian.Uint64(trimmed)
	}
	if shards := root.Get(keyShards); shards != nil {
		if err := json.Unmarshal(shards, &state.Shards); err != nil {
			return nil, err
		}
	}
	var failedItem, failedRecord error
	state.Items = keptItems(root.Bucket(bucketItems), &failedItem)
	state.Records = keptRecords(root.Bucket(bucketRecords), &failedRecord)
	err := root.Bucket(bucketTokens).ForEach(func(token, v []byte) error {
		tx := engine.Transaction{At: model.Time(binary.BigEndian.Uint64(v[len(v)-8:]))}
		copy(tx.Content[:], v)
		state.Tokens[string(token)] = tx
		return nil
	})
	t := &table{name: name, created: model.Time(m.Created), streams: m.Streams, limits: s.newLimits()}
	t.protected.Store(m.Protected)
	t.Table = engine.New(m.Schema, engine.Options{TTL: m.TTL, Stream: m.Stream, Retention: streamRetention},
		s.now)
	t.Restore(state, tableLog{s.disk, name})
	return t, errors.Join(err, failedItem, failedRecord)
}

// keptItems returns the items of a bucket. failed is set if one cannot be read.
func keptItems(b *bbolt.Bucket, failed *error) iter.Seq2[keys.Key, item.Item] {
	return func(yield func(keys.Key, item.Item) bool) {
		*failed = b.ForEach(func(k, text []byte) error {
			var it attributes
			err := it.UnmarshalJSON(text)
			if err == nil {
				yield(parseItemKey(k), item.Item(it))
			}
			return err
		})
	}
}

// keptRecords returns the stream records of a bucket. failed is set if one cannot be read.
func keptRecords(b *bbolt.Bucket, failed *error) iter.Seq[engine.Record] {
	return func(yield func(engine.Record) bool) {
		*failed = b.ForEach(func(k, text []byte) error {
			r, err := decodeRecord(binary.BigEndian.Uint64(k), text)
			if err == nil {
				yield(r)
			}
			return err
		})
	}
}

// keep writes what the file keeps of a table besides its items.
func (s *Server) keep(t *table) error {
	if s.disk == nil {
		return nil
	}
	o := t.Options()
	t.mu.Lock()
	m := meta{Schema: t.Schema(), TTL: o.TTL, Stream: o.Stream, Streams: t.streams, Created: int64(t.created),
		Protected: t.protected.Load()}
	t.mu.Unlock()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.disk.db.Update(func(tx *bbolt.Tx) error {
		root, err := tx.CreateBucketIfNotExists([]byte(t.name))
		if err != nil {
			return err
		}
		for _, bucket := range [][]byte{bucketItems, bucketRecords, bucketTokens} {
			if _, err := root.CreateBucketIfNotExists(bucket); err != nil {
				return err
			}
		}
		return root.Put(keyMeta, text)
	})
}

// drop removes a table from the file.
func (s *Server) drop(t *table) error {
	if s.disk == nil {
		return nil
	}
	return s.disk.db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(t.name)) })
}
