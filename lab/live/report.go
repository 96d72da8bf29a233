package live

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// accountNumber matches what a report must not contain, because it is attached to issues.
var accountNumber = regexp.MustCompile(`\b\d{12}\b`)

// text is the report: what was checked, and what AWS did.
func (r *run) text() string {
	var out strings.Builder
	took := 0
	for _, d := range r.Done {
		took += d.Seconds
	}
	fmt.Fprintf(&out, "# Live check of %.12s\n\nBegan %s, took %d minutes.\n\n| check | result | seconds "+
		"| assumption | page |\n|---|---|---|---|---|\n",
		r.Commit, r.Began.UTC().Format("2006-01-02 15:04 MST"), (took+59)/60)
	assumed := map[string]probe{}
	for _, p := range allProbes() {
		assumed[p.name] = p
	}
	for _, d := range r.Done {
		p := assumed[d.Step]
		fmt.Fprintf(&out, "| %s | %s | %d | %s | %s |\n", d.Step, d.Result, d.Seconds, p.assumes, p.page)
	}
	for _, d := range r.Done {
		if d.Evidence != "" {
			fmt.Fprintf(&out, "\n## %s\n\n```\n%s\n```\n", d.Step, strings.TrimSpace(d.Evidence))
		}
	}
	return accountNumber.ReplaceAllString(out.String(), "ACCOUNT")
}

// page is docs/run/LIVE-CHECK.md.
func page() string {
	var out strings.Builder
	out.WriteString(pageHead)
	for _, p := range allProbes() {
		fmt.Fprintf(&out, "| %s | %s | [%s](%s) | %s | %s |\n", p.name, p.assumes,
			strings.TrimSuffix(path.Base(p.page), ".md"), "../"+p.page, p.how, p.suites)
	}
	return out.String()
}

const pageHead = "# The first live deployment\n" + `
Tidemark has not been deployed to a live account yet. One command does that on a stage of its own, and shows
what AWS really does:

` + "```sh" + `
export AWS_PROFILE=… AWS_REGION=…
make live-check STAGE=check1
` + "```" + `

It needs what [DEPLOYING](DEPLOYING.md) needs, the AWS command line, and a commit without local changes. It
deploys a stage with every source, a customer key and traces, runs ` + "`tidemark smoke`" + `, sends 22,616 readings and
compares each of their 4,633 buckets with an oracle, runs the probes below, and counts what was billed beside what
` + "`tidemark cost`" + ` says. Then it removes everything.

A second, small stage (` + "`check1b`" + `) has batches of AWS IoT and canaries. CloudFormation creates,
updates and deletes it while other steps run, so that we expect it to take six minutes more: two for its
change sets, three until the canary begins, one for checks. It receives about 200 events: below a cent.

The run is made to stay below 30 minutes and one dollar: after 22 minutes it ends the step that runs,
skips what is left and removes both stages, which takes about six. The alarms of the first stage have the
address live-check@example.com, which receives nothing: its subscription is never confirmed.

The report is build/live-check/check1/report.md. It has no account number and no secret: attach it to an
issue, above all if something does not hold. After an interruption, run the same command again: it goes on
after the last step, and removes the stages.
` + "`make live-check STAGE=check1 REMOVE=1`" + ` only removes them.

Exit status: 0 everything holds; 1 something does not hold; 2 something is left in the account: run it again.
*Not seen* is no failure: AWS did not show it in time.

| probe | what we assume | page | how it is probed | suites run it on |
|---|---|---|---|---|
`
