package keys

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// ErrShards says that a key cannot be spread over so many partitions.
var ErrShards = errors.New("want a positive number of shards")

// shardMark stands before the number of a shard at the end of a distributed key.
const shardMark = "#SHARD_"

// Distributed is the key of one of n partitions over which the items of base are
// spread: ITEM#SHARD_7. item says which, the same one each time, so that a write that is
// repeated and a read of one item find it; numbers are from 0. n is fixed for as long as
// items live.
func Distributed(base string, n int, item string) (string, error) {
	if n < 1 {
		return "", fmt.Errorf("%d: %w", n, ErrShards)
	}
	h := fnv.New64a()
	h.Write([]byte(item))
	return shardKey(base, int(h.Sum64()%uint64(n))), nil
}

// Shards are the keys of all n partitions of base, for a read that asks each.
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

// ParseShard is the number of the shard at the end of a key, and what stands before it;
// ok is false where the key has none.
func ParseShard(key string) (base string, shard int, ok bool) {
	at := strings.LastIndex(key, shardMark)
	if at < 0 {
		return key, 0, false
	}
	digits := key[at+len(shardMark):]
	shard, err := strconv.Atoi(digits)
	if err != nil || shard < 0 || strconv.Itoa(shard) != digits {
		return key, 0, false
	}
	return key[:at], shard, true
}

func shardKey(base string, shard int) string { return base + shardMark + strconv.Itoa(shard) }
