package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// An update may only remove attributes.
func TestUpdate_MayOnlyRemove(t *testing.T) {
	t.Parallel()
	s := respondsWith(200, `{}`)
	result, err := s.table().Update(t.Context(),
		itemop.Action{Key: keys.Key{PK: "a", SK: "b"}, Remove: []string{"x"}})
	if err != nil || result != storage.Written {
		t.Fatalf("%v, %v; want it written", result, err)
	}
	if got := s.onlyRequest(t)["UpdateExpression"]; got != "REMOVE #0" {
		t.Errorf("the update is %v, want REMOVE #0", got)
	}
}

// Lists and maps of values that this project stores are read as such. Those with bytes or sets, which another
// program wrote, are kept as they are.
func TestGetItem_NestedValuesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	db, client := open(t), local(t)
	number, blob := &types.AttributeValueMemberN{Value: "1"}, &types.AttributeValueMemberB{Value: []byte{1}}
	set := &types.AttributeValueMemberSS{Value: []string{"x"}}
	for name, c := range map[string]struct {
		value types.AttributeValue
		want  item.Type
	}{
		"a list":                 {&types.AttributeValueMemberL{Value: []types.AttributeValue{number}}, item.Nested},
		"a map":                  {&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"n": number}}, item.Nested},
		"a list with bytes":      {&types.AttributeValueMemberL{Value: []types.AttributeValue{number, blob}}, item.Other},
		"a map with a set":       {&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"n": set}}, item.Other},
		"a list of a list of it": {&types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberL{Value: []types.AttributeValue{set}}}}, item.Other},
	} {
		k := keys.Key{PK: "OWN#" + name, SK: "OWN"}
		if _, err := client.PutItem(t.Context(),
			&dynamodb.PutItemInput{TableName: new(db.Name()), Item: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: k.PK}, "sk": &types.AttributeValueMemberS{Value: k.SK}, "x": c.value,
			}}); err != nil {
			t.Fatal(err)
		}
		it, err := db.GetItem(t.Context(), k)
		if err != nil || it["x"].Type != c.want {
			t.Errorf("%s is read as type %v, %v; want %v", name, it["x"].Type, err, c.want)
		}
	}
}
