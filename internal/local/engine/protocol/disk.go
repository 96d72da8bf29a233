package protocol

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FileName is the file of a data directory that has all tables.
const FileName = "tables.db"

// openWithin is how long a file may be locked by another process.
const openWithin = 2 * time.Second

// disk keeps tables in one file. Commits that arrive while one is written are written together: a response
// waits for the write of its own commit, and of all before it.
type disk struct {
	db *bbolt.DB

	mu      sync.Mutex
	waiting []write // guarded by mu
	seq     uint64  // of the last commit appended; guarded by mu
	written uint64  // guarded by mu
	failure error   // of the first write that failed: nothing is written after it; guarded by mu
	closed  bool    // guarded by mu
	changed *sync.Cond
	failed  chan struct{} // closed by the first write that failed
	done    chan struct{} // closed when the last write has ended
}

// write is a commit of a table.
type write struct {
	table  string
	commit *engine.Commit
}

func openDisk(dir string) (*disk, error) {
	path := filepath.Join(dir, FileName)
	_, statErr := os.Stat(path)
	db, err := bbolt.Open(path, 0o600,
		&bbolt.Options{Timeout: openWithin, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, syscall.ENOSPC) {
		if errors.Is(statErr, fs.ErrNotExist) {
			_ = os.Remove(path) // it would be taken for a damaged one
		}
		return nil, fmt.Errorf("open the tables in %s: %w: free some space there, or choose a folder on "+
			"another disk", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the tables in %s: %w", dir, err)
	}
	d := &disk{db: db, failed: make(chan struct{}), done: make(chan struct{})}
	d.changed = sync.NewCond(&d.mu)
	go d.run()
	return d, nil
}

// close waits until everything is written, and closes the file.
func (d *disk) close() error {
	d.mu.Lock()
	d.closed = true
	d.changed.Broadcast()
	d.mu.Unlock()
	<-d.done
	return d.db.Close()
}

// run writes what is waiting until the disk is closed.
func (d *disk) run() {
	defer close(d.done)
	for {
		d.mu.Lock()
		for len(d.waiting) == 0 && !d.closed {
			d.changed.Wait()
		}
		all, seq := d.waiting, d.seq
		failure := d.failure
		d.waiting = nil
		d.mu.Unlock()
		if len(all) == 0 {
			return
		}
		if failure == nil {
			failure = d.db.Update(func(tx *bbolt.Tx) error { return writeAll(tx, all) })
		}
		d.mu.Lock()
		if failure != nil && d.failure == nil {
			close(d.failed)
		}
		d.written, d.failure = seq, failure
		d.changed.Broadcast()
		d.mu.Unlock()
	}
}

// tableLog is the engine.Log of one table.
type tableLog struct {
	*disk
	table string
}

// Append hands a commit to the next write.
func (l tableLog) Append(c *engine.Commit) engine.Pending {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, write{l.table, c})
	l.seq++
	l.changed.Broadcast()
	return l.waitFor(l.seq)
}

// Last waits for everything appended so far.
func (l tableLog) Last() engine.Pending {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written == l.seq && l.failure == nil {
		return nil
	}
	return l.waitFor(l.seq)
}

func (d *disk) waitFor(seq uint64) engine.Pending {
	return func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		for d.written < seq && d.failure == nil {
			d.changed.Wait()
		}
		return d.err()
	}
}

// err returns the failure of the first write that failed. The caller has locked mu.
func (d *disk) err() error {
	if d.failure == nil {
		return nil
	}
	return fmt.Errorf("write the table to disk: %w", d.failure)
}

// The buckets of a table.
var (
	bucketItems   = []byte("items")   // by key
	bucketRecords = []byte("records") // of the stream, by Seq
	bucketTokens  = []byte("tokens")
	keyMeta       = []byte("meta")
	keyTrimmed    = []byte("trimmed")
	keyShards     = []byte("shards")
)

func writeAll(tx *bbolt.Tx, all []write) error {
	for _, w := range all {
		root := tx.Bucket([]byte(w.table))
		if root == nil {
			continue // deleted after the commit
		}
		if err := writeCommit(root, w.commit); err != nil {
			return fmt.Errorf("table %s: %w", w.table, err)
		}
	}
	return nil
}

func writeCommit(root *bbolt.Bucket, c *engine.Commit) (err error) {
	items, records := root.Bucket(bucketItems), root.Bucket(bucketRecords)
	tokens := root.Bucket(bucketTokens)
	for i := range c.Changes {
		change := &c.Changes[i]
		if change.New == nil {
			err = errors.Join(err, items.Delete(itemKey(change.Key)))
			continue
		}
		err = errors.Join(err, items.Put(itemKey(change.Key), appendItem(nil, change.New)))
	}
	for i := range c.Records {
		err = errors.Join(err, records.Put(seqKey(c.Records[i].Seq), encodeRecord(&c.Records[i])))
	}
	if c.Token != "" {
		err = errors.Join(err, tokens.Put([]byte(c.Token),
			binary.BigEndian.AppendUint64(c.Transaction.Content[:], uint64(c.Transaction.At))))
	}
	for _, expired := range c.Expired {
		err = errors.Join(err, tokens.Delete([]byte(expired)))
	}
	if c.Shards != nil {
		text, _ := json.Marshal(c.Shards) // plain data: cannot fail
		err = errors.Join(err, root.Put(keyShards, text))
	}
	return errors.Join(err, trim(root, records, c.Trimmed))
}

// trim deletes the records up to a Seq; 0 deletes none.
func trim(root, records *bbolt.Bucket, through uint64) error {
	if through == 0 {
		return nil
	}
	cursor := records.Cursor()
	for k, _ := cursor.First(); k != nil && binary.BigEndian.Uint64(k) <= through; k, _ = cursor.First() {
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return root.Put(keyTrimmed, seqKey(through))
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// itemKey joins both parts of a key. The parts are UTF-8, so 0xff is in neither.
func itemKey(k keys.Key) []byte { return []byte(k.PK + "\xff" + k.SK) }

func parseItemKey(b []byte) keys.Key {
	pk, sk, _ := strings.Cut(string(b), "\xff")
	return keys.Key{PK: pk, SK: sk}
}

// storedRecord is a record of the stream in the file.
type storedRecord struct {
	Name     string
	PK, SK   string
	Old, New attributes `json:",omitempty"`
	At       int64
	Service  bool `json:",omitempty"`
	Shard    int  `json:",omitempty"`
}

func encodeRecord(r *engine.Record) []byte {
	text, _ := json.Marshal(storedRecord{
		Name: r.Name(), PK: r.Keys.PK, SK: r.Keys.SK, Old: attributes(r.Old), New: attributes(r.New),
		At: int64(r.At), Service: r.Service, Shard: r.Shard,
	}) // plain data
	return text
}

func decodeRecord(seq uint64, text []byte) (engine.Record, error) {
	var s storedRecord
	err := json.Unmarshal(text, &s)
	return engine.Record{
		Seq: seq, Keys: keys.Key{PK: s.PK, SK: s.SK}, Old: item.Item(s.Old), New: item.Item(s.New),
		At: model.Time(s.At), Service: s.Service, Shard: s.Shard,
	}, err
}
