package lineprotocol

import (
	"bytes"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// again decodes the line of a point with an error once more, with a sign in front of each value that is of no
// type, such as nan or N/A: the library reads it as a number that is none, and the other fields of the line
// are kept. It returns the point with the error if that does not help.
func (d *decoder) again(wrong points.Point, line []byte) points.Point {
	line, _, _ = bytes.Cut(line, []byte("\n"))
	signed := withSigns(line)
	alone := decoder{Decoder: lineprotocol.NewDecoderWithBytes(signed), Options: d.Options, text: d.text}
	if len(signed) == len(line) || !alone.Next() {
		return wrong
	}
	if p := alone.point(wrong.Line); p.Err == nil {
		return p
	}
	return wrong
}

// withSigns returns a line with a minus in front of each value that does not begin as one of any type does.
func withSigns(line []byte) (signed []byte) {
	const firsts = `0123456789.-"tTfF`
	var inFields, isValue, isText bool
	for i := 0; i < len(line); i++ {
		c := line[i]
		if isValue && bytes.IndexByte([]byte(firsts+", \r"), c) < 0 {
			signed = append(signed, '-')
		}
		isText = isText != (c == '"' && (isText || isValue))
		wasValue := isValue
		isValue = false
		switch {
		case c == '\\' && !wasValue && i+1 < len(line):
			signed = append(signed, c)
			i++
			c = line[i]
		case isText:
		case c == ' ' && inFields:
			return append(signed, line[i:]...) // the time
		case c == ' ':
			inFields = len(bytes.TrimLeft(line[:i], " ")) > 0
			for ; i+1 < len(line) && line[i+1] == ' '; i++ {
				signed = append(signed, c)
			}
		case c == '=':
			isValue = inFields
		}
		signed = append(signed, c)
	}
	return signed
}
