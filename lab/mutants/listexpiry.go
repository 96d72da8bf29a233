package mutants

// expiryMutants are faults of expiry, retries, decoding and the response of the function.
var expiryMutants = []mutant{
	{
		Name: "stale-exact", Says: "a row that is first written after its children may have expired is exact",
		Tests: deferredTests,
		Edits: []edit{replace(settling, "return !settled, err", "return !settled && false, err")},
	},
	{
		Name: "expired-no-margin", Says: "an absent row is created until the very end of its retention",
		Tests: aggregateTests,
		Edits: []edit{replace(sealing, "b.End.Add(least) <= now.Add(tier.SealMargin)",
			"b.End.Add(least) <= now")},
	},
	{
		Name: "expired-children-skipped", Says: "stored events that have expired are not folded",
		Tests: aggregateTests,
		Edits: []edit{replace(children, "storage.VisitPage(ctx, a.Store, pages, add)",
			`storage.VisitPage(ctx, a.Store, pages, func(e *model.Event) {
			if e.ExpiresAt == 0 || e.ExpiresAt > a.Now().Seconds() {
				add(e)
			}
		})`)},
	},
	{
		Name: "first-page", Says: "only the first page of children is folded", Tests: aggregateTests,
		Edits: []edit{replace(children, `		if next == "" {`, `		if next == "" || true {`)},
	},
	{
		Name:  "lost-lock-is-success",
		Says:  "a failed condition counts as success, because another writer wrote the row",
		Tests: aggregateTests,
		Edits: []edit{replace(retrying, "case err == nil && result == storage.Written:",
			"case err == nil && (result == storage.Written || result == storage.ConditionFailed):")},
	},
	{
		Name: "unknown-is-success", Says: "a write without a response counts as success",
		Tests: aggregateTests,
		Edits: []edit{replace(retrying, "case err == nil && result == storage.Written:",
			"case err == nil && (result == storage.Written || result == storage.Unknown):")},
	},
	{
		Name: "deletions-dropped", Says: "deletions by a user are dropped like expiries",
		Tests: aggregateTests,
		Edits: []edit{replace(gathering, "case c.Type == storage.Expired:",
			"case c.Type == storage.Expired || c.Type == storage.Deleted:")},
	},
	{
		Name: "expiry-is-deletion", Says: "a removal by TTL is processed as a deletion by a user",
		Tests: allTests,
		Edits: []edit{replace(gathering, "case c.Type == storage.Expired:",
			"case c.Type == storage.Expired && false:")},
	},
	{
		Name: "unsigned-is-deletion", Says: "a removal not made by TTL is a deletion, even of an expired event",
		Tests: functionTests,
		Edits: []edit{replace(decoding, "	return old != nil && old.ExpiresAt != 0 &&",
			"	return false && old.ExpiresAt != 0 &&")},
	},
	{
		Name: "exact-from-inexact", Says: "a coarser row is exact although one of its finer rows is not",
		Tests: rollupTests,
		Edits: []edit{replace(folding, "	f.Exact = f.Exact && r.Exact && ", "	f.Exact = f.Exact && ")},
	},
	{
		Name: "unreadable-ignored", Says: "an event that cannot be decoded is ignored, and the row stays exact",
		Tests: rollupTests,
		Edits: []edit{replace(folding, "		f.Unreadable++\n		f.Exact = false\n		return\n",
			"		return\n")},
	},
	{
		Name: "in-place-merge", Says: "a merge shares memory with its argument, and writes to it",
		Tests: rollupTests,
		Edits: []edit{replace(merging, "part.clone()", "*part")},
	},
	{
		Name: "newer-overwritten", Says: "a row of a newer version is folded and overwritten",
		Tests: aggregateTests,
		Edits: []edit{replace(foldingRow, "	if row.V > Version {", "	if row.V > Version+9 {")},
	},
	{
		Name: "nil-on-failure", Says: "the function returns no response when a record failed",
		Tests: functionTests,
		Edits: []edit{replace(handling, "	return json.Marshal(r)",
			"	if len(r.BatchItemFailures) > 0 {\n		return nil, nil\n	}\n	return json.Marshal(r)")},
	},
	{
		Name: "acknowledge-failed", Says: "the function acknowledges the first failed record, and names the next",
		Tests: functionTests,
		Edits: []edit{
			replace(handling,
				"	for _, n := range sequenceNumbers {\n		if _, ok := failed[n]; ok {\n"+
					"			return tablestream.FailedFrom(n)\n",
				`	for i, n := range sequenceNumbers {
		if _, ok := failed[n]; ok && i+1 < len(sequenceNumbers) {
			return tablestream.FailedFrom(sequenceNumbers[i+1])
`),
		},
	},
	{
		Name: "poison-dropped", Says: "a record that cannot be decoded is acknowledged without being quarantined",
		Tests: functionTests,
		Edits: []edit{replace(handling, "	failed, quarantined := h.quarantine(ctx, batch.Poison)",
			"	failed, quarantined := h.quarantine(ctx, nil)")},
	},
	{
		Name: "counter-for-revision", Says: "a revision is the previous one plus one, not a nonce",
		Tests: allTests,
		Edits: []edit{replace(writing, "	row.Rev = rev\n", `	rev = prev
	for i := len(rev) - 1; i >= 0; i-- {
		if rev[i]++; rev[i] != 0 {
			break
		}
	}
	row.Rev = rev
`)},
	},
}
