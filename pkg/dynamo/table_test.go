package dynamo_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestCreate_CreatesTheStandardTableAndMayBeRepeated(t *testing.T) {
	table := open(t)
	wantStandard(t, table)
	if err := table.Create(t.Context()); err != nil {
		t.Fatalf("again: %v", err)
	}
	wantStandard(t, table)
}

func wantStandard(t *testing.T, table *dynamo.Table) {
	t.Helper()
	client := local(t)
	described, err := client.DescribeTable(t.Context(),
		&dynamodb.DescribeTableInput{TableName: new(table.Name())})
	if err != nil {
		t.Fatal(err)
	}
	d := described.Table
	if d.StreamSpecification.StreamViewType != types.StreamViewTypeNewAndOldImages ||
		len(d.GlobalSecondaryIndexes) != 2 {
		t.Errorf("table has stream %v and %d indexes, want both images and 2", d.StreamSpecification.StreamViewType,
			len(d.GlobalSecondaryIndexes))
	}
	if d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("billing is %v, want on demand", d.BillingModeSummary.BillingMode)
	}
	ttl, err := client.DescribeTimeToLive(t.Context(),
		&dynamodb.DescribeTimeToLiveInput{TableName: new(table.Name())})
	if err != nil {
		t.Fatal(err)
	}
	if got := ttl.TimeToLiveDescription; got.TimeToLiveStatus != types.TimeToLiveStatusEnabled ||
		*got.AttributeName != keys.AttrExpiresAt {
		t.Errorf("TTL is %v by %v, want enabled by %s", got.TimeToLiveStatus, got.AttributeName, keys.AttrExpiresAt)
	}
}

func TestCreate_ReportsTheDifferenceOfAnExistingTable(t *testing.T) {
	client, name := local(t), "other-"+rand.Text()
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: new("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: new("id"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = dynamo.New(client, name).Create(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the key (id, ), want (pk, sk)") {
		t.Errorf("Create = %v, want an error that names both keys", err)
	}
}

func TestNewClient_NeverSendsRealCredentialsToAnEndpoint(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	var authorization string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer s.Close()
	for region, want := range map[string]string{"": "us-east-1", "eu-central-1": "eu-central-1"} {
		if client, err := dynamo.NewClient(t.Context(), region, s.URL); err != nil ||
			client.Options().Region != want {
			t.Errorf("region %q of an endpoint: %v, want %s", region, err, want)
		}
	}
	client, err := dynamo.NewClient(t.Context(), "", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dynamo.New(client, "tidemark").Latest(t.Context(), series, true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(authorization, "Credential=local/") {
		t.Errorf("the endpoint was sent %q, want the local credentials", authorization)
	}
}

func TestNewClient_WithoutARegionIsAnErrorWithAdvice(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	if _, err := dynamo.NewClient(t.Context(), "", ""); err == nil ||
		!strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("NewClient = %v, want an error that names AWS_REGION", err)
	}
	client, err := dynamo.NewClient(t.Context(), "eu-central-1", "")
	if err != nil || client.Options().Region != "eu-central-1" {
		t.Errorf("NewClient with a region = %v, want that region", err)
	}
}

func TestCapacity_SumsConsumedCapacity(t *testing.T) {
	var capacity dynamo.Capacity
	table := func(body string) *dynamo.Table {
		return respondsWith(200, body).table(dynamo.WithCapacity(&capacity))
	}
	one := table(`{"ConsumedCapacity":{"CapacityUnits":1.5}}`)
	for method, write := range writes {
		body := one
		switch method {
		case "Append":
			body = table(`{"ConsumedCapacity":[{"CapacityUnits":4,"WriteCapacityUnits":4},{"CapacityUnits":2,"ReadCapacityUnits":2}]}`)
		case "PutInvalidations", "DeleteInvalidations":
			body = table(`{"ConsumedCapacity":[{"CapacityUnits":1.5}]}`)
		}
		if _, err := write(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { _, _ = one.Latest(t.Context(), series, true) })
		all.Go(func() { _, _ = one.Events(t.Context(), storage.Range{Series: series, To: noon}) })
	}
	all.Wait()
	wantRead, wantWrite := 2+20*1.5, 4+float64(len(writes)-1)*1.5
	if read, write := capacity.Units(); read != wantRead || write != wantWrite {
		t.Errorf("consumed %v read and %v write units, want %v and %v", read, write, wantRead, wantWrite)
	}
}

func TestCapacity_IsRequestedOnlyIfCounted(t *testing.T) {
	for want, options := range map[string][]dynamo.Option{"NONE": nil,
		"TOTAL": {dynamo.WithCapacity(&dynamo.Capacity{})}} {
		s := respondsWith(200, `{}`)
		if _, err := s.table(options...).Put(t.Context(), event); err != nil {
			t.Fatal(err)
		}
		if got := s.onlyRequest(t)["ReturnConsumedCapacity"]; got != want {
			t.Errorf("capacity mode %v, want %s", got, want)
		}
	}
}
