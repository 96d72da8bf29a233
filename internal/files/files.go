// Package files reads and writes whole files in a folder of this machine or under a prefix of
// an S3 bucket, so that exports and imports need not know which of them it is.
package files

import (
	"context"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/usage"
)

// Folder holds files under names with slashes. Its methods are safe for concurrent use.
type Folder interface {
	// Create stores what write writes as one file. The file replaces an older one once write
	// has returned nil and everything is stored; until then, and after an error, the older
	// one stays.
	Create(ctx context.Context, name string, write func(io.Writer) error) error
	// Open reads a file. The error wraps fs.ErrNotExist if there is none. The file can also be
	// read at any offset.
	Open(ctx context.Context, name string) (File, error)
	// List returns the names of all files whose name begins with a prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}

// File is an open file.
type File interface {
	io.ReadCloser
	io.ReaderAt
	// Size returns the number of bytes.
	Size() int64
}

const s3Scheme = "s3://"

// IsS3 reports whether a location is in S3.
func IsS3(location string) bool { return strings.HasPrefix(location, s3Scheme) }

// At returns the folder of a location: a path of this machine, or s3://BUCKET/PREFIX.
func At(ctx context.Context, location string) (Folder, error) {
	if !IsS3(location) {
		return dir(location), nil
	}
	bucket, prefix, err := splitS3(location)
	if err != nil {
		return nil, err
	}
	client, err := s3Client(ctx)
	if err != nil {
		return nil, err
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &bucketFolder{client: client, bucket: bucket, prefix: prefix}, nil
}

func splitS3(location string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(location, s3Scheme), "/")
	if bucket == "" {
		return "", "", usage.Errorf("%s: want s3://BUCKET/PREFIX", location)
	}
	return bucket, key, nil
}
