package mutants

// Files of handovers of sweeps that mutants change.
const (
	chaining    = "internal/api/envelope/handover.go"
	stoppingRun = "internal/engine/aggregate/running.go"
	handingOver = "functions/aggregate/handover.go"
)

var (
	stopTests     = []string{"internal/engine/aggregate"}
	handoverTests = []string{"internal/api/envelope", "functions/aggregate"}
)

// handoverMutants are the mistakes of sweeps that go on by messages: see
// docs/decisions/0062-sweeps-by-message.md.
var handoverMutants = []mutant{
	{
		Name: "stop-passes-left", Says: "the low watermark of a stopped sweep passes what it left",
		Tests: stopTests,
		Edits: []edit{replace(stoppingRun, "		s.through = min(s.through, i.Due-1)\n",
			"		_ = i\n")},
	},
	{
		Name: "stop-passes-unread", Says: "the low watermark of a stopped sweep is of the last one it read",
		Tests: stopTests,
		Edits: []edit{
			replace(sweeping,
				"			s.report.Stopped = true\n			s.through = min(s.through, s.reached-1)\n",
				"			s.report.Stopped = true\n			s.through = min(s.through, s.reached)\n"),
		},
	},
	{
		Name: "handover-late", Says: "a handover is worked off after its end", Tests: handoverTests,
		Edits: []edit{replace(chaining, " && now.Before(h.Until)\n", "\n")},
	},
	{
		Name: "handover-endless", Says: "a chain of handovers has no end", Tests: handoverTests,
		Edits: []edit{replace(chaining, "Until: h.Until}, h.Hop < MaxHops\n", "Until: h.Until}, true\n")},
	},
	{
		Name: "handover-again", Says: "a message shares its queue shards among further ones",
		Tests: handoverTests,
		Edits: []edit{replace(handingOver, "	if work.Hop == 0 {", "	if work.Hop <= 2 {")},
	},
	{
		Name: "handover-refused", Says: "a sweep is stopped although Lambda did not accept its handover",
		Tests: handoverTests,
		Edits: []edit{
			replace(handingOver,
				"				counts[telemetry.FailedHandovers] += float64(len(part))\n"+
					"				return\n",
				"				counts[telemetry.FailedHandovers] += float64(len(part))\n"),
		},
	},
}
