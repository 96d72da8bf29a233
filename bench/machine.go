package bench

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
)

// preface returns the beginning of the report: the method, the machine, the versions and the command.
func preface(o options) string {
	return fmt.Sprintf(`# Performance

Written by `+"`make bench`"+`, in one run. The contenders of a section run in turn, in another order in each of %d rounds of %v. Numbers
are medians with the range of the rounds; ratios are computed for each round. Allocations are counted over whole runs.

- machine: %s, %d cores, %s of memory, %s
- versions: %s
- command: `+"`make bench`"+`
`, o.rounds, o.each, processor(), runtime.NumCPU(), installed(), system(), versions(o))
}

func processor() string { return field("/proc/cpuinfo", `(?m)^model name\s*:\s*(.+)$`) }

func installed() string {
	var kb int
	_, _ = fmt.Sscan(field("/proc/meminfo", `(?m)^MemTotal:\s*(\d+)`), &kb)
	return fmt.Sprintf("%d GB", (kb+1<<19)>>20)
}

func system() string {
	return strings.Trim(field("/etc/os-release", `(?m)^PRETTY_NAME=(.+)$`), `"`) + ", " + runtime.GOARCH
}

func field(path, pattern string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		return "unknown"
	}
	return string(found[1])
}

// versions returns the versions of the compared programs.
func versions(o options) string {
	all := []string{runtime.Version()}
	for _, module := range []string{"github.com/aws/aws-lambda-go",
		"github.com/aws/aws-sdk-go-v2/service/dynamodb",
		"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue", "github.com/goccy/go-json"} {
		out, err := exec.Command("go", "list", "-m", module).Output()
		if err == nil {
			all = append(all, strings.TrimSpace(strings.TrimPrefix(string(out), "github.com/")))
		}
	}
	for _, tool := range [][]string{{"node", "--version"}, {"java", "--version"}} {
		out, err := exec.Command(tool[0], tool[1:]...).Output()
		if err == nil {
			first, _, _ := strings.Cut(string(out), "\n")
			all = append(all, tool[0]+" "+strings.TrimPrefix(first, "v"))
		}
	}
	return strings.Join(all, ", ")
}
