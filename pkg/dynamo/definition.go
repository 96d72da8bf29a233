package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Definition is the schema of a table. Create and the deployed infrastructure use the same one.
type Definition struct {
	Partition, Sort string // attributes of the primary key, both strings
	Indexes         []Index
	TTL             string // the attribute with the time of expiry
	Stream          string // view type of the table stream
	Billing         string
}

// Index is a global secondary index over string attributes that projects all attributes.
type Index struct{ Name, Partition, Sort string }

// Standard returns the definition of every Tidemark table.
func Standard() Definition {
	return Definition{
		Partition: keys.AttrPK,
		Sort:      keys.AttrSK,
		Indexes: []Index{
			{Name: keys.IndexGSI1, Partition: keys.AttrGSI1PK, Sort: keys.AttrGSI1SK},
			{Name: keys.IndexGSI2, Partition: keys.AttrGSI2PK, Sort: keys.AttrGSI2SK},
		},
		TTL:     keys.AttrExpiresAt,
		Stream:  string(types.StreamViewTypeNewAndOldImages),
		Billing: string(types.BillingModePayPerRequest),
	}
}

// activeTimeout bounds the wait until a table is active.
const activeTimeout = 5 * time.Minute

// Create creates the table by its Standard definition and waits until it is active. It
// keeps an existing table; the error names the difference if its schema is another.
func (t *Table) Create(ctx context.Context) error {
	err := t.create(ctx, Standard())
	if err != nil {
		return fmt.Errorf("create table %s: %w", t.name, advise(err))
	}
	return nil
}

func (t *Table) create(ctx context.Context, d Definition) error {
	_, err := t.client.CreateTable(ctx, d.input(t.name))
	var exists *types.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		return err
	}
	described, err := t.active(ctx)
	if err != nil {
		return err
	}
	if err := d.differs(newDefinition(described)); err != nil {
		return err
	}
	return t.enableTTL(ctx, d.TTL)
}

func waiterDelays(o *dynamodb.TableExistsWaiterOptions) {
	o.MinDelay, o.MaxDelay = 200*time.Millisecond, 5*time.Second
}

// enableTTL reads the setting first: DynamoDB rejects a request to enable TTL again.
func (t *Table) enableTTL(ctx context.Context, attribute string) error {
	now, err := t.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.name})
	if err != nil {
		return err
	}
	if d := now.TimeToLiveDescription; d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled ||
		d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		if got := aws.ToString(d.AttributeName); got != attribute {
			return fmt.Errorf("TTL uses the attribute %q, want %q: disable TTL first", got, attribute)
		}
		return nil
	}
	_, err = t.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &t.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: new(true)},
	})
	return err
}

func (d Definition) input(name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:   &name,
		KeySchema:   keySchema(d.Partition, d.Sort),
		BillingMode: types.BillingMode(d.Billing),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: new(true), StreamViewType: types.StreamViewType(d.Stream),
		},
	}
	attributes := []string{d.Partition, d.Sort}
	for _, i := range d.Indexes {
		attributes = append(attributes, i.Partition, i.Sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  &i.Name,
			KeySchema:  keySchema(i.Partition, i.Sort),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		})
	}
	for _, a := range attributes {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: &a, AttributeType: types.ScalarAttributeTypeS,
		})
	}
	return in
}

func keySchema(partition, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &partition, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}

// newDefinition returns the definition of an existing table, without TTL and billing,
// which can be changed later.
func newDefinition(t *types.TableDescription) (d Definition) {
	d.Partition, d.Sort = schemaNames(t.KeySchema)
	for _, i := range t.GlobalSecondaryIndexes {
		partition, sort := schemaNames(i.KeySchema)
		d.Indexes = append(d.Indexes, Index{
			Name: aws.ToString(i.IndexName), Partition: partition, Sort: sort,
		})
	}
	slices.SortFunc(d.Indexes, func(a, b Index) int { return cmp.Compare(a.Name, b.Name) })
	if s := t.StreamSpecification; s != nil && s.StreamEnabled != nil && *s.StreamEnabled {
		d.Stream = string(s.StreamViewType)
	}
	return d
}

func schemaNames(schema []types.KeySchemaElement) (partition, sort string) {
	for _, e := range schema {
		if e.KeyType == types.KeyTypeHash {
			partition = aws.ToString(e.AttributeName)
		} else {
			sort = aws.ToString(e.AttributeName)
		}
	}
	return partition, sort
}

// differs returns an error that names the first difference in schema.
func (d Definition) differs(existing Definition) error {
	const remedy = "use another table name, or recreate the table"
	switch {
	case existing.Partition != d.Partition || existing.Sort != d.Sort:
		return fmt.Errorf("the existing table has the key (%s, %s), want (%s, %s): %s", existing.Partition,
			existing.Sort, d.Partition, d.Sort, remedy)
	case !slices.Equal(existing.Indexes, d.Indexes):
		return fmt.Errorf("the existing table has the indexes %v, want %v: %s", existing.Indexes, d.Indexes, remedy)
	case existing.Stream != d.Stream:
		return fmt.Errorf("the existing table has the stream view %q, want %q: %s", existing.Stream, d.Stream,
			remedy)
	}
	return nil
}
