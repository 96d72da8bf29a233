package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Manifest lists the files of an export. It is written after all of them, so an export that
// was interrupted leaves the earlier manifest.
type Manifest struct {
	Version int        `json:"version"`
	Dataset string     `json:"dataset"`
	Format  string     `json:"format"`
	AsOf    model.Time `json:"asOf"` // when the newest export began
	// NotReadAgain is how many files earlier exports wrote, because they were complete: an event that was
	// stored since then for their time is in no file. Their AsOf says when they were read.
	NotReadAgain int `json:"notReadAgain"`
	// Progress says which changes the files of this export have.
	views.Progress
	Series string `json:"series,omitempty"` // the file with the series that this export knew
	Files  []Part `json:"files"`
}

// Part is one file: what a kind has in one day or month.
type Part struct {
	Path      string `json:"path"`
	Kind      string `json:"kind"`
	Partition string `json:"partition"` // the day, the month, or "all" of a kind without event times
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	// Complete says that the partition had ended long enough before the export for late
	// events to have arrived. An incremental export does not read it again.
	Complete bool       `json:"complete"`
	AsOf     model.Time `json:"asOf"` // when the export began that wrote the file
	// Unreadable is how many events could not be decoded and are not in the file.
	Unreadable int64  `json:"unreadable,omitempty"`
	NotInFile  string `json:"notInFile,omitempty"` // the first of them: series, time and id, split by semicolons
}

// maxLost is how many events that are not in a file are named.
const maxLost = 20

// lose counts an event that cannot be decoded.
func (p *Part) lose(e event) {
	if p.Unreadable++; p.Unreadable > maxLost {
		return
	}
	if p.NotInFile != "" {
		p.NotInFile += "; "
	}
	p.NotInFile += strings.TrimSpace(fmt.Sprint(e.of, " ", e.At, " ", e.ID))
}

const manifestVersion = 1

func manifestName(dataset string) string { return dataset + "/manifest.json" }

// ReadManifest returns the manifest of a dataset in a folder, nil if there is none.
func ReadManifest(ctx context.Context, folder files.Folder, dataset string) (*Manifest, error) {
	name := manifestName(dataset)
	file, err := folder.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var m Manifest
	if err := json.NewDecoder(file).Decode(&m); err != nil {
		return nil, usererr.Errorf("%s is no manifest of an export: %w: delete it, or export to another folder",
			name, err)
	}
	if m.Version != manifestVersion {
		return nil, usererr.Errorf(
			"%s has version %d and this program reads %d: use the release that wrote it, or export to another folder",
			name, m.Version, manifestVersion)
	}
	return &m, nil
}

func (m *Manifest) store(ctx context.Context, folder files.Folder) error {
	return folder.Create(ctx, manifestName(m.Dataset), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
}

// Rows returns the rows of all files.
func (m *Manifest) Rows() (n int64) {
	for _, f := range m.Files {
		n += f.Rows
	}
	return n
}

// Unreadable returns how many events could not be decoded and are in no file.
func (m *Manifest) Unreadable() (n int64) {
	for _, f := range m.Files {
		n += f.Unreadable
	}
	return n
}

// complete returns the complete files by path.
func (m *Manifest) complete() map[string]Part {
	known := map[string]Part{}
	if m != nil {
		for _, f := range m.Files {
			if f.Complete {
				known[f.Path] = f
			}
		}
	}
	return known
}

// CheckAll checks the manifests of all datasets in a location. It returns how many files they list.
func CheckAll(ctx context.Context, location string) (problems []string, checked int, err error) {
	folder, err := files.At(ctx, location)
	if err != nil {
		return nil, 0, err
	}
	found := false
	for _, d := range Datasets {
		m, err := ReadManifest(ctx, folder, d.Name)
		if err != nil {
			return problems, checked, err
		}
		if m == nil {
			continue
		}
		wrong, err := m.Check(ctx, folder)
		found = true
		checked += len(m.Files)
		problems = append(problems, wrong...)
		if err != nil {
			return problems, checked, err
		}
	}
	if !found {
		return nil, 0, usererr.Errorf("%s has no manifest of an export: name the folder that was given to --to",
			location)
	}
	return problems, checked, nil
}

// Check reads every file of a manifest and returns a sentence for each one that is missing or
// has other content.
func (m *Manifest) Check(ctx context.Context, folder files.Folder) (problems []string, err error) {
	for _, part := range m.Files {
		problem, err := part.check(ctx, folder)
		if err != nil {
			return problems, err
		}
		if problem != "" {
			problems = append(problems, part.Path+" "+problem)
		}
	}
	return problems, nil
}

func (p Part) check(ctx context.Context, folder files.Folder) (problem string, err error) {
	file, err := folder.Open(ctx, p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", p.Path, err)
	case n != p.Bytes:
		return fmt.Sprintf("has %d bytes and not %d", n, p.Bytes), nil
	case hex.EncodeToString(sum.Sum(nil)) != p.SHA256:
		return "has another digest", nil
	}
	return "", nil
}
