package mutants

// Files of indexes of profiles that mutants change.
const (
	indexKeys    = "pkg/lifecycle/profileindex.go"
	indexEntries = "internal/store/tablekeys/profileindex.go"
	reading      = "pkg/dynamo/read.go"
)

var (
	listTests      = []string{"pkg/lifecycle ^TestList_"}
	partitionTests = []string{"internal/store/tablekeys ^TestProfilePartition_"}
)

// indexMutants are mistakes of indexes of profiles: see docs/decisions/0061-indexes-of-profiles.md.
var indexMutants = []mutant{
	{
		Name: "index-bound-bare", Says: "the value of a bound is not escaped",
		Tests: partitionTests,
		Edits: []edit{replace(indexEntries, `{ return keyparts.Join(value, "") }`,
			`{ return value + "#" }`)},
	},
	{
		Name: "index-order-mixed", Says: "the fields of the order are not apart from the others",
		Tests: partitionTests,
		Edits: []edit{replace(indexEntries, `append(append(parts, ""), p.Sort...)`,
			"append(parts, p.Sort...)")},
	},
	{
		Name: "index-time-as-sent", Says: "times sort as they were sent", Tests: listTests,
		Edits: []edit{replace(indexKeys, "return at.Format(sortTimeLayout), nil", "return v.Text, nil")},
	},
	{
		Name: "index-open-beginning", Says: "a range without a beginning is between an empty key and its end",
		Tests: listTests,
		Edits: []edit{replace(reading, `case l.From == "" && l.To != "":`, "case false:")},
	},
	{
		Name: "index-open-end", Says: "a range without an end is the whole partition", Tests: listTests,
		Edits: []edit{replace(reading, `case l.From != "" && l.To == "":`, "case false:")},
	},
}
