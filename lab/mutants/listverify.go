package mutants

const (
	verifyGroups = "internal/ops/repair/verify/pendinggroups.go"
	confirming   = "internal/ops/repair/verify/counter.go"
	judging      = "internal/ops/repair/verify/compareshares.go"
	leaving      = "internal/ops/repair/verify/leftshares.go"
	excusing     = "internal/ops/repair/verify/pendingshares.go"
	choosing     = "internal/ops/repair/verify/verifier.go"
	repairing    = "internal/engine/aggregate/rebuildgroups.go"
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
		Edits: []edit{{File: verifyGroups, Old: "row == nil || at > row.WrittenAt", New: "row == nil || at > 0"}},
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
	{
		Name: "verify-share-numbers", Says: "a share that is stored is right",
		Tests: verifyTests,
		Edits: []edit{{File: judging, Old: "if equal(row, share) {", New: "if share.Digest == row.Digest {"}},
	},
	{
		Name: "verify-share-lost", Says: "a share that is not stored has expired",
		Tests: verifyTests,
		Edits: []edit{{File: judging, Old: "	return kept != tier.Forever && ", New: "	return kept > 0 || "}},
	},
	{
		Name: "verify-share-behind", Says: "shares are judged by events that the member's row does not have",
		Tests: verifyTests,
		Edits: []edit{{File: judging, Old: "; ok && found != Equal {", New: "; ok && found == Open {"}},
	},
	{
		Name: "verify-share-left", Says: "each share is named by the row of its member",
		Tests: verifyTests,
		Edits: []edit{{File: leaving, Old: "	l.found = append(l.found, share)", New: "	_ = share"}},
	},
	{
		Name: "verify-share-purge", Says: "a purge removes the row before the shares that it names",
		Tests: verifyTests,
		Edits: []edit{{File: excusing, Old: "lock.Receipt == \"\", err", New: "lock.Since < 0, err"}},
	},
	{
		Name: "verify-share-move", Says: "a change of a profile is processed when it is stored",
		Tests: verifyTests,
		Edits: []edit{{
			File: excusing, Old: "return r.shares.log.Newest() > through && ", New: "return through < 0 && ",
		}},
	},
	{
		Name: "rebuild-share-left", Says: "a rebuild of the members repairs each share",
		Tests: verifyTests,
		Edits: []edit{{File: repairing, Old: "		b.addGroups(name)\n", New: ""}},
	},
	{
		Name: "verify-row-lost", Says: "each bucket in which members have shares has a row",
		Tests: verifyTests,
		Edits: []edit{{
			File: judging, Old: "r.buckets.note(key.Series, b.interval)", New: "_ = r.buckets",
		}},
	},
	{
		Name: "verify-series-lost", Says: "each group has a row by which it is found",
		Tests: verifyTests,
		Edits: []edit{{
			File: choosing, Old: "groups = one.buckets.with(groups)", New: "one.buckets.with(nil)",
		}},
	},
	{
		Name: "verify-row-forgotten", Says: "the first recount that finds a bucket without a row is enough",
		Tests: verifyTests,
		Edits: []edit{{
			File: choosing, Old: "err == nil && !slices.ContainsFunc(r.findings, found.wrong)", New: "err == nil",
		}},
	},
}
