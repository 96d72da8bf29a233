package mutants

const (
	verifyGroups = "internal/ops/repair/verify/pendinggroups.go"
	confirming   = "internal/ops/repair/verify/counter.go"
)

// verifyTests are the tests of what tells rows that are behind from wrong ones.
var verifyTests = []string{"internal/ops/repair/verify"}

// verifyMutants are mistakes in the verification of groups that look right.
var verifyMutants = []mutant{
	{
		Name: "verify-other-group", Says: "a group that waits for the sweep excuses all groups",
		Tests: verifyTests,
		Edits: []edit{{File: verifyGroups, Old: " && i.Key.Series == one.series {", New: " {"}},
	},
	{
		Name: "verify-other-bucket", Says: "a bucket that waits excuses all buckets of its group",
		Tests: verifyTests,
		Edits: []edit{{
			File: verifyGroups,
			Old:  "if b.Start <= part.Start && part.End <= b.End {",
			New:  "if part.Start > 0 || b.Start > 0 {",
		}},
	},
	{
		Name: "verify-old-share", Says: "a share that is newer than its group excuses it for ever",
		Tests: verifyTests,
		Edits: []edit{{File: verifyGroups, Old: " && at > one.now.Add(-Patience) {", New: " {"}},
	},
	{
		Name: "verify-settled-share", Says: "a new share excuses a row that was folded after it",
		Tests: verifyTests,
		Edits: []edit{{File: verifyGroups, Old: "at > row.WrittenAt && ", New: "row != nil && "}},
	},
	{
		Name: "verify-queue-late", Says: "the queue of groups is read after the last look at the rows",
		Tests: verifyTests,
		Edits: []edit{
			{
				File: confirming,
				Old: `		if err = c.findUnsettled(ctx, one, findings); err != nil {
			return nil, err
		}
`,
			},
			{
				File: confirming,
				Old: `		if err == nil && !changed && one.kind.GroupsOf == "" {
`,
				New: `		if err == nil && !changed {
			err = c.findUnsettled(ctx, one, findings)
		}
		if err == nil && !changed && one.kind.GroupsOf == "" {
`,
			},
		},
	},
}
