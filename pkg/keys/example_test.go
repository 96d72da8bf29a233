package keys_test

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

func ExampleTimeKey() {
	at := time.Date(2024, 12, 2, 15, 30, 45, 0, time.UTC)
	for _, by := range []keys.Granularity{keys.ByHour, keys.ByDay, keys.ByMonth, keys.ByYear} {
		key, err := keys.TimeKey(at, by)
		fmt.Println(key, err)
	}
	// Output:
	// 2024-12-02-15 <nil>
	// 2024-12-02 <nil>
	// 2024-12 <nil>
	// 2024 <nil>
}

// The range is half-open: it includes all of December, and not the new year.
func ExampleTimeRange() {
	first := time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)
	lo, hi, err := keys.TimeRange(keys.ByDay, first, first.AddDate(0, 1, 0))
	fmt.Println("sk BETWEEN", lo, "AND", hi, err)
	for _, sk := range []string{"2024-12-31", "2024-12-31#reading-7", "2025-01-01"} {
		fmt.Println(sk, lo <= sk && sk <= hi)
	}
	// Output:
	// sk BETWEEN 2024-12-01 AND 2024-12-31~ <nil>
	// 2024-12-31 true
	// 2024-12-31#reading-7 true
	// 2025-01-01 false
}

func ExampleComposite() {
	key, err := keys.Composite("SENSOR", "123", "2024-12-01-14")
	fmt.Println(key, err)
	_, err = keys.Composite("USER", "4#2")
	fmt.Println(err)
	key, err = keys.Composite("USER", keys.Escape("4#2"))
	fmt.Println(key, err)
	fmt.Printf("%q\n", keys.ParseComposite("USER##123"))
	// Output:
	// SENSOR#123#2024-12-01-14 <nil>
	// "4#2": a part contains the separator #, and would be parsed as two parts: escape it with Escape
	// USER#4%232 <nil>
	// ["USER" "" "123"]
}

func ExampleEntity() {
	key, err := keys.Entity("USER", "123#456")
	fmt.Println(key, err)
	entityType, id, err := keys.ParseEntity(key)
	fmt.Println(entityType, id, err)
	// Output:
	// USER#123#456 <nil>
	// USER 123#456 <nil>
}

func ExampleHierarchyPrefix() {
	key, _ := keys.Hierarchy("EUROPE", "DE", "BERLIN")
	prefix, err := keys.HierarchyPrefix("EUROPE", "DE")
	fmt.Println(key, "begins with", prefix, err)
	// Output:
	// EUROPE#DE#BERLIN begins with EUROPE#DE# <nil>
}

func ExampleEdge() {
	edge, err := keys.Edge("USER#1", "GROUP#9")
	fmt.Println(edge, edge.Reverse(), err)
	// Output:
	// {USER#1 GROUP#9} {GROUP#9 USER#1} <nil>
}

// The items of a hot key are spread over partitions, and read from all of them.
func ExampleDistributed() {
	key, err := keys.Distributed("ITEM", 10, "order-17")
	base, shard, ok := keys.ParseShard(key)
	fmt.Println(key, err, base, shard, ok)
	all, err := keys.Shards("ITEM", 3)
	fmt.Println(all, err)
	// Output:
	// ITEM#SHARD_8 <nil> ITEM 8 true
	// [ITEM#SHARD_0 ITEM#SHARD_1 ITEM#SHARD_2] <nil>
}

// A sparse index of open alerts: all other items leave the attribute out.
func ExampleSparse() {
	for _, open := range []bool{true, false} {
		value, ok := keys.Sparse(open, "ALERT#critical")
		fmt.Printf("%q %v\n", value, ok)
	}
	// Output:
	// "ALERT#critical" true
	// "" false
}

func ExampleTTL() {
	at := time.Date(2024, 12, 2, 15, 30, 45, 123e6, time.UTC)
	fmt.Println(keys.TTL(at))
	// Output:
	// 1733153445
}

func ExampleNextVersion() {
	fmt.Println(keys.NextVersion(0), keys.NextVersion(7))
	// Output:
	// 1 8
}

// An id after the time distinguishes items of the same time and keeps the order.
func ExampleComposite_equalTimes() {
	at := time.Date(2024, 12, 2, 15, 30, 45, 123e6, time.UTC)
	when, err := keys.TimeKey(at, keys.ByInstant)
	for _, id := range []string{"a", "b"} {
		key, bad := keys.Composite(when, id)
		fmt.Println(key, err, bad)
	}
	// Output:
	// 2024-12-02T15:30:45.123Z#a <nil> <nil>
	// 2024-12-02T15:30:45.123Z#b <nil> <nil>
}
