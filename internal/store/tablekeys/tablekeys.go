// Package tablekeys has the keys and attribute names of the items that only Tidemark's own code reads and
// writes: alerts and their rules, the lifecycle of subjects, purges, index entries, quarantine, salts and the
// progress of the table stream. Package keys has those that users need too.
//
// The rules of package keys apply: a function that builds a key returns a key for
// every input, a function that parses accepts exactly the keys that the matching function
// builds, and the error of a parser wraps keys.ErrKeyForm.
package tablekeys

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const separator = keyparts.Separator

// SubjectPartitions returns the keys of all partitions that may contain items of a
// subject, if kinds have at most so many shards.
func SubjectPartitions(s model.Subject, shards int) []string {
	all := []string{keys.SubjectPartition(s)}
	for shard := 1; shard <= shards; shard++ {
		all = append(all, keys.Partition(model.Series{Subject: s, Shard: shard}))
	}
	return all
}

// parseOwned parses the key of an item of a subject: it splits the sort key into parts,
// and returns the subject that the partition key names. The sort key must begin with
// class and have exactly len(parts) parts; the partition must have no shard.
func parseOwned(k keys.Key, class string, parts []string) (model.Subject, error) {
	n, err := keyparts.Split(k.SK, parts)
	if err != nil {
		return model.Subject{}, err
	}
	if n != len(parts) || parts[0] != class {
		return model.Subject{}, errForm
	}
	return parseSubjectPartition(k.PK)
}

// parseSubjectPartition is the inverse of keys.SubjectPartition.
func parseSubjectPartition(pk string) (model.Subject, error) {
	var p [2]string
	n, err := keyparts.Split(pk, p[:])
	if err == nil && (n != len(p) || p[0] == "" || p[1] == "") {
		err = errors.New("the key names no subject")
	}
	if err != nil {
		return model.Subject{}, err
	}
	return model.Subject{Type: p[0], ID: p[1]}, nil
}

// parseJob returns the second of the two parts of the sort key of an item of a function's own state,
// whose first is class.
func parseJob(k keys.Key, pk, class string) (string, error) {
	var p [2]string
	n, err := keyparts.Split(k.SK, p[:])
	if err != nil || n != 2 || p[0] != class || k.PK != pk {
		return "", formError(k, class, err)
	}
	return p[1], nil
}

var errForm = errors.New("the sort key has another form")

func formError(k keys.Key, class string, cause error) error {
	if cause == nil {
		cause = errors.New("a name in it is empty")
	}
	return fmt.Errorf("parse %s key %.80q / %.120q: %w: %w", class, k.PK, k.SK, keys.ErrKeyForm, cause)
}
