package mutants

// deferralMutants are faults of the deferral of buckets, of sweeps and of their queue.
var deferralMutants = []mutant{
	{
		Name:  "open-unchecked",
		Says:  "a bucket is left to a sweep although it closed while its invalidation was put",
		Tests: ensureTests,
		Edits: []edit{replace(ensuring, "at := e.Now(); at < e.all[n].Due {", "at := e.Now(); true {")},
	},
	{
		Name: "open-clock-once", Says: "the clock is read once for a bucket", Tests: ensureTests,
		Edits: []edit{
			replace(ensuring, "	for {\n		e.decideAtOnce()\n",
				"	began := e.Now()\n	e.Now = func() model.Time { return began }\n	for {\n"+
					"		e.decideAtOnce()\n"),
		},
	},
	{
		Name: "put-remembered-early", Says: "an invalidation is remembered before it is stored",
		Tests: ensureTests,
		Edits: []edit{replace(ensuring,
			"				these, undecided = append(these, d.Invalidation), append(undecided, n)\n",
			"				these, undecided = append(these, d.Invalidation), append(undecided, n)\n"+
				"				e.Add(d, e.Now())\n")},
	},
	{
		Name: "frozen-clock", Says: "a clock that is before a delivered change is trusted",
		Tests: deferredTests,
		Edits: []edit{replace(deferring, "	now := func() model.Time { return max(a.Now(), notBefore) }\n",
			"	now := a.Now\n")},
	},
	{
		Name: "sweep-no-margin", Says: "a sweep works off what is just due", Tests: deferredTests,
		Edits: []edit{replace(sweeping, "a.Now().Add(-ClockMargin)", "a.Now()")},
	},
	{
		Name:  "sweep-parent-unchecked",
		Says:  "a sweep leaves the parent of a bucket to the next one, also if it has closed",
		Tests: deferredTests,
		Edits: []edit{replace(deferring,
			"		case queue.Closed:\n",
			`		case queue.Closed:
			if b.swept {
				_, _ = a.putInvalidation(ctx, storage.Invalidation{
					Due: b.closesAt(now()), Key: b.key}, all.count)
				continue
			}
`)},
	},
	{
		Name: "sweep-no-parent", Says: "a sweep recomputes the bucket alone", Tests: deferredTests,
		Edits: []edit{replace(gathering, "(b.err == nil || !b.swept)", "!b.swept")},
	},
	{
		Name: "watermark-passes", Says: "the low watermark passes an invalidation that is left",
		Tests: deferredTests,
		Edits: []edit{replace(sweeping, "	s.through = min(s.through, i.Due-1)\n", "")},
	},
	{
		Name: "watermark-at-end", Says: "the low watermark is taken at the sweep's end", Tests: deferredTests,
		Edits: []edit{replace(sweeping, "queue.AdvanceSweep(ctx, shard, s.through)",
			"queue.AdvanceSweep(ctx, shard, s.agg.Now())")},
	},
	{
		Name:  "unsettled-parent",
		Says:  "an absent parent that no sweep has settled proves that a row never existed",
		Tests: deferredTests,
		Edits: []edit{replace(sealing, "err != nil || !settled {", "err != nil || !settled && false {")},
	},
	{
		Name: "parent-first", Says: "the parent's invalidation is put before the row is written",
		Tests: deferredTests,
		Edits: []edit{replace(aggregator,
			"		a.recomputeAll(ctx, closed, limits, all)\n		touchParents(closed)\n",
			`		for _, b := range closed {
			if b.parent == nil {
				continue
			}
			closed := a.leaveOpen(ctx, []*dirtyBucket{b.parent}, due, c.newest, limits, all)
			if len(closed) == 0 && b.parent.err == nil {
				b.parent = nil
			}
		}
		a.recomputeAll(ctx, closed, limits, all)
		touchParents(closed)
`)},
	},
	{
		Name: "coarse-closes-first", Says: "a day may close before its hours", Tests: []string{"pkg/tier"},
		Edits: []edit{replace(closing, "t.Grace < p.Tiers[level-1].Grace:",
			"t.Grace < p.Tiers[level-1].Grace && false:")},
	},
	{
		Name: "queue-by-row", Says: "the queue shard of an invalidation depends on its bucket",
		Tests: deferredTests,
		Edits: []edit{replace(generations, "int(h.Sum64() >> 32 % uint64(g.Shards))",
			"int(h.Sum64()>>32+rand.Uint64()) % g.Shards"),
			replace(generations, "	\"hash/fnv\"\n", "	\"hash/fnv\"\n	\"math/rand/v2\"\n")},
	},
	{
		Name: "queue-newest", Says: "readers wait for the newest generation of queue shards alone",
		Tests: changeTests,
		Edits: []edit{replace(generations, "		if g.RetiredAt == 0 {\n			least =",
			"		if g == w.Generations.Newest() {\n			least =")},
	},
	{
		Name:  "queue-swept-newest",
		Says:  "the queue shards of the newest generation alone are swept, and no reader waits for others",
		Tests: changeTests,
		Edits: []edit{
			replace(generations, "		if one.RetiredAt == 0 {\n", "		if one == g.Newest() {\n"),
			replace(generations, "		if g.RetiredAt == 0 {\n			least =",
				"		if g == w.Generations.Newest() {\n			least ="),
		},
	},
	{
		Name: "queue-retired-empty", Says: "a generation of queue shards is retired as soon as it is empty",
		Tests: changeTests,
		Edits: []edit{replace(retiring, "next.SeenAt.Add(queue.Lead + 2*queue.ClockMargin)",
			"next.SeenAt.Add(0 * queue.Lead)")},
	},
	{
		Name: "queue-seen-early", Says: "the time of a generation is the clock before it is stored",
		Tests: changeTests,
		Edits: []edit{replace(retiring, "Shards: shards}\n", "Shards: shards, SeenAt: a.Now()}\n")},
	},
	{
		Name: "queue-suspended", Says: "a process relies on a put by generations that it read long ago",
		Tests: ensureTests,
		Edits: []edit{replace(ensuring, "if e.known.younger(Lead, e.Now()) {", "if true {")},
	},
	{
		Name: "purge-queue", Says: "a purge deletes invalidations", Tests: []string{"pkg/lifecycle"},
		Edits: []edit{replace(erasing, "	list := seriesClass(at.Subject)\n",
			`	if err := p.eachQueueShard(ctx, func(partition string) error {
		return e.eraseClass(ctx, partition, itemClass{name: classQuarantine})
	}); err != nil {
		return err
	}
	list := seriesClass(at.Subject)
`)},
	},
	{
		Name: "erase-unqueued", Says: "events are erased without their buckets in the queue",
		Tests: []string{"pkg/lifecycle ^TestEraseEvents_"},
		Edits: []edit{replace(erasingQueued, "	b.writer = s.Queue\n", "")},
	},
	{
		Name: "erase-queued-after", Says: "the bucket of an erased event is queued after the deletion",
		Tests: []string{"pkg/lifecycle ^TestEraseEvents_"},
		Edits: []edit{replace(erasingEvents,
			"			b.ensure(ctx, &e)\n			err = p.eraseEvent(ctx, store, &e, f, &done)\n",
			"			err = p.eraseEvent(ctx, store, &e, f, &done)\n			b.ensure(ctx, &e)\n")},
	},
	{
		Name: "rows-before-watermark", Says: "a reader reads rows before it reads the low watermark",
		Tests: readerTests,
		Edits: []edit{replace(readingLive,
			"	f, deferred, err := l.folder(ctx, unit, r)\n",
			`	early, _ := l.Store.Rows(ctx, unit, r)
	f, deferred, err := l.folder(ctx, unit, r)
	if deferred {
		if open := f.openFrom(f.level); err == nil && r.From < open && r.To > open && early.Next == "" {
			rows, err := f.fold(ctx, f.level, open, r.To)
			closed := slices.DeleteFunc(early.Rows, func(r rollup.Row) bool { return r.Key.Start >= open })
			return rollup.RowPage{Rows: append(closed, rows...)}, err
		}
	}
`)},
	},
	{
		Name: "grace-changes", Says: "closing times change while tiers are deferred", Tests: changeTests,
		Edits: []edit{replace(comparing, "textFor(Modes, deferred) }", "textFor(Modes, false) }")},
	},
	{
		Name: "defer-without-lead", Says: "aggregation leaves buckets before every reader folds them",
		Tests: changeTests,
		Edits: []edit{replace(changingOver, "DeferredFrom = now.Add(Lead)", "DeferredFrom = now")},
	},
	{
		Name: "drain-without-lead", Says: "readers use rows while a process may leave buckets",
		Tests: changeTests,
		Edits: []edit{replace(changingOver, "t.ImmediateAt.Add(Lead))", "t.ImmediateAt)")},
	},
	{
		Name: "deferral-remembered", Says: "a put of an earlier deferral is remembered", Tests: ensureTests,
		Edits: []edit{replace(remembering, " && known.from == d.From", "")},
	},
}
