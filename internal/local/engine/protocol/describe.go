package protocol

import (
	"maps"
	"slices"
)

// description is what the server says about a table.
type description struct {
	TableName                 string
	TableArn                  string
	TableStatus               string
	CreationDateTime          float64
	KeySchema                 []keyElement
	AttributeDefinitions      []attributeDefinition
	GlobalSecondaryIndexes    []globalIndex `json:",omitempty"`
	BillingModeSummary        struct{ BillingMode string }
	ProvisionedThroughput     provisioned
	ItemCount                 int
	TableSizeBytes            int
	DeletionProtectionEnabled bool
	StreamSpecification       *streamSpecification `json:",omitempty"`
	LatestStreamArn           string               `json:",omitempty"`
	LatestStreamLabel         string               `json:",omitempty"`
}

func (s *Server) describe(t *table) *description {
	schema := t.Schema()
	d := &description{
		TableName: t.name, TableArn: s.arn(t), TableStatus: "ACTIVE", CreationDateTime: float64(t.created) / 1000,
		KeySchema: keyElements(schema.Partition, schema.Sort), DeletionProtectionEnabled: t.protected.Load(),
	}
	d.BillingModeSummary.BillingMode = "PAY_PER_REQUEST"
	d.ItemCount, d.TableSizeBytes = t.Size()
	defined := map[string]bool{schema.Partition: true, schema.Sort: true}
	for _, i := range schema.Indexes {
		defined[i.Partition], defined[i.Sort] = true, true
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, globalIndex{
			IndexName: i.Name, KeySchema: keyElements(i.Partition, i.Sort), Projection: projection{"ALL"},
			IndexArn: d.TableArn + "/index/" + i.Name, IndexStatus: "ACTIVE", ProvisionedThroughput: &provisioned{},
		})
	}
	delete(defined, "")
	for _, name := range slices.Sorted(maps.Keys(defined)) {
		d.AttributeDefinitions = append(d.AttributeDefinitions, attributeDefinition{name, "S"})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.streams); n > 0 {
		d.LatestStreamLabel = t.streams[n-1]
		d.LatestStreamArn = d.TableArn + "/stream/" + d.LatestStreamLabel
		if t.Options().Stream {
			d.StreamSpecification = &streamSpecification{true, newAndOldImages}
		}
	}
	return d
}

func (s *Server) arn(t *table) string {
	return "arn:aws:dynamodb:" + s.region + ":" + account + ":table/" + t.name
}

func keyElements(partition, sort string) []keyElement {
	all := []keyElement{{partition, "HASH"}}
	if sort != "" {
		all = append(all, keyElement{sort, "RANGE"})
	}
	return all
}
