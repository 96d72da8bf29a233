package tidemarkcdk

import (
	"path"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/rights"
)

// leadingKeys returns the patterns of the partitions that a statement is bound to.
func leadingKeys(statement map[string]any, operator string) (patterns []string) {
	for _, p := range listed(at(statement, "Condition", operator, "dynamodb:LeadingKeys")) {
		if text, ok := p.(string); ok {
			patterns = append(patterns, text)
		}
	}
	return patterns
}

// mayUse reports whether the statements of a role let it send an action to a partition of the table.
func mayUse(statements []map[string]any, action, partition string) (allowed bool) {
	likes := func(pattern string) bool {
		like, err := path.Match(pattern, partition) // no slash is in the partitions below
		return err == nil && like
	}
	for _, s := range statements {
		table := func(resource any) bool { return render(resource) == "Table.Arn" }
		named := slices.Contains(listed(s["Action"]), any(action))
		if !named || !slices.ContainsFunc(listed(s["Resource"]), table) {
			continue
		}
		only := leadingKeys(s, "ForAllValues:StringLike")
		switch {
		case s["Effect"] == "Deny" && slices.ContainsFunc(leadingKeys(s, "ForAnyValue:StringLike"), likes):
			return false
		case s["Effect"] == "Allow":
			allowed = allowed || len(only) == 0 || slices.ContainsFunc(only, likes)
		}
	}
	return allowed
}

// The roles let each function use the partitions that package rights gives it, and no other.
func TestPrivileges_KeepPartitionsForTheirFunctions(t *testing.T) {
	partitions := []string{
		"DEVICE#a", "JOB#writekeys", "SALT", "JOB#config", "JOB#aggregate", "JOB#sweep", "JOB#purge",
		"GATE#DEVICE#a", "UNIQUE#DEVICE#serial#tA", "RULE#DEVICE", "SERIES#DEVICE#1",
		"QUARANTINE#DEVICE#a", "INVALIDATION#1",
	}
	allowed, refused := 0, 0
	for _, name := range all {
		for _, f := range shippedFunctions {
			var statements []map[string]any
			for _, p := range resources(t, name)[f.id+"Role"].Properties["Policies"].([]any) {
				for _, s := range at(p.(map[string]any), "PolicyDocument", "Statement").([]any) {
					statements = append(statements, s.(map[string]any))
				}
			}
			for _, action := range []string{
				batchGetItem, batchWriteItem, conditionCheckItem, deleteItem, getItem, putItem, queryItems,
				updateItem,
			} {
				for _, partition := range partitions {
					want := slices.Contains(tableActions[f.name], action) &&
						rights.Allows(f.name, action, partition)
					if f.name == authorize {
						want = action == getItem && partition == "JOB#writekeys"
					}
					if got := mayUse(statements, action, partition); got != want {
						t.Errorf("%s: %s may send %s to %s: %v, want %v", name, f.name, action, partition,
							got, want)
					}
					if want {
						allowed++
					} else {
						refused++
					}
				}
			}
		}
	}
	if allowed < 200 || refused < 200 {
		t.Errorf("%d requests are allowed and %d refused: want many of both", allowed, refused)
	}
}
