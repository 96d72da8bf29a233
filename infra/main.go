// Command infra is the CDK app: it turns the stages of tidemark.yaml into stacks.
// Every name of a table's attribute, of a metric, of a route and of a setting comes
// from the packages that the functions themselves are made of, so that what is
// deployed and what runs cannot disagree.
//
//	infra               synthesizes every stage, as the CDK command line asks
//	infra print STAGE   prints the template of a stage, its assets' hashes left out
//	infra cost STAGE    prints what a stage is made of, and what it costs at rest
//	infra sam           prints the SAM template
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// Where the app finds what it deploys, seen from its own folder.
const (
	configFile = "../tidemark.yaml"
	codeFolder = "../build"
)

func main() {
	defer jsii.Close()
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
		jsii.Close()
		os.Exit(1)
	}
}

var errUsage = errors.New("want nothing (to synthesize), print STAGE, cost STAGE, or sam")

func run(args []string, out io.Writer) error {
	settings, err := config.Load(configFile, domains.Kinds()...)
	if err != nil {
		return err
	}
	asked := [2]string{}
	if copy(asked[:], args) < len(args) {
		return errUsage
	}
	switch command, stage := asked[0], asked[1]; {
	case len(args) == 0:
		a, err := newApp(settings, codeFolder, "")
		if err == nil {
			a.Synth(nil)
		}
		return err
	case command == "sam" && stage == "":
		return withTemplate(settings, samStage, func(t template) error { return writeSAM(out, t) })
	case command == "print" && stage != "":
		return withTemplate(settings, stage, func(t template) error { return t.print(out) })
	case command == "cost" && stage != "":
		return withTemplate(settings, stage, func(t template) error { return writeCost(out, stage, t) })
	}
	return errUsage
}

// withTemplate synthesizes in a folder of its own, which it removes, and hands over
// one stage's template.
func withTemplate(settings *config.Config, stage string, use func(template) error) error {
	folder, err := os.MkdirTemp("", "tidemark-synth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	a, err := newApp(settings, codeFolder, folder)
	if err != nil {
		return err
	}
	templates, err := a.templates()
	if err != nil {
		return err
	}
	t, ok := templates[stage]
	if !ok {
		return fmt.Errorf("no stage %q: want one of those in %s: %v", stage, configFile, a.names())
	}
	return use(t)
}
