// Package selfinvoke invokes a Lambda function, from itself, without waiting for its response.
//
// It is one signed request. The SDK's client of Lambda would take a part of the largest size of a function's
// code, for one operation out of about eighty.
package selfinvoke

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// EnvEndpoint names another endpoint of Lambda, as for the SDK's client.
const EnvEndpoint = "AWS_ENDPOINT_URL_LAMBDA"

// timeout limits one request.
const timeout = 3 * time.Second

// Function is a function, or an alias of one. It is safe for concurrent use.
type Function struct {
	address string // of its invocations
	region  string
	client  aws.Config
	signer  *v4.Signer
}

// FromEnv returns the function that the environment names as its own, nil if it names none. It sends no
// request.
func FromEnv(ctx context.Context, getenv func(string) string) (*Function, error) {
	name := getenv(config.EnvSelf)
	if name == "" {
		return nil, nil
	}
	at, err := arn.Parse(name)
	if err != nil {
		return nil, fmt.Errorf("%s is %q: %w", config.EnvSelf, name, err)
	}
	client, err := awsenv.Config(at.Region)
	if err != nil {
		return nil, err
	}
	endpoint := getenv(EnvEndpoint)
	if endpoint == "" {
		if endpoint, err = lambda(ctx, at.Region); err != nil {
			return nil, err
		}
	}
	function, alias, _ := strings.Cut(strings.TrimPrefix(at.Resource, "function:"), ":")
	address := strings.TrimSuffix(endpoint, "/") + "/2015-03-31/functions/" + url.PathEscape(function) +
		"/invocations"
	if alias != "" {
		address += "?" + url.Values{"Qualifier": {alias}}.Encode()
	}
	return &Function{address: address, region: at.Region, client: client, signer: v4.NewSigner()}, nil
}

// lambda returns the endpoint of Lambda in a Region. The endpoints of DynamoDB differ by the service only,
// and the SDK knows them for every partition.
func lambda(ctx context.Context, region string) (string, error) {
	found, err := dynamodb.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
		dynamodb.EndpointParameters{Region: &region})
	if err != nil {
		return "", fmt.Errorf("endpoint of Lambda in %s: %w", region, err)
	}
	return "https://lambda." + strings.TrimPrefix(found.URI.Host, "dynamodb."), nil
}

// InvokeEvent asks Lambda to invoke the function with a payload. It returns when Lambda has accepted that,
// and sends one request: after an error the function may be invoked or not.
func (f *Function) InvokeEvent(ctx context.Context, payload []byte) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	r.Header.Set("X-Amz-Invocation-Type", "Event")
	// Lambda finds chains of invocations by the trace, and AWS X-Ray shows them.
	if trace, _ := ctx.Value("x-amzn-trace-id").(string); trace != "" {
		r.Header.Set("X-Amzn-Trace-Id", trace)
	}
	credentials, err := f.client.Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("invoke %s: %w", f.address, err)
	}
	digest := sha256.Sum256(payload)
	if err := f.signer.SignHTTP(ctx, credentials, r, hex.EncodeToString(digest[:]), "lambda", f.region,
		time.Now()); err != nil {
		return fmt.Errorf("invoke %s: %w", f.address, err)
	}
	resp, err := f.client.HTTPClient.Do(r)
	if err != nil {
		return fmt.Errorf("invoke %s: %w", f.address, err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // so that the connection is used again
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("invoke %s: %s %s", f.address, resp.Status,
			cmp.Or(resp.Header.Get("X-Amzn-Errortype"), string(text)))
	}
	return nil
}
