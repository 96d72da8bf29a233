package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// updateProbes run right after the second stage, which has canaries, has begun an update.
var updateProbes = []probe{
	{
		name: "canary-split", page: "run/DEPLOYING.md", suites: onResponses, run: canarySplit,
		assumes: "with canaries, CodeDeploy sends a tenth of the invocations to a new version first",
		how:     "an update of all functions: ingest's alias has two versions, the new one with the weight 0.1",
	},
}

// updatedProbes run when the update has had its time.
var updatedProbes = []probe{
	{
		name: "canary", page: "run/DEPLOYING.md", suites: onResponses, run: canary,
		assumes: "CodeDeploy then moves the alias to the new version, and CloudFormation ends the update",
		how:     "the alias of ingest has the new version alone, and `tidemark smoke` passes",
	},
}

// beginUpdate begins an update of the second stage that gives each function a new version: it has traces if
// there were none, and none if there were. An update of an interrupted run goes on.
func beginUpdate(ctx context.Context, a *account) error {
	b := a.second()
	status, err := b.status(ctx)
	if err != nil || status == "UPDATE_IN_PROGRESS" {
		return err
	}
	mode, err := b.aws(ctx, "lambda", "get-function-configuration", "--function-name", b.stack+"-ingest",
		"--query", "TracingConfig.Mode")
	if err == nil {
		err = a.writeConfig(mode != "Active")
	}
	if err == nil {
		err = b.start(ctx)
	}
	if err != nil {
		return err
	}
	return b.until(ctx, time.Minute, func() (bool, error) {
		status, err := b.status(ctx)
		return status == "UPDATE_IN_PROGRESS", err
	})
}

// alias returns the version of ingest's alias. While the alias sends invocations to another version too,
// that one and its weight follow.
func (a *account) alias(ctx context.Context) ([]string, error) {
	const weights = "not_null(RoutingConfig.AdditionalVersionWeights,`{}`)"
	text, err := a.aws(ctx, "lambda", "get-alias", "--function-name", a.stack+"-ingest", "--name", "live",
		"--query", "[FunctionVersion,keys("+weights+"),values("+weights+")][]")
	return strings.Fields(text), err
}

func canarySplit(ctx context.Context, a *account) (string, error) {
	b := a.second()
	var versions []string
	ended := false
	err := b.until(ctx, 6*time.Minute, func() (_ bool, err error) {
		if ended, err = b.settled(ctx); err == nil {
			versions, err = b.alias(ctx)
		}
		return ended || len(versions) > 1, err
	})
	switch {
	case err != nil:
		return "", err
	case len(versions) != 3:
		return "", fmt.Errorf("the update ended, and the alias never had two versions: it has %q", versions)
	case versions[2] != "0.1" || versions[1] == versions[0]:
		return "", fmt.Errorf("the alias has version %s, and %s with the weight %s, want 0.1", versions[0],
			versions[1], versions[2])
	}
	a.Shifted = versions[1]
	return fmt.Sprintf("version %s, and %s with the weight 0.1", versions[0], versions[1]), nil
}

func canary(ctx context.Context, a *account) (string, error) {
	if a.Shifted == "" {
		return "", errors.New("canary-split has seen no new version")
	}
	b := a.second()
	if err := b.until(ctx, 8*time.Minute, func() (bool, error) { return b.settled(ctx) }); err != nil {
		return "", err
	}
	versions, err := b.alias(ctx)
	if err == nil && !slices.Equal(versions, []string{a.Shifted}) {
		err = fmt.Errorf("the alias has %q, want version %s alone", versions, a.Shifted)
	}
	if err == nil {
		err = b.readOutputs(ctx)
	}
	if err != nil {
		return "", err
	}
	out, err := b.smoke(ctx)
	return fmt.Sprintf("version %s alone\n%s", a.Shifted, out), err
}
