package protocol

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
)

// account is the account of every ARN.
const account = "000000000000"

type keyElement struct{ AttributeName, KeyType string }

type attributeDefinition struct{ AttributeName, AttributeType string }

type projection struct{ ProjectionType string }

type globalIndex struct {
	IndexName             string
	KeySchema             []keyElement
	Projection            projection
	ProvisionedThroughput *provisioned `json:",omitempty"`
	IndexArn              string       `json:",omitempty"`
	IndexStatus           string       `json:",omitempty"`
}

type provisioned struct{ ReadCapacityUnits, WriteCapacityUnits int }

type streamSpecification struct {
	StreamEnabled  bool
	StreamViewType string `json:",omitempty"`
}

type tag struct{ Key, Value string }

type createTableInput struct {
	TableName                 string
	KeySchema                 []keyElement
	AttributeDefinitions      []attributeDefinition
	GlobalSecondaryIndexes    []globalIndex
	BillingMode               string
	ProvisionedThroughput     *provisioned
	StreamSpecification       *streamSpecification
	DeletionProtectionEnabled bool
	Tags                      []tag
}

const newAndOldImages = "NEW_AND_OLD_IMAGES"

func createTable(s *Server, in *createTableInput) (any, error) {
	if err := checkTableName(in.TableName, 3); err != nil {
		return nil, err
	}
	schema, err := newSchema(in)
	if err != nil {
		return nil, err
	}
	if err := checkStream(in.StreamSpecification); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables[in.TableName] != nil {
		return nil, &failure{inUse, "Table already exists: " + in.TableName}
	}
	t := s.open(in.TableName, schema)
	t.protected.Store(in.DeletionProtectionEnabled)
	if in.StreamSpecification != nil && in.StreamSpecification.StreamEnabled {
		t.enableStream(s.now().Time())
	}
	if err := s.keep(t); err != nil {
		return nil, err
	}
	s.tables[in.TableName] = t
	return struct{ TableDescription *description }{s.describe(t)}, nil
}

// open returns a new table.
func (s *Server) open(name string, schema engine.Schema) *table {
	t := &table{Table: engine.New(schema, engine.Options{Retention: streamRetention}, s.now), name: name,
		created: s.now(), limits: s.newLimits()}
	switch {
	case s.disk != nil:
		t.Restore(engine.State{}, tableLog{s.disk, name})
	case s.watch != nil:
		t.Restore(engine.State{}, watched{name, s.watch})
	}
	return t
}

// enableStream begins a new stream, whose label is a time.
func (t *table) enableStream(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = append(t.streams, now.Format("2006-01-02T15:04:05.000"))
	t.SetStream(true)
}

func checkStream(spec *streamSpecification) error {
	if spec != nil && spec.StreamEnabled && spec.StreamViewType != newAndOldImages {
		return unknown("the StreamViewType " + spec.StreamViewType)
	}
	return nil
}

// tableName is what a table may be called.
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)

// checkTableName checks a name of a request, of so many characters at least.
func checkTableName(name string, least int) error {
	switch {
	case len(name) < least:
		return invalidAt("tableName", name,
			fmt.Sprintf("Member must have length greater than or equal to %d", least))
	case len(name) > 255:
		return invalidAt("tableName", name, "Member must have length less than or equal to 255")
	case !tableName.MatchString(name):
		return invalidAt("tableName", name, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	}
	return nil
}

// findNamed is find for operations on tables, whose error names the table.
func (s *Server) findNamed(name string) (*table, error) {
	t, err := s.find(name)
	var f *failure
	if errors.As(err, &f) && f.typ == notFound {
		err = &failure{notFound, f.message + ": Table: " + name + " not found"}
	}
	return t, err
}

type tableInput struct{ TableName string }

func describeTable(s *Server, in *tableInput) (any, error) {
	t, err := s.findNamed(in.TableName)
	if err != nil {
		return nil, err
	}
	return struct{ Table *description }{s.describe(t)}, nil
}

func deleteTable(s *Server, in *tableInput) (any, error) {
	t, err := s.findNamed(in.TableName)
	if err != nil {
		return nil, err
	}
	if t.protected.Load() {
		return nil, invalid("Resource cannot be deleted as it is currently protected against deletion. " +
			"Disable deletion protection first.")
	}
	described := s.describe(t)
	described.TableStatus = "DELETING"
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tables, t.name)
	if err := s.drop(t); err != nil {
		return nil, err
	}
	return struct{ TableDescription *description }{described}, nil
}

type listTablesInput struct {
	ExclusiveStartTableName string
	Limit                   int
}

func listTables(s *Server, in *listTablesInput) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(s.tables)), func(name string) bool {
		return name <= in.ExclusiveStartTableName
	})
	out := struct {
		TableNames             []string
		LastEvaluatedTableName string `json:",omitempty"`
	}{TableNames: append([]string{}, names...)}
	if in.Limit > 0 && len(names) > in.Limit {
		out.TableNames = names[:in.Limit]
		out.LastEvaluatedTableName = names[in.Limit-1]
	}
	return out, nil
}

type updateTableInput struct {
	TableName                 string
	StreamSpecification       *streamSpecification
	DeletionProtectionEnabled *bool
	BillingMode               string
}

func updateTable(s *Server, in *updateTableInput) (any, error) {
	t, err := s.findNamed(in.TableName)
	if err != nil {
		return nil, err
	}
	if err := checkStream(in.StreamSpecification); err != nil {
		return nil, err
	}
	if spec := in.StreamSpecification; spec != nil {
		switch on := t.Options().Stream; {
		case spec.StreamEnabled && on:
			return nil, invalid("Table already has an enabled stream: TableName: " + t.name)
		case !spec.StreamEnabled && !on:
			return nil, invalid("Table is already disabled for stream: TableName: " + t.name)
		case spec.StreamEnabled:
			t.enableStream(s.now().Time())
		default:
			t.SetStream(false)
		}
	}
	if in.DeletionProtectionEnabled != nil {
		t.protected.Store(*in.DeletionProtectionEnabled)
	}
	if err := s.keep(t); err != nil {
		return nil, err
	}
	return struct{ TableDescription *description }{s.describe(t)}, nil
}
