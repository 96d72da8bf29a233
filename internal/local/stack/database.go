package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
)

// Engine is the DynamoDB of a stack.
type Engine string

// The engines.
const (
	Embedded      Engine = "embedded"       // the one in this program; the default
	DynamoDBLocal Engine = "dynamodb-local" // of AWS; needs Java
)

// ParseEngine returns the engine of a name.
func ParseEngine(name string) (Engine, error) {
	switch e := Engine(name); e {
	case Embedded, DynamoDBLocal:
		return e, nil
	}
	return "", fmt.Errorf("unknown engine %q: want %s or %s", name, Embedded, DynamoDBLocal)
}

// database is the DynamoDB of a running stack.
type database interface {
	Stop()
	Done() <-chan struct{} // closed when it has ended by itself, or can no longer write
	Err() error            // why; wraps ErrDatabaseEnded
}

// embedded is the engine in this process, which ends by itself if its disk is full or broken.
type embedded struct {
	*protocol.Listener
	dir string // of its files; "" means memory
}

func (e embedded) Done() <-chan struct{} { return e.Failed() }

func (e embedded) Err() error {
	return fmt.Errorf("%w: %w: make %s writable and start again: what was acknowledged is stored there, and "+
		"a request without a response may be repeated", ErrDatabaseEnded, e.Failure(), e.dir)
}

// external is DynamoDB Local.
type external struct{ *ddblocal.Server }

func (e external) Err() error {
	return fmt.Errorf("%w; last output:\n%s", ErrDatabaseEnded, e.Log())
}

// Stop ends the engine and closes its files.
func (e embedded) Stop() {
	e.Listener.Stop()
	_ = e.Close() // every acknowledged write is on disk already
}

// startDatabase starts the engine of the options, or connects to the endpoint of a running one.
func (s *Stack) startDatabase(ctx context.Context, say func(string)) (err error) {
	if s.opts.DynamoDB.Endpoint == "" && s.opts.Engine != DynamoDBLocal {
		return s.startEmbedded()
	}
	if err := ddblocal.Fetch(ctx, s.opts.DynamoDB, say); err != nil {
		return err
	}
	server, err := ddblocal.Start(ctx, s.opts.DynamoDB)
	if err != nil {
		return err
	}
	s.database, s.Endpoint = external{server}, server.Endpoint
	return nil
}

func (s *Stack) startEmbedded() error {
	server := protocol.New(Region, s.now)
	server.SetFaults(s.opts.TableFaults)
	if dir := s.opts.DynamoDB.DataDir; dir != "" {
		if err := checkData(dir); err != nil {
			return err
		}
		if err := server.OpenData(dir); err != nil {
			return err
		}
	}
	listener, err := protocol.Listen(server)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	s.database, s.Endpoint = embedded{listener, s.opts.DynamoDB.DataDir}, listener.Endpoint
	return nil
}

// checkData refuses a directory whose table only DynamoDB Local can read: an empty table would look like a
// loss.
func checkData(dir string) error {
	_, own := os.Stat(filepath.Join(dir, protocol.FileName))
	other, err := filepath.Glob(filepath.Join(dir, dynamoDBLocalFiles))
	if err != nil || own == nil || len(other) == 0 {
		return err
	}
	return fmt.Errorf("the table in %s was written by DynamoDB Local: pass --engine %s to use it, "+
		"or --fresh to begin with an empty table", dir, DynamoDBLocal)
}
