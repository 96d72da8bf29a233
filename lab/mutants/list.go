package mutants

import "slices"

// mutants are faults of the recomputation. They include each mistake of deferral that looks right,
// see docs/decisions/0025-deferred-tiers.md, except a sweep from a resume point: no row stores one.
var mutants = slices.Concat(foldMutants, stepMutants, lateMutants, sessionMutants, expiryMutants,
	groupMutants, increaseMutants, moveMutants, indexMutants, handoverMutants, verifyMutants)

// foldMutants are faults of folds, writes, the deferral of buckets and sweeps.
var foldMutants = []mutant{
	{
		Name: "add", Says: "the fold is added to the row instead of replacing it", Tests: aggregateTests,
		Edits: []edit{{recomputation, "	return r.writeIfChanged(ctx, row, fold)", `	if exists(row) && !item.DamagedRow(row) {
		fold.Summary.Merge(row.Summary)
	}
	return r.writeIfChanged(ctx, row, fold)`}},
	},
	{
		Name: "children-before-row", Says: "the children are read before the row", Tests: aggregateTests,
		Edits: []edit{
			{recomputation, "	row, err := r.firstRow(ctx)",
				"	fold, early := r.foldChildren(ctx)\n	row, err := r.readRow(ctx, r.bucket.key)"},
			{recomputation, "	fold, err := r.foldChildren(ctx)\n", "	err = early\n"},
		},
	},
	{
		Name: "eventual-read", Says: "the children are read eventually consistent", Tests: aggregateTests,
		Edits: []edit{{children, "Consistent: true}", "Consistent: false}"}},
	},
	{
		Name: "first-shard", Says: "only the events of a series' first shard are folded", Tests: aggregateTests,
		Edits: []edit{{children, "range b.kind.SourceSeries(b.key.Series) {",
			"range b.kind.SourceSeries(b.key.Series)[:1] {"}},
	},
	{
		Name: "no-condition", Says: "the condition of a write is the revision stored at that moment",
		Tests: aggregateTests,
		Edits: []edit{{writing, "	rev, err := r.agg.newRev()\n", `	if now, err := r.agg.Store.Row(ctx, r.bucket.key); err == nil && now != nil {
		prev = now.Rev
	} else {
		prev = rollup.Rev{}
	}
	rev, err := r.agg.newRev()
`}},
	},
	{
		Name: "always-skip", Says: "a row that equals the fold is not written, whatever the change",
		Tests: aggregateTests,
		Edits: []edit{{writing, "same && (!r.bucket.alwaysWrite || r.bucket.options.DryRun)", "same"}},
	},
	{
		Name: "eventual-row", Says: "a row is read eventually consistent", Tests: dynamoTests,
		Edits: []edit{{readingItems, "keys.Row(key), true)", "keys.Row(key), false)"}},
	},
	{
		Name: "eventual-rows", Says: "rows are read in batches eventually consistent", Tests: dynamoTests,
		Edits: []edit{{readingRows, "lists.Map(all, keys.Row), true)", "lists.Map(all, keys.Row), false)"}},
	},
	{
		Name: "force-of-last", Says: "a bucket is written as the last change of a batch requires, not as any does",
		Tests: aggregateTests,
		Edits: []edit{{gathering, "b.alwaysWrite = b.alwaysWrite || change.Type", "b.alwaysWrite = change.Type"}},
	},
	{
		Name: "delete-empty", Says: "the row of a bucket without children is deleted", Tests: aggregateTests,
		Edits: []edit{
			{writing, importItem, importItem + importKeys},
			{writing, "	result, err := r.put(ctx, old, row)\n", `	if table, can := r.agg.Store.(interface {
		DeleteItem(context.Context, keys.Key) error
	}); can && isEmpty(fold) {
		r.counts.Written++
		return storage.Written, table.DeleteItem(ctx, keys.Row(r.bucket.key))
	}
	result, err := r.put(ctx, old, row)
`},
		},
	},
	{
		Name: "ignore-empty", Says: "a fold without children is not written", Tests: aggregateTests,
		Edits: []edit{{writing, "	row, oversize := r.newRow(fold)\n",
			"	if isEmpty(fold) {\n		return storage.Written, nil\n	}\n	row, oversize := r.newRow(fold)\n"}},
	},
	{
		Name: "coarse-first", Says: "months are recomputed before days, and days before hours",
		Tests: aggregateTests,
		Edits: []edit{
			{aggregator, `	"io"` + "\n", `	"io"` + "\n" + `	"slices"` + "\n"},
			{aggregator, "	for level := range c.levels {\n		if level > 0 {\n",
				"	for level := range slices.Backward(c.levels) {\n		if true {\n"},
		},
	},
	{
		Name: "coarse-skipped", Says: "a day is not recomputed where its hour is unchanged", Tests: aggregateTests,
		Edits: []edit{{aggregator, "		a.recomputeAll(ctx, closed, limits, all)\n", `		before := all.report.Written
		a.recomputeAll(ctx, closed, limits, all)
		if all.report.Written == before {
			break
		}
`}},
	},
	{
		Name: "no-seal", Says: "a row is folded again although its children expire", Tests: aggregateTests,
		Edits: []edit{{recomputation, "exists(row) && item.SealedRow(row, rowReadAt)",
			"exists(row) && item.DamagedRow(row)"}},
	},
	{
		Name: "seal-late", Says: "a row is sealed when its first child expires, not an hour before",
		Tests: aggregateTests,
		Edits: []edit{{foldingRow, "row.ChildrenExpireAt-int64(tier", "row.ChildrenExpireAt-0*int64(tier"}},
	},
	{
		Name: "sealed-stays-exact", Says: "a sealed row is not marked inexact when a change arrives",
		Tests: aggregateTests,
		Edits: []edit{{sealing, "	inexact := *row\n",
			"	if row.Exact {\n		return storage.Written, nil\n	}\n	inexact := *row\n"}},
	},
	{
		Name: "latest-expiry", Says: "a row is sealed when its last child expires", Tests: rollupTests,
		Edits: []edit{{folding, "		f.ChildrenExpireAt = min(f.ChildrenExpireAt, expiresAt)\n", `		if f.ChildrenExpireAt == NoExpiry || f.ChildrenExpireAt < expiresAt {
			f.ChildrenExpireAt = expiresAt
		}
`}},
	},
	{
		Name: "expired-row-recreated",
		Says: "an absent row that may have expired is created from the events that are left", Tests: aggregateTests,
		Edits: []edit{{recomputation, "err != nil || expired {", "err != nil || expired && false {"}},
	},
	{
		Name: "no-placeholder", Says: "a row that is not created leaves no placeholder", Tests: aggregateTests,
		Edits: []edit{{sealing, "result, err = r.put(ctx, old, row)", "_ = row"}},
	},
	{
		Name: "suspended", Says: "the clock is not read again after the children", Tests: aggregateTests,
		Edits: []edit{{recomputation, "pause > longestFold", "pause < 0"}},
	},
	{
		Name: "insert-held-unproven", Says: "an insert never marks a sealed row", Tests: aggregateTests,
		Edits: []edit{{sealing, "return row.Covers(fold), nil", "return row.Covers(fold) || true, nil"}},
	},
	{
		Name: "open-unchecked",
		Says: "a bucket is left to a sweep although it closed while its invalidation was put", Tests: ensureTests,
		Edits: []edit{{ensuring, "at := e.Now(); at < e.all[n].Due {", "at := e.Now(); true {"}},
	},
	{
		Name: "open-clock-once", Says: "the clock is read once for a bucket", Tests: ensureTests,
		Edits: []edit{
			{ensuring, "	for {\n		e.decideAtOnce()\n",
				"	began := e.Now()\n	e.Now = func() model.Time { return began }\n	for {\n		e.decideAtOnce()\n"},
		},
	},
	{
		Name: "put-remembered-early", Says: "an invalidation is remembered before it is stored", Tests: ensureTests,
		Edits: []edit{{ensuring,
			"				these, undecided = append(these, d.Invalidation), append(undecided, n)\n",
			"				these, undecided = append(these, d.Invalidation), append(undecided, n)\n" +
				"				e.Add(d, e.Now())\n"}},
	},
	{
		Name: "frozen-clock", Says: "a clock that is before a delivered change is trusted", Tests: deferredTests,
		Edits: []edit{{deferring, "	now := func() model.Time { return max(a.Now(), notBefore) }\n",
			"	now := a.Now\n"}},
	},
	{
		Name: "sweep-no-margin", Says: "a sweep works off what is just due", Tests: deferredTests,
		Edits: []edit{{sweeping, "a.Now().Add(-ClockMargin)", "a.Now()"}},
	},
	{
		Name: "sweep-parent-unchecked",
		Says: "a sweep leaves the parent of a bucket to the next one, also if it has closed", Tests: deferredTests,
		Edits: []edit{{deferring, "		case queue.Closed:\n", `		case queue.Closed:
			if b.swept {
				_, _ = a.putInvalidation(ctx, storage.Invalidation{Due: b.closesAt(now()), Key: b.key}, all.count)
				continue
			}
`}},
	},
	{
		Name: "sweep-no-parent", Says: "a sweep recomputes the bucket alone", Tests: deferredTests,
		Edits: []edit{{gathering, "(b.err == nil || !b.swept)", "!b.swept"}},
	},
	{
		Name: "watermark-passes", Says: "the low watermark passes an invalidation that is left",
		Tests: deferredTests,
		Edits: []edit{{sweeping, "	s.through = min(s.through, i.Due-1)\n", ""}},
	},
	{
		Name: "watermark-at-end", Says: "the low watermark is taken at the sweep's end", Tests: deferredTests,
		Edits: []edit{{sweeping, "queue.AdvanceSweep(ctx, shard, s.through)",
			"queue.AdvanceSweep(ctx, shard, s.agg.Now())"}},
	},
	{
		Name: "unsettled-parent",
		Says: "an absent parent that no sweep has settled proves that a row never existed", Tests: deferredTests,
		Edits: []edit{{sealing, "err != nil || !settled {", "err != nil || !settled && false {"}},
	},
	{
		Name: "parent-first", Says: "the parent's invalidation is put before the row is written",
		Tests: deferredTests,
		Edits: []edit{{aggregator, "		a.recomputeAll(ctx, closed, limits, all)\n		touchParents(closed)\n", `		for _, b := range closed {
			if b.parent == nil {
				continue
			}
			if closed := a.leaveOpen(ctx, []*dirtyBucket{b.parent}, due, c.newest, limits, all); len(closed) == 0 && b.parent.err == nil {
				b.parent = nil
			}
		}
		a.recomputeAll(ctx, closed, limits, all)
		touchParents(closed)
`}},
	},
	{
		Name: "coarse-closes-first", Says: "a day may close before its hours", Tests: []string{"pkg/tier"},
		Edits: []edit{{closing, "t.Grace < p.Tiers[level-1].Grace:", "t.Grace < p.Tiers[level-1].Grace && false:"}},
	},
	{
		Name: "queue-by-row", Says: "the queue shard of an invalidation depends on its bucket",
		Tests: deferredTests,
		Edits: []edit{{File: generations, Old: "int(h.Sum64() >> 32 % uint64(g.Shards))",
			New: "int(h.Sum64()>>32+rand.Uint64()) % g.Shards"},
			{File: generations, Old: "	\"hash/fnv\"\n", New: "	\"hash/fnv\"\n	\"math/rand/v2\"\n"}},
	},
	{
		Name: "queue-newest", Says: "readers wait for the newest generation of queue shards alone",
		Tests: changeTests,
		Edits: []edit{{File: generations, Old: "		if g.RetiredAt == 0 {\n			least =",
			New: "		if g == w.Generations.Newest() {\n			least ="}},
	},
	{
		Name:  "queue-swept-newest",
		Says:  "the queue shards of the newest generation alone are swept, and no reader waits for others",
		Tests: changeTests,
		Edits: []edit{
			{File: generations, Old: "		if one.RetiredAt == 0 {\n", New: "		if one == g.Newest() {\n"},
			{File: generations, Old: "		if g.RetiredAt == 0 {\n			least =",
				New: "		if g == w.Generations.Newest() {\n			least ="},
		},
	},
	{
		Name: "queue-retired-empty", Says: "a generation of queue shards is retired as soon as it is empty",
		Tests: changeTests,
		Edits: []edit{{File: retiring, Old: "next.SeenAt.Add(queue.Lead + 2*queue.ClockMargin)",
			New: "next.SeenAt.Add(0 * queue.Lead)"}},
	},
	{
		Name: "queue-seen-early", Says: "the time of a generation is the clock before it is stored",
		Tests: changeTests,
		Edits: []edit{{File: retiring, Old: "Shards: shards}\n", New: "Shards: shards, SeenAt: a.Now()}\n"}},
	},
	{
		Name: "queue-suspended", Says: "a process relies on a put by generations that it read long ago",
		Tests: ensureTests,
		Edits: []edit{{ensuring, "if e.known.younger(Lead, e.Now()) {", "if true {"}},
	},
	{
		Name: "purge-queue", Says: "a purge deletes invalidations", Tests: []string{"pkg/lifecycle"},
		Edits: []edit{{erasing, "	list := seriesClass(at.Subject)\n", `	if err := p.eachQueueShard(ctx, func(partition string) error {
		return e.eraseClass(ctx, partition, itemClass{name: classQuarantine})
	}); err != nil {
		return err
	}
	list := seriesClass(at.Subject)
`}},
	},
	{
		Name: "rows-before-watermark", Says: "a reader reads rows before it reads the low watermark",
		Tests: readerTests,
		Edits: []edit{{readingLive, "	f, deferred, err := l.folder(ctx, unit, r)\n", `	early, _ := l.Store.Rows(ctx, unit, r)
	f, deferred, err := l.folder(ctx, unit, r)
	if deferred {
		if open := f.openFrom(f.level); err == nil && r.From < open && r.To > open && early.Next == "" {
			rows, err := f.fold(ctx, f.level, open, r.To)
			return rollup.RowPage{Rows: append(slices.DeleteFunc(early.Rows, func(r rollup.Row) bool { return r.Key.Start >= open }), rows...)}, err
		}
	}
`}},
	},
	{
		Name: "grace-changes", Says: "closing times change while tiers are deferred", Tests: changeTests,
		Edits: []edit{{comparing, "textFor(Modes, deferred) }", "textFor(Modes, false) }"}},
	},
	{
		Name: "defer-without-lead", Says: "aggregation leaves buckets before every reader folds them",
		Tests: changeTests,
		Edits: []edit{{changingOver, "DeferredFrom = now.Add(Lead)", "DeferredFrom = now"}},
	},
	{
		Name: "drain-without-lead", Says: "readers use rows while a process may leave buckets", Tests: changeTests,
		Edits: []edit{{changingOver, "t.ImmediateAt.Add(Lead))", "t.ImmediateAt)"}},
	},
	{
		Name: "deferral-remembered", Says: "a put of an earlier deferral is remembered", Tests: ensureTests,
		Edits: []edit{{File: remembering, Old: " && known.from == d.From", New: ""}},
	},
}
