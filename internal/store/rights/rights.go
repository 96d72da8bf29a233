// Package rights says which functions may use the partitions of the table that not all functions need.
//
// The role of a function allows requests to the whole table, because partitions of subjects have any name.
// Items that are of no subject are in partitions with fixed beginnings: each role denies those that its
// function does not use. Tests of the local stack refuse requests by the same rows.
package rights

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// Partition is a partition of the table, or several, that only some functions may use.
type Partition struct {
	Pattern string   // of the partition key; a * at its end stands for any text
	Users   []string // the functions that may write to it; of a secret partition, also read it
	Secret  bool     // no other function may read it
}

// every is the rest of the partition keys of a class.
const every = "#*"

// Partitions has the row of each.
var Partitions = []Partition{
	{Pattern: tablekeys.WriteKeys, Users: []string{"authorize"}, Secret: true},
	{Pattern: tablekeys.ClassRotatingSecret, Users: []string{"ingest"}, Secret: true},
	{Pattern: tablekeys.KindConfigs}, // tidemark config apply writes it
	{Pattern: tablekeys.JobAggregate, Users: []string{"aggregate"}},
	{Pattern: tablekeys.JobSweep, Users: []string{"aggregate"}},
	{Pattern: tablekeys.JobPurge, Users: []string{"manage", "purge"}},
	{Pattern: reserved.PurgeLock + every, Users: []string{"purge"}},
	{Pattern: reserved.Unique + every, Users: []string{"manage", "purge"}},
	{Pattern: reserved.Rule + every, Users: []string{"manage"}},
	{Pattern: reserved.Share + every, Users: []string{"aggregate", "purge"}},
	{Pattern: reserved.Series + every, Users: []string{"aggregate", "purge"}},
	{Pattern: reserved.Quarantine + every, Users: []string{"aggregate", "ingest", "purge"}},
	{Pattern: reserved.Invalidation + every, Users: []string{"aggregate", "ingest", "manage", "purge"}},
}

// queue has the patterns of the partitions of invalidations.
var queue = []string{reserved.Invalidation + every}

// Bounds has, by action of IAM and function, the patterns of the only partitions to which the function sends
// the action. A function that is not listed sends the action to partitions of subjects too.
var Bounds = map[string]map[string][]string{
	"dynamodb:DeleteItem":     {"aggregate": {tablekeys.JobAggregate}},
	"dynamodb:BatchWriteItem": {"aggregate": queue, "ingest": queue, "manage": queue}, // a batch may delete
}

// Denied returns the patterns of partitions to which a function may send no request, and of those to which it
// may not write.
func Denied(function string) (all, writes []string) {
	for _, p := range Partitions {
		switch {
		case slices.Contains(p.Users, function):
		case p.Secret:
			all = append(all, p.Pattern)
		default:
			writes = append(writes, p.Pattern)
		}
	}
	return all, writes
}

// Writes reports whether an action of IAM, such as dynamodb:PutItem, changes an item.
func Writes(action string) bool {
	return slices.Contains([]string{
		"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem",
	}, action)
}

// Allows reports whether a function may send a request to a partition, if its role allows the action.
func Allows(function, action, partition string) bool {
	all, writes := Denied(function)
	if only, bounded := Bounds[action][function]; bounded && !matches(only, partition) {
		return false
	}
	return !matches(all, partition) && !(Writes(action) && matches(writes, partition))
}

// matches reports whether a partition key has one of the patterns.
func matches(patterns []string, partition string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, several := strings.CutSuffix(pattern, "*")
		return pattern == partition || several && strings.HasPrefix(partition, prefix)
	})
}
