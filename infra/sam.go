package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// samStage is the stage that the SAM template is generated from.
const samStage = "dev"

const samHeader = `# Generated from the CDK app by make sam: change infra/ and run it again.
#
# To invoke a function locally with Docker:
#
#	make build
#	sam local invoke IngestFunction -e events/ingest/http-batch.json --docker-network host --env-vars env.json
#
# env.json names a DynamoDB Local at port 8000 and a table. Instead, for a new table that ends with
# the command: tidemark dev -- sam local invoke ..., without --env-vars.
#
# It has the resources of stage dev, without alarms and dashboard. The code of a function is
# a folder of this repository instead of a zip file in a bucket.
`

// writeSAM converts a synthesized template into a SAM template.
func writeSAM(out io.Writer, t template.Template) error {
	var source map[string]any
	if err := json.Unmarshal(t, &source); err != nil {
		return fmt.Errorf("read template: %w", err)
	}
	all, err := t.Resources()
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
		"Description":              source["Description"],
		"Resources":                resources,
		"Outputs":                  source["Outputs"],
	}
	text, err := yaml.Marshal(document)
	if err != nil {
		return fmt.Errorf("write SAM template: %w", err)
	}
	_, err = io.WriteString(out, samHeader+string(text))
	return err
}

// samResource converts a resource for SAM: a function becomes a serverless function, any other
// resource is unchanged.
func samResource(id string, r template.Resource) map[string]any {
	kind, properties := r.Type, r.Properties
	converted := maps.Clone(r.Attributes)
	if r.Type == "AWS::Lambda::Function" {
		name := strings.ToLower(strings.TrimSuffix(id, "Function"))
		kind, properties = "AWS::Serverless::Function", samFunction(name, r.Properties)
		// make build builds it, so sam build must not. Its reference to its role makes DependsOn unnecessary.
		converted["Metadata"] = map[string]any{"SkipBuild": true}
		delete(converted, "DependsOn")
	}
	converted["Type"] = kind
	if len(properties) > 0 {
		converted["Properties"] = properties
	}
	return converted
}

// samFunction converts a function's properties where SAM's differ. The endpoint of DynamoDB is
// declared, because sam local invoke sets declared variables only; empty, it is AWS's.
func samFunction(name string, properties map[string]any) map[string]any {
	p := maps.Clone(properties)
	delete(p, "Code")
	p["CodeUri"] = "build/" + name
	variables := maps.Clone(p["Environment"].(map[string]any)["Variables"].(map[string]any))
	variables[config.EnvEndpoint] = ""
	p["Environment"] = map[string]any{"Variables": variables}
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
