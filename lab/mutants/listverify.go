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
		Edits: []edit{replace(verifyGroups, " && i.Key.Series == one.series {", " {")},
	},
	{
		Name: "verify-other-bucket", Says: "a bucket that waits excuses all buckets of its group",
		Tests: verifyTests,
		Edits: []edit{replace(verifyGroups, "if b.Start <= part.Start && part.End <= b.End {",
			"if part.Start > 0 || b.Start > 0 {")},
	},
	{
		Name: "verify-old-share", Says: "a share that is newer than its group excuses it for ever",
		Tests: verifyTests,
		Edits: []edit{replace(verifyGroups, " && at > one.now.Add(-Patience) {", " {")},
	},
	{
		Name: "verify-settled-share", Says: "a new share excuses a row that was folded after it",
		Tests: verifyTests,
		Edits: []edit{replace(verifyGroups, "row == nil || at > row.WrittenAt", "row == nil || at > 0")},
	},
	{
		Name: "verify-queue-late", Says: "the queue of groups is read after the last look at the rows",
		Tests: verifyTests,
		Edits: []edit{
			replace(confirming, `		if err = c.findUnsettled(ctx, one, findings); err != nil {
			return nil, err
		}
`, ""),
			replace(confirming, `		if err == nil && !changed && one.kind.GroupsOf == "" {
`, `		if err == nil && !changed {
			err = c.findUnsettled(ctx, one, findings)
		}
		if err == nil && !changed && one.kind.GroupsOf == "" {
`),
		},
	},
	{
		Name: "verify-share-numbers", Says: "a share that is stored is right",
		Tests: verifyTests,
		Edits: []edit{replace(judging, "if equal(row, share) {", "if share.Digest == row.Digest {")},
	},
	{
		Name: "verify-share-lost", Says: "a share that is not stored has expired",
		Tests: verifyTests,
		Edits: []edit{replace(judging, "	return kept != tier.Forever && ", "	return kept > 0 || ")},
	},
	{
		Name: "verify-share-behind", Says: "shares are judged by events that the member's row does not have",
		Tests: verifyTests,
		Edits: []edit{replace(judging, "; ok && found != Equal {", "; ok && found == Open {")},
	},
	{
		Name: "verify-share-left", Says: "each share is named by the row of its member",
		Tests: verifyTests,
		Edits: []edit{replace(leaving, "	l.found = append(l.found, share)", "	_ = share")},
	},
	{
		Name: "verify-share-purge", Says: "a purge removes the row before the shares that it names",
		Tests: verifyTests,
		Edits: []edit{replace(excusing, "lock.Receipt == \"\", err", "lock.Since < 0, err")},
	},
	{
		Name: "verify-share-move", Says: "a change of a profile is processed when it is stored",
		Tests: verifyTests,
		Edits: []edit{replace(excusing, "return r.shares.log.Newest() > through && ",
			"return through < 0 && ")},
	},
	{
		Name: "rebuild-share-left", Says: "a rebuild of the members repairs each share",
		Tests: verifyTests,
		Edits: []edit{replace(repairing, "		b.addGroups(name)\n", "")},
	},
	{
		Name: "verify-row-lost", Says: "each bucket in which members have shares has a row",
		Tests: verifyTests,
		Edits: []edit{replace(judging, "r.buckets.note(key.Series, b.interval)", "_ = r.buckets")},
	},
	{
		Name: "verify-series-lost", Says: "each group has a row by which it is found",
		Tests: verifyTests,
		Edits: []edit{replace(choosing, "groups = one.buckets.with(groups)", "one.buckets.with(nil)")},
	},
	{
		Name: "verify-row-forgotten", Says: "the first recount that finds a bucket without a row is enough",
		Tests: verifyTests,
		Edits: []edit{replace(choosing, "err == nil && !slices.ContainsFunc(r.findings, found.wrong)",
			"err == nil")},
	},
}
