package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// samStage is the stage whose template SAM is given.
const samStage = "dev"

const samHeader = `# Generated from the CDK app by make sam: change infra/ and run it again.
#
# For those who invoke locally, where Docker is at hand:
#
#	make build
#	sam local invoke IngestFunction -e events/ingest/http-batch.json
#
# It is the stack of stage dev, resource by resource, but for alarms and dashboard; the
# functions' code stands as a folder of this repository instead of a zip in a bucket.
`

// writeSAM turns a synthesized template into one of SAM. It takes nothing but the
// template, so that nothing can be said twice.
func writeSAM(out io.Writer, t template) error {
	var whole map[string]any
	if err := json.Unmarshal(t, &whole); err != nil {
		return fmt.Errorf("read template: %w", err)
	}
	all, err := t.resources()
	if err != nil {
		return err
	}
	resources := map[string]any{}
	for id, r := range all {
		if !strings.HasPrefix(r.Type, "AWS::CloudWatch::") {
			resources[id] = samResource(id, r)
		}
	}
	document := map[string]any{
		"AWSTemplateFormatVersion": "2010-09-09",
		"Transform":                "AWS::Serverless-2016-10-31",
		"Description":              whole["Description"],
		"Resources":                resources,
		"Outputs":                  whole["Outputs"],
	}
	text, err := yaml.Marshal(document)
	if err != nil {
		return fmt.Errorf("write SAM template: %w", err)
	}
	_, err = io.WriteString(out, samHeader+string(text))
	return err
}

// samResource is r as SAM has it: a function becomes one of its own, everything else
// stays as it is.
func samResource(id string, r resource) map[string]any {
	kind, properties := r.Type, r.Properties
	whole := maps.Clone(r.Others)
	for _, f := range functions {
		if id == f.id+"Function" {
			kind, properties = "AWS::Serverless::Function", samFunction(f.name, r.Properties)
			// make build has built it; sam build leaves it alone. It waits for its role
			// by naming it.
			whole["Metadata"] = map[string]any{"SkipBuild": true}
			delete(whole, "DependsOn")
		}
	}
	whole["Type"] = kind
	if len(properties) > 0 {
		whole["Properties"] = properties
	}
	return whole
}

// samFunction says a function's properties in SAM's words, where they differ.
func samFunction(name string, properties map[string]any) map[string]any {
	p := maps.Clone(properties)
	delete(p, "Code")
	p["CodeUri"] = "build/" + name
	if tracing, ok := p["TracingConfig"].(map[string]any); ok {
		delete(p, "TracingConfig")
		p["Tracing"] = tracing["Mode"]
	}
	tags := map[string]any{}
	list, _ := p["Tags"].([]any)
	for _, tag := range list {
		if pair, ok := tag.(map[string]any); ok {
			tags[fmt.Sprint(pair["Key"])] = pair["Value"]
		}
	}
	p["Tags"] = tags
	return p
}
