package mutants

// latestTests find faults of latest items.
var latestTests = []string{"internal/engine/latest"}

// lateMutants are faults of late changes that wait for a tick, and of latest items behind a late stream.
var lateMutants = []mutant{
	{
		Name: "late-tick-past", Says: "a late change waits for a tick that is over", Tests: deferredTests,
		Edits: []edit{
			replace(deferring,
				"	return now - now%model.Time(every.Milliseconds()) + model.Time(every.Milliseconds())\n",
				"	return now - now%model.Time(every.Milliseconds())\n"),
			replace(deferring, "		Now: now, Retrier",
				"		Now: func() model.Time { return model.MinTime }, Retrier"),
		},
	},
	{
		Name: "latest-mixed", Tests: latestTests,
		Says:  "an item keeps the time of an event that is not stored, with fields of an older one",
		Edits: []edit{replace(latestFields, "!e.Late && !w.gone", "!e.Late")},
	},
	{
		Name: "latest-corrected", Tests: latestTests,
		Says: "a correction of an event that is not stored says nothing of its deletion",
		Edits: []edit{replace(latestFields, "(c.Type == storage.Deleted || isStored)",
			"(c.Type == storage.Deleted || isStored && false)")},
	},
	{
		Name: "late-remembered", Says: "a put of an earlier tick is remembered", Tests: ensureTests,
		Edits: []edit{replace(remembering, "known.due == d.Due", "known.due <= d.Due")},
	},
	{
		Name: "late-unknown", Says: "a put whose result is unknown is a put", Tests: ensureTests,
		Edits: []edit{replace(ensuring, "				if !left[these[i]] {\n",
			"				if !left[these[i]] || true {\n")},
	},
	{
		Name: "late-at-closing", Says: "a bucket that has just closed waits for a tick",
		Tests: []string{"internal/engine/aggregate", "internal/engine/query"},
		Edits: []edit{replace(deferring, "now < closes.Add(every)", "now < closes")},
	},
	{
		Name: "late-parents", Says: "a sweep leaves closed parents to the next tick",
		Tests: []string{"internal/engine/aggregate", "internal/engine/query"},
		Edits: []edit{replace(deferring, "		return model.MinTime\n	}\n	return b.closesAt(now)\n",
			"		return model.MinTime\n	}\n	return b.dueAt(now)\n")},
	},
	{
		Name: "late-stale-watermark", Says: "an old low watermark proves that no late event expired in the queue",
		Tests: deferredTests,
		Edits: []edit{replace(settling, "return closes <= swept && stored, err",
			"return closes <= swept && (stored || true), err")},
	},
	{
		Name: "late-row-exists", Says: "no late event that has expired can be missing from a row that exists",
		Tests: deferredTests,
		Edits: []edit{replace(settling, "exists(row) && b.kind.Retention.LateEvery == 0 ||",
			"exists(row) ||")},
	},
	{
		Name: "late-complete", Says: "a result is complete through the low watermark", Tests: readerTests,
		Edits: []edit{replace(readingProgress, "at = at.Add(-late)", "_ = at")},
	},
	{
		Name: "late-no-margin", Says: "a result is complete through a tick before the low watermark, by any clock",
		Tests: readerTests,
		Edits: []edit{replace(counting, "	return every + time.Minute\n", "	return every\n")},
	},
}
