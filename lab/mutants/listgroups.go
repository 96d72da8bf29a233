package mutants

// Files of groups that mutants change.
const (
	sharing     = "internal/engine/aggregate/shares.go"
	notifying   = "internal/engine/aggregate/notifygroups.go"
	grouping    = "pkg/catalog/groups.go"
	namingGroup = "internal/engine/queue/groups.go"
)

// groupTests are the tests of groups, the quick ones first.
var groupTests = []string{"internal/engine/aggregate", "pkg/catalog", "lab/simulation"}

// groupMutants are the mistakes of groups that look right: see docs/decisions/0059-groups.md.
var groupMutants = []mutant{
	{
		Name: "group-unnamed", Says: "only the row of a member says which groups its events left",
		Tests: groupTests,
		Edits: []edit{
			{
				File: sharing,
				Old:  "	if kinds := b.groupKinds(); len(kinds) > 0 {\n",
				New:  "	if kinds := b.groupKinds(); len(kinds) > 99 {\n",
			},
		},
	},
	{
		Name: "group-invalidation", Says: "an invalidation of a member's bucket names no group",
		Tests: groupTests,
		Edits: []edit{
			{
				File: deferring,
				Old:  "		d.Groups = storage.JoinGroups(b.groups.sorted())\n",
				New:  "",
			},
		},
	},
	{
		Name: "group-shares-late", Says: "the shares are read after the children",
		Tests: groupTests,
		Edits: []edit{
			{
				File: recomputation,
				Old:  "	if err := r.readShares(ctx, row); err != nil {\n		return 0, err\n	}\n",
				New:  "	_ = r.readShares\n",
			},
			{
				File: recomputation,
				Old:  "		err = r.checkGroups()\n",
				New:  "		r.bucket.addGroups(slices.Collect(maps.Keys(r.groupFolds))...)\n		err = r.readShares(ctx, row)\n",
			},
			{
				File: recomputation,
				Old:  "	\"fmt\"\n",
				New:  "	\"fmt\"\n	\"maps\"\n	\"slices\"\n",
			},
		},
	},
	{
		Name: "group-unforced", Says: "an unchanged share is left, whatever the change",
		Tests: groupTests,
		Edits: []edit{
			{
				File: sharing,
				Old:  "		if same && !r.bucket.alwaysWrite {\n",
				New:  "		if same {\n",
			},
		},
	},
	{
		Name: "group-unnotified", Says: "a group is not notified of a changed share",
		Tests: groupTests,
		Edits: []edit{
			{
				File: recomputation,
				Old:  "		result, err = r.notifyGroups(ctx)\n",
				New:  "		_ = r.notifyGroups\n",
			},
		},
	},
	{
		Name: "group-alerts", Says: "a group of which the rules were not evaluated counts as swept",
		Tests: []string{"internal/engine/alert"},
		Edits: []edit{
			{
				File: "internal/engine/aggregate/reportgroups.go",
				Old:  "		c.failSeries(series, fmt.Errorf(\"%w: %w\", errTransient, err))\n",
				New:  "		_ = fmt.Errorf(\"%w: %s: %w\", errTransient, series, err)\n",
			},
		},
	},
	{
		Name: "group-watermark", Says: "groups are swept before their members",
		Tests: groupTests,
		Edits: []edit{
			{
				File: sweeping,
				Old:  "	return min(limit, marks.Least()), nil\n",
				New:  "	_ = marks\n	return limit, nil\n",
			},
		},
	},
	{
		Name: "group-sealed", Says: "a sealed bucket marks its row alone",
		Tests: groupTests,
		Edits: []edit{
			{
				File: sealing,
				Old:  "	if result, err := r.markShares(ctx); err != nil || result != storage.Written {\n		return result, err\n	}\n	return r.markInexact",
				New:  "	return r.markInexact",
			},
		},
	},
	{
		Name: "group-tick-past", Says: "a group is notified of a late change in the tick that is over",
		Tests: groupTests,
		Edits: []edit{
			{
				File: notifying,
				Old:  "d.Due = max(d.Due, now-now%every+every)",
				New:  "d.Due = max(d.Due, now-now%every)",
			},
			{
				File: notifying,
				Old:  "ensured.Decisions[0] == queue.Left",
				New:  "ensured.Decisions[0] != queue.Undecided",
			},
		},
	},
	{
		Name: "group-closes-first", Says: "a bucket of a group closes before the ones of its members",
		Tests: groupTests,
		Edits: []edit{
			{
				File: grouping,
				Old:  "groupGrace(t.Grace+of.Jitter)",
				New:  "min(groupGrace(t.Grace), t.Grace)",
			},
		},
	},
	{
		Name: "group-other", Says: "a bucket may have any number of groups",
		Tests: groupTests,
		Edits: []edit{
			{
				File: sharing,
				Old:  "if n >= reserved.MaxGroups {",
				New:  "if n >= 100*reserved.MaxGroups {",
			},
		},
	},
	{
		Name: "group-before", Says: "a record names the group to which an event moved, alone",
		Tests: groupTests,
		Edits: []edit{
			{
				File: namingGroup,
				Old:  "[]*model.Event{before, after}",
				New:  "[]*model.Event{after}",
			},
			{
				File: namingGroup,
				Old:  "before, after *model.Event) (names",
				New:  "_, after *model.Event) (names",
			},
		},
	},
}
