package mutants

const increaseWalk = "internal/engine/query/increasewalk.go"

// increaseTests are the tests of what counters of members have counted.
var increaseTests = []string{"internal/engine/query"}

// increaseMutants are mistakes of the increases of groups: see docs/decisions/0059-groups.md.
var increaseMutants = []mutant{
	{
		Name: "increase-rest", Says: "a row does not remember that events count in no group",
		Tests: increaseTests,
		Edits: []edit{
			replace(sharing, "			names = append(names, storage.GroupName(g.kind.Name, \"\"))\n", ""),
		},
	},
	{
		Name: "increase-coarse", Says: "of a row of several groups no finer rows are read",
		Tests: increaseTests,
		Edits: []edit{
			replace(increaseWalk, "	case finer == 0:\n", "	case finer >= 0:\n"),
		},
	},
	{
		Name: "increase-first", Says: "a row of several groups counts in the first of them",
		Tests: increaseTests,
		Edits: []edit{
			replace(increaseWalk, "	return ids[0], len(ids) == 1\n", "	return ids[0], true\n"),
		},
	},
	{
		Name: "increase-open", Says: "buckets that have not closed for groups are counted",
		Tests: increaseTests,
		Edits: []edit{
			replace("internal/engine/query/increases.go", "	q.To = max(q.From, min(asked, closed))\n",
				"	q.To = max(q.From, min(asked, s.Now()))\n"),
		},
	},
}
