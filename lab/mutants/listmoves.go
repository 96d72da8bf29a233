package mutants

// Files of groups by profiles that mutants change.
const (
	moving      = "internal/engine/aggregate/moves.go"
	loggingMove = "pkg/lifecycle/memberships.go"
)

// moveTests are the tests of groups by profiles, the quick ones first.
var moveTests = []string{"internal/engine/aggregate ^TestMoves_", "lab/simulation ^TestMoves_"}

// logTests are the tests of the logs that these groups are read from.
var logTests = []string{"pkg/lifecycle ^TestMemberships_"}

// moveMutants are the mistakes of groups by profiles that look right: see
// docs/decisions/0060-groups-by-profiles.md.
var moveMutants = []mutant{
	{
		Name: "group-moves-unrecorded", Says: "the record of a move is not processed",
		Tests: moveTests,
		Edits: []edit{
			replace(gathering,
				"			ch.moves = append(ch.moves, move{groups: c.Groups, index: ch.end})\n",
				"			_ = move{groups: c.Groups, index: ch.end}\n"),
		},
	},
	{
		Name: "group-moves-after", Says: "the record of a move names the new group alone",
		Tests: moveTests,
		Edits: []edit{
			replace(moving,
				"			b.addGroups(profileGroups(b.groupKinds(), m.groups.Before().At(start))...)\n",
				""),
		},
	},
	{
		Name: "group-moves-unnamed", Says: "the record of a move names no group",
		Tests: moveTests,
		Edits: []edit{
			replace(moving,
				"			b.addGroups(profileGroups(b.groupKinds(), m.groups.Before().At(start))...)\n",
				""),
			replace(moving,
				"			b.addGroups(profileGroups(b.groupKinds(), m.groups.At(start))...)\n",
				""),
		},
	},
	{
		Name: "group-moves-unforced", Says: "the record of a move leaves unchanged shares",
		Tests: moveTests,
		Edits: []edit{
			replace(moving, "			b.alwaysWrite, b.repair = true, true\n",
				"			b.repair = true\n"),
		},
	},
	{
		Name: "group-moves-once", Says: "the log is read before the shares alone",
		Tests: moveTests,
		Edits: []edit{
			replace(children, "	if err := r.readMember(ctx); err != nil {\n		return nil, err\n	}\n",
				""),
		},
	},
	{
		Name: "group-moves-unread", Says: "the log is read with the events alone",
		Tests: moveTests,
		Edits: []edit{
			replace(sharing, "	if err := r.readMember(ctx); err != nil {\n		return err\n	}\n", ""),
			replace(sharing, "	r.bucket.addGroups(profileGroups(kinds, r.member)...)\n", ""),
		},
	},
	{
		Name: "group-moves-end", Says: "a bucket is in the group of its end",
		Tests: moveTests,
		Edits: []edit{
			replace(moving, "r.member = log.At(r.bucket.interval.Start)\n",
				"r.member = log.At(r.bucket.interval.End)\n"),
		},
	},
	{
		Name: "group-moves-expired", Says: "a log counts until TTL removes it",
		Tests: moveTests,
		Edits: []edit{
			replace(moving, "	if !r.agg.purged(&log) {\n", "	if log.ExpiresAt >= 0 {\n"),
		},
	},
	{
		Name: "group-moves-clock", Says: "a log counts until its time by a clock that is behind",
		Tests: moveTests,
		Edits: []edit{
			replace(moving, "log.ExpiresAt <= a.Now().Add(ClockMargin).Seconds()",
				"log.ExpiresAt <= a.Now().Seconds()"),
		},
	},
	{
		Name: "group-moves-continued", Says: "a profile that is created after a purge continues the log",
		Tests: logTests,
		Edits: []edit{
			replace(loggingMove, "	if log == nil || log.ExpiresAt != 0 {\n",
				"	if log == nil || expired(log.ExpiresAt, s.now()) {\n"),
		},
	},
	{
		Name: "group-moves-listed-late", Says: "a series is listed after its recount",
		Tests: moveTests,
		Edits: []edit{
			replace(aggregator, "		a.listMembers(ctx, &c, limits, all)\n", ""),
			replace(aggregator, "			func() { a.listAll(ctx, c.seen, limits, all) },\n", ""),
			replace(aggregator, "		all.report.Expired += c.expired\n",
				"		a.listAll(ctx, c.seen, limits, all)\n		all.report.Expired += c.expired\n"),
		},
	},
	{
		Name: "group-moves-purged", Says: "a purge removes the log with the profile",
		Tests: logTests,
		Edits: []edit{
			replace(loggingMove, "{{Key: it.Key(), Precondition: itemop.MembershipsAre(m), Put: it}}",
				"{{Key: it.Key(), Precondition: itemop.MembershipsAre(m), Delete: true}}"),
		},
	},
	{
		Name: "group-moves-lost", Says: "the log is written whatever was written since it was read",
		Tests: logTests,
		Edits: []edit{
			replace(loggingMove,
				"Action{Key: it.Key(), Precondition: itemop.MembershipsAre(stored), Put: it}",
				"Action{Key: it.Key(), Put: it}"),
			replace(loggingMove, "	stored, next, err := s.moved(", "	_, next, err := s.moved("),
		},
	},
	{
		Name: "group-purge-removes", Says: "the first pass of a purge removes the rows that name groups",
		Tests: []string{"pkg/lifecycle"},
		Edits: []edit{replace("pkg/lifecycle/emptyrows.go", "		case !ok || len(row.Groups) == 0:\n",
			"		case !ok || len(row.Groups) < 99:\n")},
	},
}
