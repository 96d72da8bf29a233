package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/tidemark-db/tidemark/internal/api/awsuser"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// s3Client returns a client with the user's own AWS configuration. A server at a configured
// endpoint is addressed by path, because its host name has no subdomain for each bucket.
func s3Client(ctx context.Context) (*s3.Client, error) {
	settings, err := awsuser.Config(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("S3: %w", err)
	}
	if settings.Region == "" {
		return nil, usererr.Errorf("S3: no AWS region is configured: set AWS_REGION")
	}
	byPath := os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_ENDPOINT_URL") != ""
	return s3.NewFromConfig(settings, func(o *s3.Options) { o.UsePathStyle = byPath }), nil
}

// bucketFolder is the objects of a bucket under a prefix. Files pass through temporary files
// of this machine: a request needs the size of its object, and Parquet is read at offsets.
type bucketFolder struct {
	client         *s3.Client
	bucket, prefix string
}

var _ Folder = (*bucketFolder)(nil)

func (b *bucketFolder) String() string { return s3Scheme + b.bucket + "/" + b.prefix }

// Create sends the file as one object, of at most 5 GB. S3 shows an object only when all of it is stored.
func (b *bucketFolder) Create(ctx context.Context, name string, write func(io.Writer) error) error {
	file, err := newSpool()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := fill(file, write); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = b.client.PutObject(ctx,
		&s3.PutObjectInput{Bucket: &b.bucket, Key: aws.String(b.prefix + name), Body: file})
	return b.failure("store", name, err)
}

// Open copies the object to a temporary file, which Close removes.
func (b *bucketFolder) Open(ctx context.Context, name string) (File, error) {
	object, err := b.client.GetObject(ctx,
		&s3.GetObjectInput{Bucket: &b.bucket, Key: aws.String(b.prefix + name)})
	if err != nil {
		return nil, b.failure("read", name, err)
	}
	defer object.Body.Close()
	file, err := newSpool()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(file, object.Body); err != nil {
		file.Close()
		return nil, b.failure("read", name, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		file.Close()
		return nil, err
	}
	return sized(file.File)
}

// List reads the names page by page.
func (b *bucketFolder) List(ctx context.Context, prefix string) (names []string, err error) {
	all := s3.NewListObjectsV2Paginator(b.client,
		&s3.ListObjectsV2Input{Bucket: &b.bucket, Prefix: aws.String(b.prefix + prefix)})
	for all.HasMorePages() {
		page, err := all.NextPage(ctx)
		if err != nil {
			return nil, b.failure("list", prefix, err)
		}
		for _, object := range page.Contents {
			names = append(names, strings.TrimPrefix(*object.Key, b.prefix))
		}
	}
	return names, nil
}

func (b *bucketFolder) failure(verb, name string, err error) error {
	var absent *types.NoSuchKey
	switch {
	case err == nil:
		return nil
	case errors.As(err, &absent):
		return fmt.Errorf("%s %s%s: %w", verb, b, name, fs.ErrNotExist)
	}
	return fmt.Errorf("%s %s%s: %w", verb, b, name, err)
}

// spool is a temporary file without a name, so that it is gone when the process ends in any way.
type spool struct{ *os.File }

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "tidemark-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return &spool{file}, os.Remove(file.Name())
}
