package mutants

// Files of groups that mutants change.
const (
	sharing     = "internal/engine/aggregate/shares.go"
	notifying   = "internal/engine/aggregate/notifygroups.go"
	grouping    = "pkg/catalog/groups.go"
	namingGroup = "internal/engine/queue/groups.go"
	listing     = "internal/engine/aggregate/serieslist.go"
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
		Name: "presence-deleted", Says: "a series sent in the newest hour of its entry",
		Tests: presenceTests,
		Edits: []edit{{
			File: "internal/engine/query/silentsubject.go", Old: " && one.Removed < one.Last {", New: " {",
		}},
	},
	{
		Name: "presence-known", Says: "an entry that is remembered has the deletions of its newest hour",
		Tests: presenceTests,
		Edits: []edit{{File: listing, Old: "removed < l.Last ||", New: "removed <= l.Last ||"}},
	},
	{
		Name: "group-alerts", Says: "a group of which the rules were not evaluated counts as swept",
		Tests: []string{"internal/engine/alert ^TestGroups_"},
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
	{
		Name: "members-ties", Says: "members with equal values are in no order",
		Tests: memberTests,
		Edits: []edit{
			{
				File: ranking,
				Old:  "	return cmp.Or(b.compareNumber(&a), strings.Compare(a.member, b.member))\n",
				New:  "	return b.compareNumber(&a)\n",
			},
		},
	},
	{
		Name: "members-twice", Says: "a member is in a list once for each bucket",
		Tests: memberTests,
		Edits: []edit{
			{
				File: ranking,
				Old:  "		if len(list.entries) < places && !list.has(m.member) {\n",
				New:  "		if len(list.entries) < places {\n",
			},
		},
	},
	{
		Name: "members-sums", Says: "lists by sums of several buckets merge",
		Tests: memberTests,
		Edits: []edit{
			{
				File: ranking,
				Old:  "		if !sameBucket && !k.merges {\n",
				New:  "		if false && !sameBucket && !k.merges {\n",
			},
		},
	},
	{
		Name: "members-unknown", Says: "a bucket without a list counts as one without members",
		Tests: memberTests,
		Edits: []edit{
			{
				File: ranking,
				Old:  "	if l == nil || o == nil {\n		return nil\n	}\n",
				New:  "	if o == nil {\n		return l\n	}\n	if l == nil {\n		return slices.Clone(o)\n	}\n",
			},
		},
	},
	{
		Name: "members-full", Says: "a member that is struck out of a full list takes no place with it",
		Tests: memberTests,
		Edits: []edit{
			{
				File: ranking,
				Old:  "		l.places--\n",
				New:  "		l.places -= 0\n",
			},
		},
	},
	{
		Name: "members-purged", Says: "a purge leaves the name in lists",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			{
				File: leavingGroups,
				Old:  "	for _, group := range groups {\n		folded, err := e.strikeMember",
				New:  "	for _, group := range groups[len(groups):] {\n		folded, err := e.strikeMember",
			},
		},
	},
	{
		Name: "members-purged-first", Says: "a purge removes names before the shares that they are folded from",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			{
				File: leavingGroups,
				Old: "	refold, err := e.eraseShares(ctx, groups)\n" +
					"	if err != nil {\n		return err\n	}\n",
				New: "	var refold []rollup.Key\n",
			},
			{
				File: leavingGroups,
				Old:  "	return e.notifyGroups(ctx, refold)",
				New: "	if _, err := e.eraseShares(ctx, groups); err != nil {\n		return err\n	}\n" +
					"	return e.notifyGroups(ctx, refold)",
			},
		},
	},
	{
		Name: "members-absent", Says: "a purge leaves rows that do not exist, which a fold is about to write",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{
			{
				File: leavingGroups,
				Old:  "		if stored != nil && (row.Summary == nil ||",
				New:  "		if stored == nil || (row.Summary == nil ||",
			},
		},
	},
	{
		Name: "purge-no-notice", Says: "a purge leaves it to the records of deletions to notify groups",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{{File: leavingGroups, Old: "return e.notifyGroups(ctx, refold)", New: "return nil"}},
	},
	{
		Name: "purge-notice-late", Says: "a purge does not look at the clock after it has notified groups",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{{File: leavingGroups, Old: "e.now() >= due;", New: "due == model.MinTime;"}},
	},
	{
		Name: "purge-notice-once", Says: "a purge notifies only the groups whose shares it still finds",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{{File: leavingGroups, Old: "folded = stored != nil &&", New: "folded = false &&"}},
	},
}
