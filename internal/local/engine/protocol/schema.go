package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/engine"
)

// newSchema returns the schema of a request.
func newSchema(in *createTableInput) (schema engine.Schema, err error) {
	types := map[string]string{}
	for i, a := range in.AttributeDefinitions {
		if !strings.Contains("BNS", a.AttributeType) || len(a.AttributeType) != 1 {
			return schema, invalidAt(fmt.Sprintf("attributeDefinitions.%d.member.attributeType", i+1),
				a.AttributeType, "Member must satisfy enum value set: [B, N, S]")
		}
		types[a.AttributeName] = a.AttributeType
	}
	if schema.Partition, schema.Sort, err = keyNames(in.KeySchema, types); err != nil {
		return schema, err
	}
	used := map[string]bool{schema.Partition: true, schema.Sort: true}
	for _, g := range in.GlobalSecondaryIndexes {
		index := engine.Index{Name: g.IndexName}
		if _, exists := schema.Index(g.IndexName); exists {
			return schema, invalid("One or more parameter values were invalid: Duplicate index name: " +
				g.IndexName)
		}
		if index.Partition, index.Sort, err = keyNames(g.KeySchema, types); err != nil {
			return schema, err
		}
		if g.Projection.ProjectionType != "ALL" {
			return schema, unknown("the ProjectionType " + g.Projection.ProjectionType)
		}
		used[index.Partition], used[index.Sort] = true, true
		schema.Indexes = append(schema.Indexes, index)
	}
	for name := range types {
		if !used[name] {
			return schema, invalidf(
				"One or more parameter values were invalid: Some AttributeDefinitions are not used. "+
					"AttributeDefinitions: %v, keys used: %v",
				slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(used)))
		}
	}
	return schema, nil
}

// keyNames returns the attributes of a key.
func keyNames(elements []keyElement, types map[string]string) (partition, sort string, err error) {
	if len(elements) > 2 {
		texts := make([]string, len(elements))
		for i, e := range elements {
			texts[i] = "KeySchemaElement(attributeName=" + e.AttributeName + ", keyType=" + e.KeyType + ")"
		}
		return "", "", invalidAt("keySchema", "["+strings.Join(texts, ", ")+"]",
			"Member must have length less than or equal to 2")
	}
	for i, e := range elements {
		typ, defined := types[e.AttributeName]
		switch {
		case e.KeyType != "HASH" && e.KeyType != "RANGE":
			return "", "", invalidAt(fmt.Sprintf("keySchema.%d.member.keyType", i+1), e.KeyType,
				"Member must satisfy enum value set: [HASH, RANGE]")
		case !defined:
			return "", "", invalidf(
				"One or more parameter values were invalid: Some index key attributes are not defined in "+
					"AttributeDefinitions. Keys: [%s]", e.AttributeName)
		case typ != "S":
			return "", "", unknown(fmt.Sprintf("the key attribute %s of type %s", e.AttributeName, typ))
		case e.AttributeName == partition:
			return "", "", invalid("Invalid KeySchema: Some index key attribute have no definition")
		case e.KeyType == "HASH" && partition == "":
			partition = e.AttributeName
		case e.KeyType == "RANGE" && partition != "" && sort == "":
			sort = e.AttributeName
		default:
			return "", "", invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
		}
	}
	if partition == "" {
		return "", "", invalid(
			"No Hash Key specified in schema.  All Dynamo DB tables must have exactly one hash key")
	}
	return partition, sort, nil
}
