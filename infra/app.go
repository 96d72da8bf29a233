package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/lists"
)

// app has a stack for each stage of a configuration.
type app struct {
	awscdk.App
	stacks []*stack
}

// newApp declares the stages. code is the folder with a subfolder for each built function;
// outdir is where the assembly is written, "" leaves that to the CDK command line. The named
// contexts are true, in addition to those of the command line.
func newApp(settings *config.Config, code, outdir string, contexts ...string) (*app, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	for _, stage := range settings.Stages {
		if err := checkThings(stage, kinds); err != nil {
			return nil, err
		}
	}
	if err := checkBuilt(code); err != nil {
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
	a := &app{App: awscdk.NewApp(props)}
	for _, stage := range settings.Stages {
		a.stacks = append(a.stacks, newStack(a.App, settings, kinds, stage, code))
	}
	return a, nil
}

// checkBuilt returns an error for a function that has not been built.
func checkBuilt(code string) error {
	for _, f := range functions {
		for _, file := range []string{"bootstrap", config.FileName} {
			path := filepath.Join(code, f.name, file)
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%s not found: run make build first", path)
			}
		}
	}
	return nil
}

func (a *app) names() []string {
	return lists.Map(a.stacks, func(s *stack) string { return s.stage.Name })
}

// templates synthesizes the app and returns the templates by stage name.
func (a *app) templates() (map[string]template, error) {
	assembly := a.Synth(nil)
	all := map[string]template{}
	for _, s := range a.stacks {
		data, err := os.ReadFile(*assembly.GetStackByName(s.StackName()).TemplateFullPath())
		if err != nil {
			return nil, fmt.Errorf("read the template of stage %s: %w", s.stage.Name, err)
		}
		all[s.stage.Name] = withoutHashes(data)
		if err := checkQuotas(s.stage.Name, all[s.stage.Name]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
