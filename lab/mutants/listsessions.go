package mutants

// sessionMutants are faults of sessions and goals.
var sessionMutants = []mutant{
	{
		Name: "session-no-look-back", Says: "a bucket's sessions are folded from its start",
		Tests: sessionTests,
		Edits: []edit{replace(cutting, "max(f.from.Add(-f.rule().Gap), model.MinTime)", "f.from")},
	},
	{
		Name: "session-gap-strict", Says: "a pause of exactly the gap ends a session", Tests: sessionTests,
		Edits: []edit{replace(cutting, "c.last.Add(f.rule().Gap) < e.At",
			"c.last.Add(f.rule().Gap) <= e.At")},
	},
	{
		Name: "session-no-ahead", Says: "the fold of sessions stops one gap after the bucket",
		Tests: sessionTests,
		Edits: []edit{replace(cutting, "at > f.latest.Add(f.rule().Gap) ||",
			"at > f.to.Add(f.rule().Gap) ||")},
	},
	{
		Name: "session-endless", Says: "a session is followed without end", Tests: sessionTests,
		Edits: []edit{replace(cutting, "s != nil && e.At < s.bucket.until", "s != nil"),
			replace(cutting, "|| at >= f.to.Add(f.rule().Follow))", ")")},
	},
	{
		Name: "session-walk-no-first", Says: "a late change leaves the bucket of its session's first event alone",
		Tests: sessionTests,
		Edits: []edit{replace(walking, "		if around.HasFirst {\n			w.add",
			"		if around.HasFirst && false {\n			w.add")},
	},
	{
		Name: "session-walk-no-next", Says: "a late change leaves the bucket of the next event alone",
		Tests: sessionTests,
		Edits: []edit{replace(walking, "if around.HasNext && !s.other {", "if around.HasNext && false {")},
	},
	{
		Name: "goal-never-late", Says: "a late event of a goal leaves its session alone", Tests: sessionTests,
		Edits: []edit{replace(walking, "return s.options == nil && sessions.OnTime",
			"return s.options == nil && s.other || s.options == nil && sessions.OnTime")},
	},
	{
		Name: "goal-walk-no-own", Says: "a late event of a goal leaves a session alone that begins at its time",
		Tests: sessionTests,
		Edits: []edit{replace(walking, "if s.other { //", "if s.other && false { //")},
	},
	{
		Name: "goal-before-view", Says: "an event of a goal is added before the view at its time",
		Tests: sessionTests,
		Edits: []edit{replace(cutting, "f.others[0].At < e.At", "f.others[0].At <= e.At")},
	},
	{
		Name: "goal-gap-strict", Says: "an event of a goal a gap after the last view is in no session",
		Tests: sessionTests,
		Edits: []edit{replace(cutting, "e.At > c.last.Add(f.rule().Gap)",
			"e.At >= c.last.Add(f.rule().Gap)")},
	},
	{
		Name: "goal-expired", Says: "a row is exact although an event of a goal may have expired",
		Tests: sessionTests,
		Edits: []edit{replace(sessioning, "if other := n.Key.Series != b.key.Series; other &&",
			"if other := n.Key.Series != b.key.Series; other && false &&")},
	},
	{
		Name: "goal-unexpiring", Says: "a row does not depend on the events of goals", Tests: sessionTests,
		Edits: []edit{replace(cutting, "			c.session.addSource(e)\n", "")},
	},
	{
		Name: "session-walk-short", Says: "a late change is walked back one gap only", Tests: sessionTests,
		Edits: []edit{replace(walking, "if !goesOn || from <= limit {", "if true || from <= limit {")},
	},
	{
		Name: "session-walk-rows", Says: "a late change asks the rows which session reaches it, not the views",
		Tests: sessionTests,
		Edits: []edit{
			replace(walking, "		if around.HasFirst {\n			w.add",
				"		if around.HasFirst && w.agg == nil {\n			w.add"),
			replace(walking,
				"if raw == tier.Forever || now < s.at.Add(raw-back-rule.Gap-2*tier.SealMargin) {",
				"if raw == tier.Forever && now < 0 {"),
		},
	},
	{
		Name: "session-never-late", Says: "every change of the table stream is on time", Tests: sessionTests,
		Edits: []edit{replace(ending, "return now < at.Add(grace-margin)",
			"return now < at.Add(grace-margin) || true")},
	},
	{
		Name: "session-no-reclosing", Says: "a bucket is not folded again when its sessions have ended",
		Tests: sessionTests,
		Edits: []edit{replace(sessioning, "c.Reach == 0 || readAt >= c.Settles ||",
			"c.Reach == 0 || readAt < model.MaxTime ||")},
	},
	{
		Name: "session-chain-expired", Says: "a late change leaves rows alone that reach it over expired sources",
		Tests: sessionTests,
		Edits: []edit{replace(walking, "if raw == tier.Forever ||", "if raw != 0 ||")},
	},
	{
		Name:  "session-put-unchecked",
		Says:  "a row is written although its sessions ended while the invalidation was put",
		Tests: sessionTests,
		Edits: []edit{replace(sessioning, "case r.agg.Now() >= c.Settles:", "case r.agg.Now() < 0:")},
	},
	{
		Name: "session-put-after", Says: "a row is written before the invalidation of its sessions that go on",
		Tests: sessionTests,
		Edits: []edit{
			replace(recomputation,
				"	if err == nil {\n		err = r.ensureSettling(ctx, fold, rowReadAt)\n	}\n",
				""),
			replace(recomputation,
				"	return r.writeIfChanged(ctx, row, fold)\n",
				"	result, err = r.writeIfChanged(ctx, row, fold)\n	if err == nil {\n"+
					"		err = r.ensureSettling(ctx, fold, rowReadAt)\n	}\n	return result, err\n"),
		},
	},
	{
		Name: "session-expiry-own", Says: "a row does not depend on the views of a gap before it",
		Tests: sessionTests,
		Edits: []edit{replace(cutting, "		next.expiresWith(e.ExpiresAt)\n", "		_ = next\n")},
	},
	{
		Name: "session-late-by-gap", Says: "a change is on time until a gap too late", Tests: sessionTests,
		Edits: []edit{replace(ending, "grace := kind.Retention.Finest().Grace - kind.Sessions.Gap",
			"grace := kind.Retention.Finest().Grace")},
	},
	{
		Name: "session-no-margin", Says: "a change is on time although a sweep may have begun",
		Tests: sessionTests,
		Edits: []edit{replace(ending, "return now < at.Add(grace-margin)", "return now < at.Add(grace)")},
	},
	{
		Name:  "session-expired-before",
		Says:  "a row is exact although the bucket before it may have had a view within a gap",
		Tests: sessionTests,
		Edits: []edit{replace(sessioning, "before := n.Key.Start < b.interval.Start &&",
			"before := n.Key.Start < b.interval.Start && false &&")},
	},
	{
		Name:  "session-expired-after",
		Says:  "a row is exact although a bucket that its sessions reach may have had views",
		Tests: sessionTests,
		Edits: []edit{replace(sessioning, "after := n.Key.Start > b.interval.Start &&",
			"after := n.Key.Start > b.interval.Start && false &&")},
	},
	{
		Name: "session-unsettled-read", Says: "readers take a row for complete whose sessions may go on",
		Tests: sessionTests,
		Edits: []edit{replace(readingPages, "settles > now || through != nil && settles > *through",
			"settles > now && false")},
	},
	{
		Name: "session-unqueued", Says: "the queue needs the bucket of a view alone, not of its sessions",
		Tests: []string{"lab/simulation ^TestSimulation_SessionsEqual"},
		Edits: []edit{replace("internal/engine/queue/writer.go",
			"if s.Sessions == nil || s.Sessions.Of != kind.Name {",
			"if s.Sessions != nil {")},
	},
}
