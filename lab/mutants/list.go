package mutants

import "slices"

// mutants are faults of the recomputation. They include each mistake of deferral that looks right,
// see docs/decisions/0025-deferred-tiers.md, except a sweep from a resume point: no row stores one.
var mutants = slices.Concat(foldMutants, deferralMutants, stepMutants, lateMutants, sessionMutants,
	expiryMutants, groupMutants, increaseMutants, moveMutants, indexMutants, handoverMutants, verifyMutants)

// foldMutants are faults of folds and writes.
var foldMutants = []mutant{
	{
		Name: "add", Says: "the fold is added to the row instead of replacing it", Tests: aggregateTests,
		Edits: []edit{replace(recomputation, "	return r.writeIfChanged(ctx, row, fold)",
			`	if exists(row) && !item.DamagedRow(row) {
		fold.Summary.Merge(row.Summary)
	}
	return r.writeIfChanged(ctx, row, fold)`)},
	},
	{
		Name: "children-before-row", Says: "the children are read before the row", Tests: aggregateTests,
		Edits: []edit{
			replace(recomputation, "	row, err := r.firstRow(ctx)",
				"	fold, early := r.foldChildren(ctx)\n	row, err := r.readRow(ctx, r.bucket.key)"),
			replace(recomputation, "	fold, err := r.foldChildren(ctx)\n", "	err = early\n"),
		},
	},
	{
		Name: "eventual-read", Says: "the children are read eventually consistent", Tests: aggregateTests,
		Edits: []edit{replace(children, "Consistent: true}", "Consistent: false}")},
	},
	{
		Name: "first-shard", Says: "only the events of a series' first shard are folded",
		Tests: aggregateTests,
		Edits: []edit{replace(children, "range b.kind.SourceSeries(b.key.Series) {",
			"range b.kind.SourceSeries(b.key.Series)[:1] {")},
	},
	{
		Name: "no-condition", Says: "the condition of a write is the revision stored at that moment",
		Tests: aggregateTests,
		Edits: []edit{replace(writing, "	rev, err := r.agg.newRev()\n",
			`	if now, err := r.agg.Store.Row(ctx, r.bucket.key); err == nil && now != nil {
		prev = now.Rev
	} else {
		prev = rollup.Rev{}
	}
	rev, err := r.agg.newRev()
`)},
	},
	{
		Name: "always-skip", Says: "a row that equals the fold is not written, whatever the change",
		Tests: aggregateTests,
		Edits: []edit{replace(writing, "same && (!r.bucket.alwaysWrite || r.bucket.options.DryRun)",
			"same")},
	},
	{
		Name: "eventual-row", Says: "a row is read eventually consistent", Tests: dynamoTests,
		Edits: []edit{replace(readingItems, "keys.Row(key), true)", "keys.Row(key), false)")},
	},
	{
		Name: "eventual-rows", Says: "rows are read in batches eventually consistent", Tests: dynamoTests,
		Edits: []edit{replace(readingRows, "lists.Map(all, keys.Row), true)",
			"lists.Map(all, keys.Row), false)")},
	},
	{
		Name: "force-of-last", Says: "a bucket is written as the last change of a batch requires, not as any does",
		Tests: aggregateTests,
		Edits: []edit{replace(gathering, "b.alwaysWrite = b.alwaysWrite || change.Type",
			"b.alwaysWrite = change.Type")},
	},
	{
		Name: "delete-empty", Says: "the row of a bucket without children is deleted", Tests: aggregateTests,
		Edits: []edit{
			replace(writing, importItem, importItem+importKeys),
			replace(writing, "	result, err := r.put(ctx, old, row)\n",
				`	if table, can := r.agg.Store.(interface {
		DeleteItem(context.Context, keys.Key) error
	}); can && isEmpty(fold) {
		r.counts.Written++
		return storage.Written, table.DeleteItem(ctx, keys.Row(r.bucket.key))
	}
	result, err := r.put(ctx, old, row)
`),
		},
	},
	{
		Name: "ignore-empty", Says: "a fold without children is not written", Tests: aggregateTests,
		Edits: []edit{replace(writing, "	row, oversize := r.newRow(fold)\n",
			"	if isEmpty(fold) {\n		return storage.Written, nil\n	}\n"+
				"	row, oversize := r.newRow(fold)\n")},
	},
	{
		Name: "coarse-first", Says: "months are recomputed before days, and days before hours",
		Tests: aggregateTests,
		Edits: []edit{
			replace(aggregator, `	"io"`+"\n", `	"io"`+"\n"+`	"slices"`+"\n"),
			replace(aggregator, "	for level := range c.levels {\n		if level > 0 {\n",
				"	for level := range slices.Backward(c.levels) {\n		if true {\n"),
		},
	},
	{
		Name: "coarse-skipped", Says: "a day is not recomputed where its hour is unchanged",
		Tests: aggregateTests,
		Edits: []edit{replace(aggregator, "		a.recomputeAll(ctx, closed, limits, all)\n",
			`		before := all.report.Written
		a.recomputeAll(ctx, closed, limits, all)
		if all.report.Written == before {
			break
		}
`)},
	},
	{
		Name: "no-seal", Says: "a row is folded again although its children expire", Tests: aggregateTests,
		Edits: []edit{replace(recomputation, "exists(row) && item.SealedRow(row, rowReadAt)",
			"exists(row) && item.DamagedRow(row)")},
	},
	{
		Name: "seal-late", Says: "a row is sealed when its first child expires, not an hour before",
		Tests: aggregateTests,
		Edits: []edit{replace(foldingRow, "row.ChildrenExpireAt-int64(tier",
			"row.ChildrenExpireAt-0*int64(tier")},
	},
	{
		Name: "sealed-stays-exact", Says: "a sealed row is not marked inexact when a change arrives",
		Tests: aggregateTests,
		Edits: []edit{replace(sealing, "	inexact := *row\n",
			"	if row.Exact {\n		return storage.Written, nil\n	}\n	inexact := *row\n")},
	},
	{
		Name: "latest-expiry", Says: "a row is sealed when its last child expires", Tests: rollupTests,
		Edits: []edit{replace(folding, "		f.ChildrenExpireAt = min(f.ChildrenExpireAt, expiresAt)\n",
			`		if f.ChildrenExpireAt == NoExpiry || f.ChildrenExpireAt < expiresAt {
			f.ChildrenExpireAt = expiresAt
		}
`)},
	},
	{
		Name:  "expired-row-recreated",
		Says:  "an absent row that may have expired is created from the events that are left",
		Tests: aggregateTests,
		Edits: []edit{replace(recomputation, "err != nil || expired {", "err != nil || expired && false {")},
	},
	{
		Name: "no-placeholder", Says: "a row that is not created leaves no placeholder",
		Tests: aggregateTests,
		Edits: []edit{replace(sealing, "result, err = r.put(ctx, old, row)", "_ = row")},
	},
	{
		Name: "suspended", Says: "the clock is not read again after the children", Tests: aggregateTests,
		Edits: []edit{replace(recomputation, "pause > longestFold", "pause < 0")},
	},
	{
		Name: "insert-held-unproven", Says: "an insert never marks a sealed row", Tests: aggregateTests,
		Edits: []edit{replace(sealing, "return row.Covers(fold), nil",
			"return row.Covers(fold) || true, nil")},
	},
}
