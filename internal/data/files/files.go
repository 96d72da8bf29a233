// Package files reads and writes whole files in a folder of this machine or under a prefix of
// an S3 bucket, so that exports and imports need not know which of them it is.
package files

import (
	"context"
	"io"
	"os"
	"path"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Folder holds files under names with slashes. Its methods are safe for concurrent use.
type Folder interface {
	// Create stores what write writes as one file. The file replaces an older one once write has returned nil
	// and everything is stored; until then, and after an error, the older one stays.
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

// Names returns the names of the files that the arguments of a command mean: a folder, or a
// location in S3 that ends with a slash, means all files in it except what an export keeps about itself: its
// manifest, and files whose names begin with an underscore, which other engines do not read either. The error
// is a usererr.Error for a folder without a file that is read.
func Names(ctx context.Context, locations []string) (names []string, err error) {
	for _, location := range locations {
		if info, err := os.Stat(location); !strings.HasSuffix(location, "/") && (err != nil || !info.IsDir()) {
			names = append(names, location)
			continue
		}
		folder, err := At(ctx, location)
		if err != nil {
			return nil, err
		}
		found, err := folder.List(ctx, "")
		if err != nil {
			return nil, err
		}
		before := len(names)
		for _, name := range found {
			if base := path.Base(name); base != "manifest.json" && !strings.HasPrefix(base, "_") {
				names = append(names, strings.TrimRight(location, "/")+"/"+name)
			}
		}
		if len(names) == before {
			return nil, usererr.Errorf("%s has no file to read: check the name; hidden files and folders, "+
				"manifest.json and names that begin with an underscore are left out of a folder: "+
				"name such a file itself", location)
		}
	}
	return names, nil
}

// Open opens a file of this machine or an object of S3.
func Open(ctx context.Context, location string) (File, error) {
	if !IsS3(location) {
		return OpenLocal(location)
	}
	bucket, key, err := splitS3(location)
	if err != nil {
		return nil, err
	}
	folder, err := At(ctx, s3Scheme+bucket)
	if err != nil {
		return nil, err
	}
	return folder.Open(ctx, key)
}

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
		return "", "", usererr.Errorf("%s: want s3://BUCKET/PREFIX", location)
	}
	return bucket, key, nil
}
