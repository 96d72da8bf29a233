package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/infra/tidemarkcdk"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// app has a stack for each stage of a configuration.
type app struct {
	awscdk.App
	settings *config.Config
	stacks   []awscdk.Stack // in the order of the stages
}

// newApp declares the stages of a configuration file. code is the folder with a subfolder for each
// built function; outdir is where the assembly is written, "" leaves that to the CDK command
// line. The named contexts are true, in addition to the contexts of the command line.
func newApp(file, code, outdir string, contexts ...string) (*app, error) {
	settings, err := configfile.Load(file, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	props := &awscdk.AppProps{
		AnalyticsReporting: new(false),
		// Only the CDK's tree viewers read this file.
		TreeMetadata: new(false),
		// Set here so that the command line's context does not change the template.
		PostCliContext: &map[string]any{
			"@aws-cdk/core:validateAgainstDefaultRules": true,
			"aws:cdk:enable-path-metadata":              false,
			"aws:cdk:enable-asset-metadata":             false,
		},
	}
	for _, name := range contexts {
		(*props.PostCliContext)[name] = "true"
	}
	if outdir != "" {
		props.Outdir = &outdir
	}
	a := &app{App: awscdk.NewApp(props), settings: settings}
	for _, stage := range settings.Stages {
		s := newStack(a.App, stage)
		a.stacks = append(a.stacks, s)
		if _, err := tidemarkcdk.NewTidemark(s, "Default",
			tidemarkcdk.Props{Config: file, Stage: stage.Name, Code: code}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// newStack returns the empty stack of a stage.
func newStack(scope constructs.Construct, stage config.Stage) awscdk.Stack {
	name := "tidemark-" + stage.Name
	unprotected := scope.Node().TryGetContext(new(config.Unprotected)) == "true"
	return awscdk.NewStack(scope, &name, &awscdk.StackProps{
		StackName: &name,
		Description: new("Tidemark, stage " + stage.Name +
			": time-series in one DynamoDB table, with rollups"),
		TerminationProtection: new(stage.Removal == config.Retain && !unprotected),
		// The CDK command line refuses other places.
		Env: &awscdk.Environment{Account: optional(stage.Account), Region: optional(stage.Region)},
	})
}

// optional is a part of a place; nil is any.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (a *app) names() []string {
	return lists.Map(a.settings.Stages, func(s config.Stage) string { return s.Name })
}

// templates synthesizes the app and returns the templates by stage name.
func (a *app) templates() (map[string]template.Template, error) {
	assembly := a.Synth(nil)
	all := map[string]template.Template{}
	for i, name := range a.names() {
		data, err := os.ReadFile(*assembly.GetStackByName(a.stacks[i].StackName()).TemplateFullPath())
		if err != nil {
			return nil, fmt.Errorf("read the template of stage %s: %w", name, err)
		}
		all[name] = template.WithoutHashes(data)
		if err := template.CheckQuotas(name, all[name]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
