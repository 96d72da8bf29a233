package keys

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// ErrShards is returned for a number of shards that is not positive.
var ErrShards = errors.New("the number of shards must be positive")

// shardInfix separates the base of a distributed key from the number of its shard.
const shardInfix = "#SHARD_"

// Distributed returns the key of one of the n partitions over which the items of base are spread:
// ITEM#SHARD_7. Shards are numbered from 0. The same item always gets the same shard, so that a retried write
// and a read of one item find it. Do not change n while items exist.
func Distributed(base string, n int, item string) (string, error) {
	if n < 1 {
		return "", fmt.Errorf("%d: %w", n, ErrShards)
	}
	h := fnv.New64a()
	h.Write([]byte(item))
	return shardKey(base, int(h.Sum64()%uint64(n))), nil
}

// Shards returns the keys of all n partitions of base, for a read that queries each.
func Shards(base string, n int) ([]string, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d: %w", n, ErrShards)
	}
	all := make([]string, n)
	for i := range all {
		all[i] = shardKey(base, i)
	}
	return all, nil
}

// ParseShard splits a key of Distributed into its base and its shard. If the key names no
// shard, it returns the key unchanged and ok is false.
func ParseShard(key string) (base string, shard int, ok bool) {
	at := strings.LastIndex(key, shardInfix)
	if at < 0 {
		return key, 0, false
	}
	digits := key[at+len(shardInfix):]
	shard, err := strconv.Atoi(digits)
	if err != nil || shard < 0 || strconv.Itoa(shard) != digits {
		return key, 0, false
	}
	return key[:at], shard, true
}

func shardKey(base string, shard int) string { return base + shardInfix + strconv.Itoa(shard) }
