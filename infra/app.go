package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"

	"github.com/tidemark-db/tidemark/internal/config"
)

// app is every stage of a configuration as a stack.
type app struct {
	awscdk.App
	stacks []*stack
}

// newApp declares the stages. code is the folder with a built function in each of its
// own folders; outdir is where the assembly goes, "" lets the CDK command line say.
func newApp(settings *config.Config, code, outdir string) (*app, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	for _, stage := range settings.Stages {
		if err := unknownThing(stage, kinds.Subjects()); err != nil {
			return nil, err
		}
	}
	if err := built(code); err != nil {
		return nil, err
	}
	props := &awscdk.AppProps{
		AnalyticsReporting: new(false),
		// The tree is for browsers of the CDK; the template says all there is.
		TreeMetadata: new(false),
		// What the command line's own context says never changes the template.
		PostCliContext: &map[string]any{
			"@aws-cdk/core:validateAgainstDefaultRules": true,
			"aws:cdk:enable-path-metadata":              false,
			"aws:cdk:enable-asset-metadata":             false,
		},
	}
	if outdir != "" {
		props.Outdir = &outdir
	}
	a := &app{App: awscdk.NewApp(props)}
	for _, stage := range settings.Stages {
		a.stacks = append(a.stacks, newStack(a.App, settings, kinds, stage, code))
	}
	return a, nil
}

// built reports a function that was not built, before the CDK stumbles over it.
func built(code string) error {
	for _, f := range functions {
		for _, file := range []string{"bootstrap", config.FileName} {
			path := filepath.Join(code, f.name, file)
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%s is not there: run make build first", path)
			}
		}
	}
	return nil
}

func (a *app) names() []string {
	var names []string
	for _, s := range a.stacks {
		names = append(names, s.stage.Name)
	}
	return names
}

// templates synthesizes the app; the answer has a template for each stage's name.
func (a *app) templates() (map[string]template, error) {
	assembly := a.Synth(nil)
	all := map[string]template{}
	for _, s := range a.stacks {
		data, err := os.ReadFile(*assembly.GetStackByName(s.StackName()).TemplateFullPath())
		if err != nil {
			return nil, fmt.Errorf("read the template of stage %s: %w", s.stage.Name, err)
		}
		all[s.stage.Name] = normal(data)
	}
	return all, nil
}
