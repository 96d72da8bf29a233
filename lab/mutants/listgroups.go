package mutants

// Files of groups that mutants change.
const (
	sharing       = "internal/engine/aggregate/shares.go"
	markingShares = "internal/engine/aggregate/sharemarks.go"
	notifying     = "internal/engine/aggregate/notifygroups.go"
	grouping      = "pkg/catalog/groups.go"
	namingGroup   = "internal/engine/queue/groups.go"
	listing       = "internal/engine/aggregate/serieslist.go"
)

// groupTests are the tests of groups, the quick ones first.
var groupTests = []string{"internal/engine/aggregate", "pkg/catalog", "lab/simulation"}

// memberTests are the tests of lists of members.
var memberTests = []string{"pkg/rollup", "lab/simulation"}

// presenceTests are the tests of who is silent.
var presenceTests = []string{"internal/engine/query ^TestSilent", "internal/engine/aggregate ^TestProcess_"}

// groupMutants are the mistakes of groups that look right: see docs/decisions/0059-groups.md.
var groupMutants = []mutant{
	{
		Name: "group-unnamed", Says: "only the row of a member says which groups its events left",
		Tests: groupTests,
		Edits: []edit{
			replace(sharing, "	if kinds := b.groupKinds(); len(kinds) > 0 {\n",
				"	if kinds := b.groupKinds(); len(kinds) > 99 {\n"),
		},
	},
	{
		Name: "group-invalidation", Says: "an invalidation of a member's bucket names no group",
		Tests: groupTests,
		Edits: []edit{
			replace(deferring, "		d.Groups = storage.JoinGroups(b.groups.sorted())\n", ""),
		},
	},
	{
		Name: "group-shares-late", Says: "the shares are read after the children",
		Tests: groupTests,
		Edits: []edit{
			replace(recomputation,
				"	if err := r.readShares(ctx, row); err != nil {\n		return 0, err\n	}\n",
				"	_ = r.readShares\n"),
			replace(recomputation,
				"		err = r.checkGroups()\n",
				"		r.bucket.addGroups(slices.Collect(maps.Keys(r.groupFolds))...)\n"+
					"		err = r.readShares(ctx, row)\n"),
			replace(recomputation, "	\"fmt\"\n", "	\"fmt\"\n	\"maps\"\n	\"slices\"\n"),
		},
	},
	{
		Name: "group-unforced", Says: "an unchanged share is left, whatever the change",
		Tests: groupTests,
		Edits: []edit{
			replace(sharing, "		if same && !r.bucket.alwaysWrite {\n", "		if same {\n"),
		},
	},
	{
		Name: "group-unnotified", Says: "a group is not notified of a changed share",
		Tests: groupTests,
		Edits: []edit{
			replace(recomputation, "		result, err = r.notifyGroups(ctx)\n",
				"		_ = r.notifyGroups\n"),
		},
	},
	{
		Name: "presence-deleted", Says: "a series sent in the newest hour of its entry",
		Tests: presenceTests,
		Edits: []edit{replace("internal/engine/query/silentsubject.go", " && one.NewestInLast() {",
			" {")},
	},
	{
		Name: "presence-emptied", Says: "a group sent in the newest bucket that was ever written",
		Tests: groupTests,
		Edits: []edit{replace("internal/engine/aggregate/sweep.go",
			"		s.listGroups(ctx, &c, c.emptiedGroups())\n", "")},
	},
	{
		Name: "presence-known", Says: "an entry that is remembered has the deletions of its newest hour",
		Tests: presenceTests,
		Edits: []edit{replace(listing, "removed < l.Last ||", "removed <= l.Last ||")},
	},
	{
		Name: "group-alerts", Says: "a group of which the rules were not evaluated counts as swept",
		Tests: []string{"internal/engine/alert ^TestGroups_"},
		Edits: []edit{
			replace("internal/engine/aggregate/reportgroups.go",
				"		c.failSeries(series, fmt.Errorf(\"%w: %w\", errTransient, err))\n",
				"		_ = fmt.Errorf(\"%w: %s: %w\", errTransient, series, err)\n"),
		},
	},
	{
		Name: "group-watermark", Says: "groups are swept before their members",
		Tests: groupTests,
		Edits: []edit{
			replace(sweeping, "	return min(limit, marks.Least()), nil\n",
				"	_ = marks\n	return limit, nil\n"),
		},
	},
	{
		Name: "group-sealed", Says: "a sealed bucket marks its row alone",
		Tests: groupTests,
		Edits: []edit{
			replace(sealing,
				"	if result, err := r.markShares(ctx, row); err != nil || result != storage.Written {\n"+
					"		return result, err\n	}\n	return r.markInexact",
				"	return r.markInexact"),
		},
	},
	{
		Name: "group-expired", Says: "a repair of an expired bucket marks no groups of coarser rows",
		Tests: groupTests,
		Edits: []edit{replace(markingShares, "	if !exists(row) {\n", "	if false && !exists(row) {\n")},
	},
	{
		Name: "group-tick-past", Says: "a group is notified of a late change in the tick that is over",
		Tests: groupTests,
		Edits: []edit{
			replace(notifying, "d.Due = max(d.Due, now-now%every+every)",
				"d.Due = max(d.Due, now-now%every)"),
			replace(notifying, "ensured.Decisions[0] == queue.Left",
				"ensured.Decisions[0] != queue.Undecided"),
		},
	},
	{
		Name: "group-closes-first", Says: "a bucket of a group closes before the ones of its members",
		Tests: groupTests,
		Edits: []edit{
			replace(grouping, "groupGrace(t.Grace+of.Jitter)", "min(groupGrace(t.Grace), t.Grace)"),
		},
	},
	{
		Name: "group-other", Says: "a bucket may have any number of groups",
		Tests: groupTests,
		Edits: []edit{
			replace(sharing, "if n >= reserved.MaxGroups {", "if n >= 100*reserved.MaxGroups {"),
		},
	},
	{
		Name: "group-before", Says: "a record names the group to which an event moved, alone",
		Tests: groupTests,
		Edits: []edit{
			replace(namingGroup, "[]*model.Event{before, after}", "[]*model.Event{after}"),
			replace(namingGroup, "before, after *model.Event) (names", "_, after *model.Event) (names"),
		},
	},
	{
		Name: "members-ties", Says: "members with equal values are in no order",
		Tests: memberTests,
		Edits: []edit{
			replace(ranking, "	return cmp.Or(b.compareNumber(&a), strings.Compare(a.member, b.member))\n",
				"	return b.compareNumber(&a)\n"),
		},
	},
	{
		Name: "members-twice", Says: "a member is in a list once for each bucket",
		Tests: memberTests,
		Edits: []edit{
			replace(ranking, "		if len(list.entries) < places && !list.has(m.member) {\n",
				"		if len(list.entries) < places {\n"),
		},
	},
	{
		Name: "members-sums", Says: "lists by sums of several buckets merge",
		Tests: memberTests,
		Edits: []edit{
			replace(ranking, "		if !sameBucket && !k.merges {\n",
				"		if false && !sameBucket && !k.merges {\n"),
		},
	},
	{
		Name: "members-unknown", Says: "a bucket without a list counts as one without members",
		Tests: memberTests,
		Edits: []edit{
			replace(ranking, "	if l == nil || o == nil {\n		return nil\n	}\n",
				"	if o == nil {\n		return l\n	}\n	if l == nil {\n		return slices.Clone(o)\n	}\n"),
		},
	},
	{
		Name: "members-full", Says: "a member that is struck out of a full list takes no place with it",
		Tests: memberTests,
		Edits: []edit{
			replace(ranking, "		l.places--\n", "		l.places -= 0\n"),
		},
	},
	{
		Name: "members-purged", Says: "a purge leaves the name in lists",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			replace(leavingGroups,
				"	for _, group := range groups {\n		folded, err := e.strikeMember",
				"	for _, group := range groups[len(groups):] {\n		folded, err := e.strikeMember"),
		},
	},
	{
		Name: "members-purged-first", Says: "a purge removes names before the shares that they are folded from",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			replace(leavingGroups, "	refold, err := e.eraseShares(ctx, groups)\n"+
				"	if err != nil {\n		return err\n	}\n", "	var refold []rollup.Key\n"),
			replace(leavingGroups, "	return e.notifyGroups(ctx, refold)",
				"	if _, err := e.eraseShares(ctx, groups); err != nil {\n		return err\n	}\n"+
					"	return e.notifyGroups(ctx, refold)"),
		},
	},
	{
		Name: "members-absent", Says: "a purge leaves rows that do not exist, which a fold is about to write",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			replace(leavingGroups, "		if stored != nil && (row.Summary == nil ||",
				"		if stored == nil || (row.Summary == nil ||"),
		},
	},
	{
		Name: "purge-no-notice", Says: "a purge leaves it to the records of deletions to notify groups",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{replace(leavingGroups, "return e.notifyGroups(ctx, refold)", "return nil")},
	},
	{
		Name: "purge-notice-late", Says: "a purge does not look at the clock after it has notified groups",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{replace(leavingGroups, "e.now() >= due;", "due == model.MinTime;")},
	},
	{
		Name: "purge-notice-once", Says: "a purge notifies only the groups whose shares it still finds",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{replace(leavingGroups, "folded = stored != nil &&", "folded = false &&")},
	},
}
