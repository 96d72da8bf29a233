package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Validate returns all mistakes of values as Mistakes: a value out of bounds, a retention policy that would
// lose data, an invalid kind. It is nil for configurations that Load, Parse and Default return.
func (c *Config) Validate() error { return c.mistakes().sorted() }

func (c *Config) mistakes() Mistakes {
	found := Mistakes{}
	for _, b := range c.bounds() {
		found = append(found, b.mistake()...)
	}
	if l := c.Limits; l.Decompressed < l.Body {
		found = append(found, Mistake{Path: "limits.decompressed", Message: fmt.Sprintf(
			"%s is less than limits.body, %s, so that uncompressed requests would be rejected: raise it", bytesText(l.Decompressed), bytesText(l.Body))})
	}
	if t := c.Collector.Trust; t != TrustNone && t != TrustCloudFront {
		found = append(found, Mistake{Path: "collector.trust", Message: fmt.Sprintf(
			"%s is not known: want none, or cloudfront for a distribution that sends the origin secret", clip(string(t)))})
	}
	fronted := slices.ContainsFunc(c.Stages, func(s Stage) bool { return s.CloudFront != CloudFront{} })
	if c.Collector.Regions && c.Collector.Trust == TrustNone && !fronted {
		found = append(found, Mistake{Path: "collector.regions", Message: "no header names a region while no proxy is trusted: " +
			"write trust: cloudfront, or cloudFront in a stage"})
	}
	for _, s := range c.Stages {
		found = append(found, s.mistakes()...)
	}
	found = append(found, c.sourceMistakes()...)
	return append(found, c.kindMistakes()...)
}

// kindMistakes returns the mistakes of the default retention policy and of the catalog.
func (c *Config) kindMistakes() (found Mistakes) {
	effective := *c
	if m := catalog.CheckRetention(c.Retention); m != nil {
		found = append(found, Mistake{Path: m.Field, Message: m.Message})
		effective.Retention = tier.Standard() // so that the mistake is not repeated for each kind
	}
	cat, err := effective.Catalog()
	if err != nil {
		return append(found, catalogMistakes(err)...)
	}
	for i := range cat.Kinds {
		found = append(found, reserved(&cat.Kinds[i])...)
	}
	for _, s := range typesAlone(cat) {
		for _, m := range reserved(&catalog.Kind{Subject: s}) {
			m.Path = strings.Replace(m.Path, "kinds..subject", join("subjects", s.Name), 1)
			found = append(found, m)
		}
	}
	return found
}

// catalogMistakes splits the joined error of a catalog.
func catalogMistakes(err error) (found Mistakes) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return Mistakes{{Path: "kinds", Message: err.Error()}}
	}
	for _, e := range joined.Unwrap() {
		m := Mistake{Path: "kinds", Message: e.Error()}
		if at := (*catalog.Mistake)(nil); errors.As(e, &at) {
			m = Mistake{Path: strings.TrimPrefix("kinds."+at.Kind+"."+at.Field, "kinds.."), Message: at.Message}
		}
		found = append(found, m)
	}
	return found
}

// reserved returns a mistake for each name of a kind that Tidemark's own items use.
func reserved(k *catalog.Kind) (found Mistakes) {
	if tablekeys.ReservedType(k.Subject.Name) {
		found = append(found, Mistake{Path: "kinds." + k.Name + ".subject.name", Message: fmt.Sprintf(
			"%q is a partition prefix of Tidemark's own items: choose another name", k.Subject.Name)})
	}
	for _, f := range k.Fields() {
		if keys.Reserved(f.Name) {
			found = append(found, Mistake{Path: "kinds." + k.Name + "." + f.Path, Message: fmt.Sprintf(
				"%q is an attribute of Tidemark's own items: choose another name", f.Name)})
		}
	}
	if k.Subject.Profile == nil {
		return found
	}
	for _, f := range k.Subject.Profile.Fields() {
		if tablekeys.ReservedInProfile(f.Name) {
			found = append(found, Mistake{Path: "kinds." + k.Name + ".subject.profile." + f.Path, Message: fmt.Sprintf(
				"%q is an attribute of Tidemark's own items: choose another field", f.Name)})
		}
	}
	return found
}

// spanText returns a duration as written in the file.
func spanText(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d%u.unit == 0 && d != 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.name
		}
	}
	return d.String()
}

// bytesText returns a size as written in the file.
func bytesText(n int) string {
	switch {
	case n%mib == 0 && n != 0:
		return strconv.Itoa(n/mib) + "MiB"
	case n%kib == 0 && n != 0:
		return strconv.Itoa(n/kib) + "KiB"
	}
	return strconv.Itoa(n)
}
