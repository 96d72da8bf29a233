// Package startup starts the Lambda functions: it reads their environment, opens the table and
// serves invocations.
package startup

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Environment variables of every function, in addition to package config's.
const (
	envRegion   = "AWS_REGION"
	envFunction = "AWS_LAMBDA_FUNCTION_NAME"
)

// Serve builds the handler of a function and serves invocations; it does not return. handlerOf
// returns what lambda.Start accepts. If the handler cannot be built, the process ends with status 1.
func Serve[H any](logs io.Writer, wire func(context.Context, func(string) string, *slog.Logger) (H, error),
	handlerOf func(H) any) {
	log := telemetry.NewLogger(logs, slog.LevelInfo)
	h, err := wire(context.Background(), os.Getenv, log)
	if err != nil {
		log.Error("cannot start", telemetry.FieldError, err)
		os.Exit(1)
	}
	lambda.Start(handlerOf(h))
}

// Environment is what a function starts with.
type Environment struct {
	Settings *config.Config
	Table    *dynamo.Table
	Units    func() (read, write float64) // capacity consumed since the process started
	Function string                       // the deployed function's name
	Metrics  *telemetry.Emitter
	Tracer   *xray.Tracer // nil unless the stage is traced
}

// Open reads the configuration and opens the table. It returns an error if the configuration is not
// valid. It makes no request.
func Open(ctx context.Context, getenv func(string) string) (*Environment, error) {
	settings, err := configfile.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	units := new(dynamo.Capacity)
	table, err := Table(ctx, getenv, dynamo.WithCapacity(units))
	function := getenv(envFunction)
	lean := getenv(config.EnvMonitoring) == string(config.LeanMonitoring)
	return &Environment{
		Settings: settings, Table: table, Units: units.Units, Function: function,
		Metrics: &telemetry.Emitter{Out: os.Stdout, Now: Now, Lean: lean}, Tracer: xray.FromEnv(getenv, function),
	}, err
}

// Table opens the table. It makes no request.
func Table(ctx context.Context, getenv func(string) string, options ...dynamo.Option) (*dynamo.Table, error) {
	client, err := dynamo.NewClient(ctx, getenv(envRegion), getenv(config.EnvEndpoint))
	if err != nil {
		return nil, err
	}
	client = dynamodb.New(client.Options(), xray.Mark)
	return dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"), options...), nil
}

// Check returns an error if the declared kinds do not fit the table.
func (e *Environment) Check(ctx context.Context) error {
	kinds, err := e.Settings.Catalog()
	if err != nil {
		return err
	}
	return tableconfig.Load(ctx, e.Table, kinds, Now())
}

// Current follows the configuration of the table.
func (e *Environment) Current() *tableconfig.Current {
	return &tableconfig.Current{Table: e.Table, Declare: e.Settings.Catalog, Now: Now}
}

// wall is the machine's clock, which tidemark dev can move.
var wall = clock.FromEnv()

// Clock returns the time of the wall clock as Go's.
func Clock() time.Time { return wall.Now() }

// Now returns the time of the wall clock.
func Now() model.Time { return model.NewTime(wall.Now()) }
