package configfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// readStages replaces the stages with the file's.
func readStages(c *config.Config) func(*reader, value) {
	return func(r *reader, v value) {
		if r.isNull(v) {
			return
		}
		c.Stages = nil
		r.each(v, func(name string, _ *yaml.Node, child value) {
			s := config.NewStage(name)
			r.object(child, structMembers(&s))
			c.Stages = append(c.Stages, s)
		})
	}
}

// wordOr reads a setting that is either one word, its default, or a mapping into the struct that to points
// to.
func wordOr(word, want string, to any) func(*reader, value) {
	return func(r *reader, v value) {
		if v.node.Kind == yaml.MappingNode {
			r.object(v, structMembers(to))
			return
		}
		if s, ok := r.scalar(v, want, "!!str"); ok && s != word {
			r.wrong(v, "%s is not known: want %s", config.Clip(s), want)
		}
	}
}
