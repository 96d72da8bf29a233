package mutants

// stepMutants are faults of the steps between readings of counters.
var stepMutants = []mutant{
	{
		Name: "edge-lost", Says: "the step between two rows is not counted",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "	if kind&counterSteps != 0 {\n",
			"	if kind&counterSteps != 0 && r.first == r.last && next.first == next.last {\n")},
	},
	{
		Name: "edge-twice", Says: "the step between two rows is counted twice",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "		r.count(&next.first.value, kind, scale)\n",
			"		r.count(&next.first.value, kind, scale)\n"+
				"		r.count(&next.first.value, kind, scale)\n")},
	},
	{
		Name: "reset-negative", Says: "a step to a lower reading is negative",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "	if step.Sign() >= 0 {\n",
			"	if step.Sign() >= 0 || kind == counterSteps {\n")},
	},
	{
		Name: "reset-lost", Says: "what a counter counts between a reset and the next reading is lost",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "	if next.Sign() > 0 {\n", "	if next.Sign() > 0 && false {\n")},
	},
	{
		Name: "series-mixed", Says: "a step leads from the reading of a meter to the next of another",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "whole[n-1].series == r.series && whole", "whole")},
	},
	{
		Name: "step-over-missing", Says: "the step of a total leads over a part of which nothing is known",
		Tests: stepTests,
		Edits: []edit{replace(stepping, "whole[n-1].series == r.series && whole[n-1].part == r.part {",
			"whole[n-1].series == r.series {")},
	},
	{
		Name: "step-from-before-missing", Says: "the step into a range leads over a missing part before it",
		Tests: stepTests,
		Edits: []edit{replace(steppingBack, "			if summary.start >= known {\n",
			"			if summary.start >= model.MinTime {\n")},
	},
	{
		Name: "step-over-pause", Says: "a meter that paused for longer than its rows are kept begins again",
		Tests: stepTests,
		Edits: []edit{replace(steppingBack, "if level++; level == len(policy.Tiers) {",
			"if level == level {")},
	},
	{
		Name: "step-out-of-missing", Says: "a coarser tier tells a step over a missing part of the range",
		Tests: stepTests,
		Edits: []edit{replace(steppingBack, "unit, min(start, q.From), at)", "unit, start, at)")},
	},
	{
		Name: "step-before-lost", Says: "the first bucket of a page has only the steps inside",
		Tests: stepTests,
		Edits: []edit{replace(steppingBack, "	for i, b := range buckets {\n",
			"	before = &rollup.LastReadings{}\n	for i, b := range buckets {\n")},
	},
}
