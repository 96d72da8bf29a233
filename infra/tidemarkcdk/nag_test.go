package tidemarkcdk

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// Every finding of cdk-nag is justified in a line, and every line is about a finding.
func TestTemplates_HaveNoFindingOfCDKNagButTheJustifiedOnes(t *testing.T) {
	justified := map[string]bool{} // and whether a stage has the finding
	text, err := os.ReadFile("../testdata/nag.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if finding, why, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") &&
			len(strings.Fields(why)) > 3 {
			justified[finding] = false
		}
	}
	app, all, err := stacks(t, allStages(t))
	if err != nil {
		t.Fatal(err)
	}
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{Reports: new(true)}), nil)
	folder := *app.Synth(nil).Directory()
	for _, s := range all {
		rows := readReport(t, filepath.Join(folder, "AwsSolutions-"+*s.stack.StackName()+"-NagReport.csv"))
		for _, row := range rows[1:] {
			rule := row[0]
			path := strings.Split(row[1], "/")
			result := row[2]
			finding := rule + " " + path[min(2, len(path)-1)]
			if result == "Compliant" || result == "N/A" {
				continue
			}
			if _, known := justified[finding]; known {
				justified[finding] = true
			} else {
				t.Errorf("%s: %s: %s: %s: change it, or justify it in testdata/nag.txt", s.stage.Name, finding, result,
					row[5])
			}
		}
	}
	for finding, found := range justified {
		if !found {
			t.Errorf("testdata/nag.txt justifies %s, which no stage has", finding)
		}
	}
}

func readReport(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 25 {
		t.Fatalf("%s has %d rows, %v", path, len(rows), err)
	}
	return rows
}
