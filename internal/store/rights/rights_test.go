package rights_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/rights"
)

func TestAllows_KeepsEachPartitionForItsFunctions(t *testing.T) {
	t.Parallel()
	const get, put, remove, check = "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem",
		"dynamodb:ConditionCheckItem"
	const batch = "dynamodb:BatchWriteItem"
	for _, c := range []struct {
		function, action, partition string
		want                        bool
	}{
		{"ingest", put, "DEVICE#a", true},
		{"ingest", put, "SALT", true},
		{"ingest", get, "JOB#writekeys", false},
		{"ingest", put, "JOB#writekeys", false},
		{"ingest", put, "GATE#DEVICE#a", false},
		{"ingest", put, "SHARE#BY_SITE#a", false},
		{"aggregate", put, "SHARE#BY_SITE#a", true},
		{"ingest", check, "GATE#DEVICE#a", true},
		{"ingest", put, "UNIQUE#DEVICE#serial#tA", false},
		{"ingest", put, "JOB#config", false},
		{"ingest", get, "JOB#config", true},
		{"ingest", put, "JOB#configuration", true},
		{"ingest", put, "RULE#DEVICE", false},
		{"query", get, "SALT", false},
		{"query", "dynamodb:Query", "JOB#writekeys", false},
		{"prometheus", get, "SALT", false},
		{"authorize", get, "JOB#writekeys", true},
		{"authorize", get, "SALT", false},
		{"manage", put, "GATE#DEVICE#a", false},
		{"manage", remove, "UNIQUE#DEVICE#serial#tA", true},
		{"manage", get, "SALT", false},
		{"aggregate", remove, "JOB#aggregate", true},
		{"aggregate", batch, "INVALIDATION#3", true},
		{"aggregate", batch, "JOB#aggregate", false},
		{"ingest", batch, "INVALIDATION#1#3", true},
		{"ingest", batch, "DEVICE#a", false},
		{"manage", batch, "DEVICE#a", false},
		{"aggregate", remove, "DEVICE#a", false},
		{"aggregate", put, "DEVICE#a", true},
		{"purge", batch, "SALT", false},
		{"purge", batch, "DEVICE#a", true},
		{"another", put, "GATE#DEVICE#a", false},
	} {
		if got := rights.Allows(c.function, c.action, c.partition); got != c.want {
			t.Errorf("%s sends %s to %s: allowed %v, want %v", c.function, c.action, c.partition, got, c.want)
		}
	}
}

// Every class of partitions that are of no subject has a row, but for the one of an index.
func TestPartitions_AreAllThatAreOfNoSubject(t *testing.T) {
	t.Parallel()
	for _, class := range []string{
		reserved.PurgeLock, reserved.Quarantine, reserved.RotatingSecret, reserved.Unique, reserved.Rule,
		reserved.Job, reserved.Invalidation, reserved.Series, reserved.Share,
	} {
		found := false
		for _, p := range rights.Partitions {
			found = found || p.Pattern == class || strings.HasPrefix(p.Pattern, class+"#")
		}
		if !found || !reserved.Type(class) {
			t.Errorf("no row has partitions that begin with %s, which is no type of subjects: %v", class,
				reserved.Type(class))
		}
	}
}
