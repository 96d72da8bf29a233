// Command infra is the CDK app: it creates a stack for each stage of tidemark.yaml, with the
// construct of package tidemarkcdk.
//
//	infra               synthesizes every stage, for the CDK command line
//	infra print STAGE   prints the template of a stage, without asset hashes
//	infra cost STAGE    prints the resources of a stage, and what it costs idle and in use
//	infra sam           prints the SAM template
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/config"
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
	words := [2]string{}
	if copy(words[:], args) < len(args) {
		return errUsage
	}
	switch command, stage := words[0], words[1]; {
	case len(args) == 0:
		a, err := newApp(configFile, codeFolder, "")
		if err == nil {
			_, err = a.templates()
		}
		return err
	case command == "sam" && stage == "":
		return withTemplate(samStage, func(_ *config.Config, t template.Template) error { return writeSAM(out, t) })
	case command == "print" && stage != "":
		return withTemplate(stage, func(_ *config.Config, t template.Template) error {
			_, err := out.Write(t)
			return err
		})
	case command == "cost" && stage != "":
		return withTemplate(stage, func(c *config.Config, t template.Template) error {
			i := slices.IndexFunc(c.Stages, func(s config.Stage) bool { return s.Name == stage })
			return writeCost(out, c.Stages[i], t, c)
		})
	}
	return errUsage
}

// withTemplate synthesizes into a temporary folder and calls use with one stage's template.
func withTemplate(stage string, use func(*config.Config, template.Template) error) error {
	folder, err := os.MkdirTemp("", "tidemark-synth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	a, err := newApp(configFile, codeFolder, folder)
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
	return use(a.settings, t)
}
