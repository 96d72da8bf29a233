package mutants

// mutants are faults of the recomputation. They include each mistake of deferral that looks right,
// see docs/decisions/0025-deferred-tiers.md, except a sweep from a resume point: no row stores one.
var mutants = []mutant{
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
			{recomputation, "	row, err := r.firstRow(ctx)", "	fold, early := r.foldChildren(ctx)\n	row, err := r.readRow(ctx, r.bucket.key)"},
			{recomputation, "	fold, err := r.foldChildren(ctx)\n", "	err = early\n"},
		},
	},
	{
		Name: "eventual-read", Says: "the children are read eventually consistent", Tests: aggregateTests,
		Edits: []edit{{children, "Consistent: true}", "Consistent: false}"}},
	},
	{
		Name: "first-shard", Says: "only the events of a series' first shard are folded", Tests: aggregateTests,
		Edits: []edit{{children, "range b.kind.SourcesOf(b.key.Series) {", "range b.kind.SourcesOf(b.key.Series)[:1] {"}},
	},
	{
		Name: "no-condition", Says: "the condition of a write is the revision stored at that moment", Tests: aggregateTests,
		Edits: []edit{{writing, "	rev, err := r.agg.newRev()\n", `	if now, err := r.agg.Store.Row(ctx, r.bucket.key); err == nil && now != nil {
		prev = now.Rev
	} else {
		prev = rollup.Rev{}
	}
	rev, err := r.agg.newRev()
`}},
	},
	{
		Name: "always-skip", Says: "a row that equals the fold is not written, whatever the change", Tests: aggregateTests,
		Edits: []edit{{writing, "same && (!r.bucket.alwaysWrite || r.bucket.options.DryRun)", "same"}},
	},
	{
		Name: "eventual-row", Says: "a row is read eventually consistent", Tests: dynamoTests,
		Edits: []edit{{readingItems, "keys.Row(key), true)", "keys.Row(key), false)"}},
	},
	{
		Name: "eventual-rows", Says: "rows are read in batches eventually consistent", Tests: dynamoTests,
		Edits: []edit{{readingRows, "ConsistentRead: new(true)", "ConsistentRead: new(false)"}},
	},
	{
		Name: "force-of-last", Says: "a bucket is written as the last change of a batch requires, not as any does", Tests: aggregateTests,
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
		Edits: []edit{{writing, "	row, oversize := r.newRow(fold)\n", "	if isEmpty(fold) {\n		return storage.Written, nil\n	}\n	row, oversize := r.newRow(fold)\n"}},
	},
	{
		Name: "coarse-first", Says: "months are recomputed before days, and days before hours", Tests: aggregateTests,
		Edits: []edit{
			{aggregator, `	"io"` + "\n", `	"io"` + "\n" + `	"slices"` + "\n"},
			{aggregator, "for _, buckets := range c.levels {", "for _, buckets := range slices.Backward(c.levels) {"},
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
		Edits: []edit{{recomputation, "exists(row) && sealed(row, rowReadAt)", "exists(row) && item.DamagedRow(row)"}},
	},
	{
		Name: "seal-late", Says: "a row is sealed when its first child expires, not an hour before", Tests: aggregateTests,
		Edits: []edit{{sealing, "row.ChildrenExpireAt-int64(tier.SealMargin.Seconds())", "row.ChildrenExpireAt"}},
	},
	{
		Name: "sealed-stays-exact", Says: "a sealed row is not marked inexact when a change arrives", Tests: aggregateTests,
		Edits: []edit{{sealing, "	inexact := *row\n", "	if row.Exact {\n		return storage.Written, nil\n	}\n	inexact := *row\n"}},
	},
	{
		Name: "latest-expiry", Says: "a row is sealed when its last child expires", Tests: rollupTests,
		Edits: []edit{{folding, "		f.ChildrenExpireAt = min(f.ChildrenExpireAt, expiresAt)\n", `		if f.ChildrenExpireAt == NoExpiry || f.ChildrenExpireAt < expiresAt {
			f.ChildrenExpireAt = expiresAt
		}
`}},
	},
	{
		Name: "expired-row-recreated", Says: "an absent row that may have expired is created from the events that are left", Tests: aggregateTests,
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
		Name: "open-unchecked", Says: "a bucket is left to a sweep although it closed while its invalidation was put", Tests: deferredTests,
		Edits: []edit{{deferring, "result == storage.Written && open()", "result == storage.Written"}},
	},
	{
		Name: "open-clock-once", Says: "the clock is read once for a bucket", Tests: deferredTests,
		Edits: []edit{{deferring, "	open := func() bool { return max(a.Now(), notBefore) < closes }\n", "	now := max(a.Now(), notBefore)\n	open := func() bool { return now < closes }\n"}},
	},
	{
		Name: "put-remembered-early", Says: "an invalidation is remembered before it is stored", Tests: deferredTests,
		Edits: []edit{{deferring, "		result, err := a.putInvalidation(", "		a.puts.add(b.key, closes, a.Now())\n		result, err := a.putInvalidation("}},
	},
	{
		Name: "frozen-clock", Says: "a clock that is before a delivered change is trusted", Tests: deferredTests,
		Edits: []edit{{deferring, "max(a.Now(), notBefore) < closes", "a.Now() < closes"}},
	},
	{
		Name: "sweep-no-margin", Says: "a sweep works off what is just due", Tests: deferredTests,
		Edits: []edit{{sweeping, "a.Now().Add(-ClockMargin)", "a.Now()"}},
	},
	{
		Name: "sweep-parent-unchecked", Says: "a sweep leaves the parent of a bucket to the next one, also if it has closed", Tests: deferredTests,
		Edits: []edit{{deferring, "			left, err := a.step(ctx, b, due, notBefore, all)\n", `			left, err := a.step(ctx, b, due, notBefore, all)
			if b.swept && !left {
				left, err = true, nil
				_, err = a.putInvalidation(ctx, entity.Invalidation{Due: b.closesAt(now), Key: b.key}, all.count)
			}
`}},
	},
	{
		Name: "sweep-no-parent", Says: "a sweep recomputes the bucket alone", Tests: deferredTests,
		Edits: []edit{{gathering, "(b.err == nil || !b.swept)", "!b.swept"}},
	},
	{
		Name: "watermark-passes", Says: "the low watermark passes an invalidation that is left", Tests: deferredTests,
		Edits: []edit{{sweeping, "	s.through = min(s.through, i.Due-1)\n", ""}},
	},
	{
		Name: "watermark-at-end", Says: "the low watermark is that of the sweep's end", Tests: deferredTests,
		Edits: []edit{{sweeping, "queue.AdvanceSweep(ctx, shard, s.through)", "queue.AdvanceSweep(ctx, shard, s.agg.Now())"}},
	},
	{
		Name: "unsettled-parent", Says: "an absent parent that no sweep has settled proves that a row never existed", Tests: deferredTests,
		Edits: []edit{{sealing, "err != nil || !settled {", "err != nil || !settled && false {"}},
	},
	{
		Name: "parent-first", Says: "the parent's invalidation is put before the row is written", Tests: deferredTests,
		Edits: []edit{{aggregator, "		a.recomputeAll(ctx, closed, limits, all)\n		touchParents(closed)\n", `		for _, b := range closed {
			if b.parent == nil {
				continue
			}
			if left, err := a.step(ctx, b.parent, due, c.newest, all); left && err == nil {
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
		Name: "queue-by-row", Says: "the queue shard of an invalidation depends on its bucket", Tests: deferredTests,
		Edits: []edit{{queueing, "PK: InvalidationPartition(QueueShard(i.Key.Series)),", "PK: InvalidationPartition(int(sum[0]) % QueueShards),"}},
	},
	{
		Name: "purge-queue", Says: "a purge deletes invalidations", Tests: []string{"pkg/lifecycle"},
		Edits: []edit{{erasing, "	list := seriesClass(at.Subject)\n", `	for shard := range tablekeys.QueueShards {
		if err := e.eraseClass(ctx, tablekeys.InvalidationPartition(shard), itemClass{name: classQuarantine}); err != nil {
			return err
		}
	}
	list := seriesClass(at.Subject)
`}},
	},
	{
		Name: "rows-before-watermark", Says: "a reader reads rows before it reads the low watermark", Tests: readerTests,
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
		Edits: []edit{{comparing, "modeText(deferred) }", "modeText(deferred && false) }"}},
	},
	{
		Name: "defer-without-lead", Says: "aggregation leaves buckets before every reader folds them", Tests: changeTests,
		Edits: []edit{{changingOver, "true, now.Add(Lead), 0", "true, now, 0"}},
	},
	{
		Name: "drain-without-lead", Says: "readers use rows while a process may leave buckets", Tests: changeTests,
		Edits: []edit{{changingOver, "t.ImmediateAt.Add(Lead))", "t.ImmediateAt)"}},
	},
	{
		Name: "late-tick-past", Says: "a late change waits for a tick that is over", Tests: deferredTests,
		Edits: []edit{
			{deferring, "	return now - now%model.Time(every.Milliseconds()) + model.Time(every.Milliseconds())\n", "	return now - now%model.Time(every.Milliseconds())\n"},
			{deferring, "max(a.Now(), notBefore) < closes }", "max(a.Now(), notBefore) < closes || closes > b.closesAt(a.Now()) }"},
		},
	},
	{
		Name: "late-remembered", Says: "a put of an earlier tick is remembered", Tests: deferredTests,
		Edits: []edit{{deferring, "	return put && due == closes\n", "	return put && due <= closes\n"}},
	},
	{
		Name: "late-unknown", Says: "a put whose result is unknown is a put", Tests: deferredTests,
		Edits: []edit{{deferring, "err == nil && result == storage.Written && open(); left", "err == nil && open(); left"}},
	},
	{
		Name: "late-at-closing", Says: "a bucket that has just closed waits for a tick", Tests: []string{"internal/aggregate", "internal/query"},
		Edits: []edit{{deferring, "now < closes.Add(every)", "now < closes"}},
	},
	{
		Name: "late-parents", Says: "a sweep leaves closed parents to the next tick", Tests: []string{"internal/aggregate", "internal/query"},
		Edits: []edit{{deferring, "		return model.MinTime\n	}\n	return b.closesAt(now)\n", "		return model.MinTime\n	}\n	return b.dueAt(now)\n"}},
	},
	{
		Name: "late-stale-watermark", Says: "an old low watermark proves that no late event expired in the queue", Tests: deferredTests,
		Edits: []edit{{settling, "return closes <= swept && stored, err", "return closes <= swept && (stored || true), err"}},
	},
	{
		Name: "late-row-exists", Says: "no late event that has expired can be missing from a row that exists", Tests: deferredTests,
		Edits: []edit{{settling, "exists(row) && b.kind.Retention.LateEvery == 0 ||", "exists(row) ||"}},
	},
	{
		Name: "late-complete", Says: "a result is complete through the low watermark", Tests: readerTests,
		Edits: []edit{{readingLive, "at = at.Add(-entity.LateMargin(kind.Retention.LateEvery))", "_ = at"}},
	},
	{
		Name: "late-no-margin", Says: "a result is complete through a tick before the low watermark, by any clock", Tests: readerTests,
		Edits: []edit{{counting, "	return every + time.Minute\n", "	return every\n"}},
	},
	{
		Name: "session-no-look-back", Says: "a bucket's sessions are folded from its start", Tests: sessionTests,
		Edits: []edit{{cutting, "max(f.from.Add(-f.rule().Gap), model.MinTime)", "f.from"}},
	},
	{
		Name: "session-gap-strict", Says: "a pause of exactly the gap ends a session", Tests: sessionTests,
		Edits: []edit{{cutting, "c.last.Add(f.rule().Gap) < e.At", "c.last.Add(f.rule().Gap) <= e.At"}},
	},
	{
		Name: "session-no-ahead", Says: "the fold of sessions stops one gap after the bucket", Tests: sessionTests,
		Edits: []edit{{cutting, "at > f.latest.Add(f.rule().Gap) ||", "at > f.to.Add(f.rule().Gap) ||"}},
	},
	{
		Name: "session-endless", Says: "a session is followed without end", Tests: sessionTests,
		Edits: []edit{{cutting, "s != nil && e.At < s.bucket.until", "s != nil"}, {cutting, "|| at >= f.to.Add(f.rule().Follow))", ")"}},
	},
	{
		Name: "session-walk-no-first", Says: "a late change leaves the bucket of its session's first event alone", Tests: sessionTests,
		Edits: []edit{{walking, "		if around.HasFirst {\n			w.add", "		if around.HasFirst && false {\n			w.add"}},
	},
	{
		Name: "session-walk-no-next", Says: "a late change leaves the bucket of the next event alone", Tests: sessionTests,
		Edits: []edit{{walking, "if around.HasNext && !s.other {", "if around.HasNext && false {"}},
	},
	{
		Name: "goal-never-late", Says: "a late event of a goal leaves its session alone", Tests: sessionTests,
		Edits: []edit{{walking, "return s.options == nil && sessions.OnTime", "return s.options == nil && s.other || s.options == nil && sessions.OnTime"}},
	},
	{
		Name: "goal-walk-no-own", Says: "a late event of a goal leaves a session alone that begins at its time", Tests: sessionTests,
		Edits: []edit{{walking, "if s.other { //", "if s.other && false { //"}},
	},
	{
		Name: "goal-before-view", Says: "an event of a goal is added before the view at its time", Tests: sessionTests,
		Edits: []edit{{cutting, "f.others[0].At < e.At", "f.others[0].At <= e.At"}},
	},
	{
		Name: "goal-gap-strict", Says: "an event of a goal a gap after the last view is in no session", Tests: sessionTests,
		Edits: []edit{{cutting, "e.At > c.last.Add(f.rule().Gap)", "e.At >= c.last.Add(f.rule().Gap)"}},
	},
	{
		Name: "goal-expired", Says: "a row is exact although an event of a goal may have expired", Tests: sessionTests,
		Edits: []edit{{sessioning, "if other := n.Key.Series != b.key.Series; other &&", "if other := n.Key.Series != b.key.Series; other && false &&"}},
	},
	{
		Name: "goal-unexpiring", Says: "a row does not depend on the events of goals", Tests: sessionTests,
		Edits: []edit{{cutting, "			c.session.addSource(e)\n", ""}},
	},
	{
		Name: "session-walk-short", Says: "a late change is walked back one gap only", Tests: sessionTests,
		Edits: []edit{{walking, "if !goesOn || from <= limit {", "if true || from <= limit {"}},
	},
	{
		Name: "session-walk-rows", Says: "a late change asks the rows which session reaches it, not the views", Tests: sessionTests,
		Edits: []edit{
			{walking, "		if around.HasFirst {\n			w.add", "		if around.HasFirst && w.agg == nil {\n			w.add"},
			{walking, "if raw == tier.Forever || now < s.at.Add(raw-back-rule.Gap-2*tier.SealMargin) {", "if raw == tier.Forever && now < 0 {"},
		},
	},
	{
		Name: "session-never-late", Says: "every change of the table stream is on time", Tests: sessionTests,
		Edits: []edit{{ending, "return now < at.Add(grace-margin)", "return now < at.Add(grace-margin) || true"}},
	},
	{
		Name: "session-no-reclosing", Says: "a bucket is not folded again when its sessions have ended", Tests: sessionTests,
		Edits: []edit{{sessioning, "c.Reach == 0 || readAt >= c.Settles ||", "c.Reach == 0 || readAt < model.MaxTime ||"}},
	},
	{
		Name: "session-chain-expired", Says: "a late change leaves rows alone that reach it over expired sources", Tests: sessionTests,
		Edits: []edit{{walking, "if raw == tier.Forever ||", "if raw != 0 ||"}},
	},
	{
		Name: "session-put-unchecked", Says: "a row is written although its sessions ended while the invalidation was put", Tests: sessionTests,
		Edits: []edit{{sessioning, "case r.agg.Now() >= c.Settles:", "case r.agg.Now() < 0:"}},
	},
	{
		Name: "session-put-after", Says: "a row is written before the invalidation of its sessions that go on", Tests: sessionTests,
		Edits: []edit{
			{recomputation, "	if err == nil {\n		err = r.ensureSettling(ctx, fold, rowReadAt)\n	}\n", ""},
			{recomputation, "	return r.writeIfChanged(ctx, row, fold)\n", "	result, err := r.writeIfChanged(ctx, row, fold)\n	if err == nil {\n		err = r.ensureSettling(ctx, fold, rowReadAt)\n	}\n	return result, err\n"},
		},
	},
	{
		Name: "session-expiry-own", Says: "a row does not depend on the views of a gap before it", Tests: sessionTests,
		Edits: []edit{{cutting, "		next.expiresWith(e.ExpiresAt)\n", "		_ = next\n"}},
	},
	{
		Name: "session-late-by-gap", Says: "a change is on time until a gap too late", Tests: sessionTests,
		Edits: []edit{{ending, "grace := kind.Retention.Finest().Grace - kind.Sessions.Gap", "grace := kind.Retention.Finest().Grace"}},
	},
	{
		Name: "session-no-margin", Says: "a change is on time although a sweep may have begun", Tests: sessionTests,
		Edits: []edit{{ending, "return now < at.Add(grace-margin)", "return now < at.Add(grace)"}},
	},
	{
		Name: "session-expired-before", Says: "a row is exact although the bucket before it may have had a view within a gap", Tests: sessionTests,
		Edits: []edit{{sessioning, "before := n.Key.Start < b.interval.Start &&", "before := n.Key.Start < b.interval.Start && false &&"}},
	},
	{
		Name: "session-expired-after", Says: "a row is exact although a bucket that its sessions reach may have had views", Tests: sessionTests,
		Edits: []edit{{sessioning, "after := n.Key.Start > b.interval.Start &&", "after := n.Key.Start > b.interval.Start && false &&"}},
	},
	{
		Name: "session-unsettled-read", Says: "readers take a row for complete whose sessions may go on", Tests: sessionTests,
		Edits: []edit{{readingPages, "settles > now || through != nil && settles > *through", "settles > now && false"}},
	},
	{
		Name: "stale-exact", Says: "a row that is first written after its children may have expired is exact", Tests: deferredTests,
		Edits: []edit{{settling, "return !settled, err", "return !settled && false, err"}},
	},
	{
		Name: "expired-no-margin", Says: "an absent row is created until the very end of its retention", Tests: aggregateTests,
		Edits: []edit{{sealing, "b.End.Add(least) <= now.Add(tier.SealMargin)", "b.End.Add(least) <= now"}},
	},
	{
		Name: "expired-children-skipped", Says: "stored events that have expired are not folded", Tests: aggregateTests,
		Edits: []edit{{children, "			add(&page.Events[i])\n", `			if at := page.Events[i].ExpiresAt; at == 0 || at > a.Now().Seconds() {
				add(&page.Events[i])
			}
`}},
	},
	{
		Name: "first-page", Says: "only the first page of children is folded", Tests: aggregateTests,
		Edits: []edit{{children, `		if next == "" {`, `		if next == "" || true {`}},
	},
	{
		Name: "lost-lock-is-success", Says: "a failed condition counts as success, because another writer wrote the row", Tests: aggregateTests,
		Edits: []edit{{retrying, "case err == nil && result == storage.Written:", "case err == nil && (result == storage.Written || result == storage.ConditionFailed):"}},
	},
	{
		Name: "unknown-is-success", Says: "a write without a response counts as success", Tests: aggregateTests,
		Edits: []edit{{retrying, "case err == nil && result == storage.Written:", "case err == nil && (result == storage.Written || result == storage.Unknown):"}},
	},
	{
		Name: "deletions-dropped", Says: "deletions by a user are dropped like expiries", Tests: aggregateTests,
		Edits: []edit{{gathering, "case c.Type == storage.Expired:", "case c.Type == storage.Expired || c.Type == storage.Deleted:"}},
	},
	{
		Name: "expiry-is-deletion", Says: "a removal by TTL is processed as a deletion by a user", Tests: allTests,
		Edits: []edit{{gathering, "case c.Type == storage.Expired:", "case c.Type == storage.Expired && false:"}},
	},
	{
		Name: "unsigned-is-deletion", Says: "a removal not made by TTL is a deletion, even of an expired event", Tests: functionTests,
		Edits: []edit{{decoding, "	return old != nil && old.ExpiresAt != 0 &&", "	return false && old.ExpiresAt != 0 &&"}},
	},
	{
		Name: "exact-from-inexact", Says: "a coarser row is exact although one of its finer rows is not", Tests: rollupTests,
		Edits: []edit{{folding, "	f.Exact = f.Exact && r.Exact\n", ""}},
	},
	{
		Name: "unreadable-ignored", Says: "an event that cannot be decoded is ignored, and the row stays exact", Tests: rollupTests,
		Edits: []edit{{folding, "		f.Unreadable++\n		f.Exact = false\n		return\n", "		return\n"}},
	},
	{
		Name: "in-place-merge", Says: "a merge shares memory with its argument, and writes to it", Tests: rollupTests,
		Edits: []edit{{merging, "known[i].clone()", "known[i]"}},
	},
	{
		Name: "newer-overwritten", Says: "a row of a newer version is folded and overwritten", Tests: aggregateTests,
		Edits: []edit{{foldingRow, "	if row.V > Version {", "	if row.V > Version+9 {"}},
	},
	{
		Name: "nil-on-failure", Says: "the function returns no response when a record failed", Tests: functionTests,
		Edits: []edit{{handling, "	return json.Marshal(r)", "	if len(r.BatchItemFailures) > 0 {\n		return nil, nil\n	}\n	return json.Marshal(r)"}},
	},
	{
		Name: "acknowledge-failed", Says: "the function acknowledges the first failed record, and names the next", Tests: functionTests,
		Edits: []edit{
			{handling, "	for _, n := range sequenceNumbers {\n		if _, ok := failed[n]; ok {\n			return envelope.FailedFrom(n)\n", `	for i, n := range sequenceNumbers {
		if _, ok := failed[n]; ok && i+1 < len(sequenceNumbers) {
			return envelope.FailedFrom(sequenceNumbers[i+1])
`},
		},
	},
	{
		Name: "poison-dropped", Says: "a record that cannot be decoded is acknowledged without being quarantined", Tests: functionTests,
		Edits: []edit{{handling, "	failed, quarantined := h.quarantine(ctx, batch.Poison)", "	failed, quarantined := h.quarantine(ctx, nil)"}},
	},
	{
		Name: "counter-for-revision", Says: "a revision is the previous one plus one, not a nonce", Tests: allTests,
		Edits: []edit{{writing, "	row.Rev = rev\n", `	rev = prev
	for i := len(rev) - 1; i >= 0; i-- {
		if rev[i]++; rev[i] != 0 {
			break
		}
	}
	row.Rev = rev
`}},
		Harmless: "two rows have the same revision only where one was removed and created again. Only TTL removes rows, at the earliest a day after an empty one was written, and no recomputation runs that long. The nonce protects against rows deleted by hand",
	},
}
