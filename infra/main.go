// Command infra is the CDK app: it creates a stack for each stage of tidemark.yaml. Names of
// table attributes, metrics, routes and settings come from the packages that the functions
// use, so that the stack and the functions always agree.
//
//	infra               synthesizes every stage, for the CDK command line
//	infra print STAGE   prints the template of a stage, without asset hashes
//	infra cost STAGE    prints the resources of a stage and their idle cost
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

// The app's inputs, relative to its folder.
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

var errUsage = errors.New("unknown arguments: want none (to synthesize), print STAGE, cost STAGE, or sam")

func run(args []string, out io.Writer) error {
	settings, err := config.Load(configFile, domains.Kinds()...)
	if err != nil {
		return err
	}
	words := [2]string{}
	if copy(words[:], args) < len(args) {
		return errUsage
	}
	switch command, stage := words[0], words[1]; {
	case len(args) == 0:
		a, err := newApp(settings, codeFolder, "")
		if err == nil {
			_, err = a.templates()
		}
		return err
	case command == "sam" && stage == "":
		return withTemplate(settings, samStage, func(t template) error { return writeSAM(out, t) })
	case command == "print" && stage != "":
		return withTemplate(settings, stage, func(t template) error { return t.print(out) })
	case command == "cost" && stage != "":
		return withTemplate(settings, stage, func(t template) error { return writeCost(out, stage, t, hasDeferred(settings)) })
	}
	return errUsage
}

// withTemplate synthesizes into a temporary folder and calls use with one stage's template.
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
		return fmt.Errorf("no stage %q in %s: want one of %v", stage, configFile, a.names())
	}
	return use(t)
}
