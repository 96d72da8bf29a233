package formats

import (
	"archive/zip"
	"path"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// eachInArchive reads the texts of a zip archive, as they are unpacked. An archive in it is no text. Parts
// that are no files of the export are left out, and named; an archive of such parts alone is refused.
func (in Input) eachInArchive(name string, visit func(Observation) error) error {
	file, err := in.file(name)
	if err != nil {
		return usererr.Errorf("read the input: %w", err)
	}
	defer file.Close()
	if file.Size() == 0 {
		return nil
	}
	archive, err := zip.NewReader(file, file.Size())
	if err != nil {
		return usererr.Errorf("read %s: %w", name, err)
	}
	// Counts come behind the lists of names that they refer to.
	slices.SortStableFunc(archive.File, func(a, b *zip.File) int {
		isCount := func(f *zip.File) int { return strings.Count(strings.ToLower(f.Name), "_stats.") }
		return isCount(a) - isCount(b)
	})
	read, left := 0, 0
	for _, part := range archive.File {
		place := strings.ReplaceAll(part.Name, `\`, "/") // as some programs of Windows write it
		if strings.HasSuffix(place, "/") || isOfSystem(place) {
			continue
		}
		file, reads := fileName(place), webFormats[in.Web.Format].reads
		if reads != nil && !reads(file) && !isArchive(file) {
			in.note("%s/%s is no file of such an export, and is left out\n", name, place)
			left++
			continue
		}
		if err := in.eachInPart(name+"/"+place, part, visit); err != nil {
			return err
		}
		read++
	}
	if read == 0 && left > 0 {
		return usererr.Errorf("%s has no file of such an export: --format %s reads others", name,
			in.Web.Format)
	}
	return nil
}

func isArchive(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".zip") }

// isOfSystem reports whether a part of an archive is of the system that packed it.
func isOfSystem(place string) bool {
	return strings.Contains("/"+place, "/__MACOSX/") || strings.HasPrefix(path.Base(place), ".")
}

func (in Input) eachInPart(name string, part *zip.File, visit func(Observation) error) error {
	if isArchive(name) {
		return usererr.Errorf("%s is an archive in an archive: unpack it first", name)
	}
	unpacked, err := part.Open()
	if err != nil {
		return usererr.Errorf("read %s: %w", name, err)
	}
	defer unpacked.Close()
	text, err := decodeText(unpacked, in.Encoding)
	if err != nil {
		return usererr.Errorf("read %s: %w", name, err)
	}
	r, err := in.newReader(name, text)
	if err != nil {
		return err
	}
	return each(name, r, visit)
}
