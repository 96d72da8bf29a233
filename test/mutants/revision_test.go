package mutants

// revisionMutants concern what a write with a revision depends on.
var revisionMutants = []mutant{
	{
		Name: "last-change-decides", Says: "the last change of a batch decides whether an unchanged row is written, not any", Tests: aggregateTests,
		Edits: []edit{{gathering, "b.alwaysWrite = b.alwaysWrite || c.Type", "b.alwaysWrite = c.Type"}},
	},
	{
		Name: "row-read-eventual", Says: "a row is read eventually consistent", Tests: []string{"pkg/dynamo"},
		Edits: []edit{{"pkg/dynamo/row.go", "keys.Row(key), true)", "keys.Row(key), false)"}},
	},
	{
		Name: "rows-read-eventual", Says: "rows that are read together are read eventually consistent", Tests: []string{"pkg/dynamo"},
		Edits: []edit{{"pkg/dynamo/rows.go", "ConsistentRead: new(true)", "ConsistentRead: new(false)"}},
	},
}
