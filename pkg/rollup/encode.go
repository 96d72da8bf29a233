package rollup

import (
	"encoding/binary"
	"slices"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Version is the newest version of the canonical bytes, and their first byte. Version 2 is written for
// truncated summaries only, version 3 for summaries with details, version 4 for summaries with steps of
// measures, and version 5 for summaries of groups with lists of members. All versions have this format.
// uvarint and varint are as in encoding/binary, wide and zigzag are the same for 256 bits, and text is a
// uvarint length and the bytes:
//
//	version, flags           a byte each; flag 1: truncated
//	complete                 if truncated, from version 2: text, up to which undeclared names are complete;
//	                         version 1: up to the last
//	events                   uvarint
//	positions                uvarint n, n × (varint time since the previous position, text id)
//	measures                 uvarint n, n × measure
//	distinct counts          uvarint n, n × (text name, hashes or registers)
//	dimensions               uvarint n, n × (text name, uvarint n, n × (text value, uvarint count), uvarint other)
//	details                  from version 3: uvarint n, n × (text name, uvarint n, n × (uvarint index of the
//	                         values, part), rest, blank)
//	steps                    from version 4: uvarint n, n × (uvarint index of the measures, kind, figures)
//
//	measure                  text name, head, uvarint count, uvarint invalid, and where count > 0:
//	                         uvarint rounded, digits, zigzag sum, min, max, first, last,
//	                         wide sum of squares, uvarint index of the positions of first and last, sketch
//	head                     a byte: the scale in the low four bits, flag 16: a sketch follows
//	digits                   a byte: zeros removed from the end of the numbers, twice as many from the squares
//	sketch                   uvarint n, n × (varint key since the previous key, uvarint count)
//	part, rest, blank        uvarint events, and where they are > 0: uvarint n, n × sum, uvarint n, n ×
//	                         (uvarint index of the distinct counts, short hashes or 512 registers)
//	sum                      uvarint index of the measures, scale in a byte, uvarint count, zigzag sum
//	short hashes             uvarint n from 1 to 64, n × 5 bytes, the first of a hash
//	hashes                   uvarint n from 1 to 256, n × 8 bytes, big endian
//	registers                uvarint 0, 2,048 × 6 bits
//	kind                     a byte: flag 1: a counter; 2, 4: it wraps around at 2^32, at 2^64; 8: a
//	                         mean over time
//	figures                  of a counter: wide increase, uvarint resets; of a mean: zigzag integral in ms
//	members                  version 5: uvarint n, n × name, uvarint n, n × (uvarint index of the measures,
//	                         known, n × list)
//	name                     bytes shared with the name before, at most 63, in a byte; text of the rest
//	known                    a byte: flag 1 << i: the list of ranking i follows: highest max, lowest min,
//	                         highest and lowest sum, mean and count
//	list                     a byte: places in the high four bits, n in the low ones; if n > 0, and not of
//	                         counts: digits; n × (uvarint index of the names, zigzag value, of a mean:
//	                         uvarint count)
//
// Numbers are integers at the measure's scale, squares at twice the scale. Positions are
// sorted by time and id, all other lists by name, value or key, without duplicates.
const Version = 5

// oldestVersion is the first version of the bytes. Summaries that are not truncated have it still.
const oldestVersion = 1

// truncatedVersion is the version of truncated summaries without details.
const truncatedVersion = 2

// detailVersion is the version of summaries with details and without steps.
const detailVersion = 3

// stepsVersion is the version of summaries with steps and without lists of members.
const stepsVersion = 4

// Flags of a summary, and of a measure (in one byte with its scale).
const (
	truncatedFlag = 1 << 0
	scaleBits     = 1<<4 - 1
	sketchedFlag  = 1 << 4
)

// Encode appends the canonical bytes to dst. Equal summaries have equal bytes on every
// machine: every list is sorted, lengths and counts are the shortest varints, and the
// positions of first and last values, which measures share, are in one table.
func (s *Summary) Encode(dst []byte) []byte {
	details, steps := s.encodeDetails(), s.encodeSteps()
	members := s.encodeMembers()
	switch {
	case len(members) > 0:
		dst = s.appendHead(dst, Version)
		details, steps = orNone(details), orNone(steps)
	case len(steps) > 0:
		dst = s.appendHead(dst, stepsVersion)
		details = orNone(details)
	case len(details) > 0:
		dst = s.appendHead(dst, detailVersion)
	case !s.truncated:
		dst = append(dst, oldestVersion, 0)
	case s.format1:
		dst = append(dst, oldestVersion, truncatedFlag)
	default:
		dst = appendText(append(dst, truncatedVersion, truncatedFlag), s.complete)
	}
	dst = appendCount(dst, s.events)
	orders := s.orders(make([]model.Order, 0, 16))
	dst = appendOrders(dst, orders)
	dst = appendCount(dst, int64(len(s.measures)))
	for i := range s.measures {
		dst = s.measures[i].encode(dst, orders)
	}
	dst = appendCount(dst, int64(len(s.distincts)))
	for _, d := range s.distincts {
		dst = d.encode(dst)
	}
	dst = appendCount(dst, int64(len(s.dimensions)))
	for _, d := range s.dimensions {
		dst = d.encode(dst, s.spec.top(d.name))
	}
	return append(append(append(dst, details...), steps...), members...)
}

// orNone returns the bytes of a list, which are one zero if it is nil.
func orNone(list []byte) []byte {
	if list == nil {
		return appendCount(nil, 0)
	}
	return list
}

// appendHead appends a version from detailVersion on, the flags, and up to which name measures are complete.
func (s *Summary) appendHead(dst []byte, version byte) []byte {
	if !s.truncated {
		return append(dst, version, 0)
	}
	return appendText(append(dst, version, truncatedFlag), s.complete)
}

// orders returns the positions of all first and last values, sorted, without duplicates.
func (s *Summary) orders(dst []model.Order) []model.Order {
	for i := range s.measures {
		if t := &s.measures[i]; t.count > 0 {
			dst = append(dst, t.first.order, t.last.order)
		}
	}
	slices.SortFunc(dst, model.Order.Compare)
	return slices.Compact(dst)
}

// appendOrders appends each time as the difference to the previous one.
func appendOrders(dst []byte, orders []model.Order) []byte {
	dst = appendCount(dst, int64(len(orders)))
	before := model.Time(0)
	for _, order := range orders {
		dst = binary.AppendVarint(dst, int64(order.At-before))
		dst = appendText(dst, order.ID)
		before = order.At
	}
	return dst
}

// encode appends the numbers without their common trailing zeros.
func (t *totals) encode(dst []byte, orders []model.Order) []byte {
	dst = appendText(dst, t.name)
	head := byte(t.scale)
	if len(t.sketch) > 0 {
		head |= sketchedFlag
	}
	dst = append(dst, head)
	dst = appendCount(dst, t.count)
	dst = appendCount(dst, t.invalid)
	if t.count == 0 {
		return dst
	}
	dst = appendCount(dst, t.rounded)
	zeros := t.zeros()
	dst = append(dst, byte(zeros))
	for _, n := range t.linear() {
		var short uint256.Int
		dst = appendSigned(dst, short.SDiv(n, &powersOf10[zeros]))
	}
	var short uint256.Int
	dst = appendWide(dst, short.Div(&t.squares, &powersOf10[2*zeros]))
	for _, order := range [...]*model.Order{&t.first.order, &t.last.order} {
		i, _ := slices.BinarySearchFunc(orders, *order, model.Order.Compare)
		dst = appendCount(dst, int64(i))
	}
	return t.sketch.encode(dst)
}

// zeros returns the number of trailing decimal zeros, up to the scale, that all numbers at
// the scale have, and the sum of squares twice as many.
func (t *totals) zeros() int {
	zeros := t.scale
	for _, n := range t.linear() {
		for !divisible(n, zeros) {
			zeros--
		}
	}
	for !divisible(&t.squares, 2*zeros) {
		zeros--
	}
	return zeros
}

func divisible(n *uint256.Int, digits int) bool {
	var rest uint256.Int
	return digits == 0 || rest.SMod(n, &powersOf10[digits]).IsZero()
}

// encode appends each key as the difference to the previous one. An empty sketch has no
// bytes: the measure's flag says so.
func (s sketch) encode(dst []byte) []byte {
	if len(s) == 0 {
		return dst
	}
	dst = appendCount(dst, int64(len(s)))
	before := int32(0)
	for _, b := range s {
		dst = binary.AppendVarint(dst, int64(b.key-before))
		dst = appendCount(dst, b.n)
		before = b.key
	}
	return dst
}

// encode appends the number of hashes and the hashes, or zero and the registers.
func (d *distinct) encode(dst []byte) []byte { return d.encodeSet(appendText(dst, d.name)) }

func (d *distinct) encodeSet(dst []byte) []byte {
	dst = appendCount(dst, int64(len(d.hashes)))
	for _, hash := range d.hashes {
		dst = append(dst, binary.BigEndian.AppendUint64(nil, hash)[:d.form.hashBytes]...)
	}
	if d.registers != nil {
		dst = d.registers.encode(dst)
	}
	return dst
}

// encode appends the registers, four of six bits in three bytes.
func (r registers) encode(dst []byte) []byte {
	for i := 0; i < len(r); i += 4 {
		four := uint32(r[i])<<18 | uint32(r[i+1])<<12 | uint32(r[i+2])<<6 | uint32(r[i+3])
		dst = append(dst, byte(four>>16), byte(four>>8), byte(four))
	}
	return dst
}

// encode appends the values of highest count, sorted as bytes, and the sum of the rest.
func (d *dimension) encode(dst []byte, top int) []byte {
	values, other := d.top(top)
	slices.SortFunc(values, func(a, b ValueCount) int { return byValue(&a, &b) })
	dst = appendText(dst, d.name)
	dst = appendCount(dst, int64(len(values)))
	for _, v := range values {
		dst = appendText(dst, v.Value)
		dst = appendCount(dst, v.Count)
	}
	return appendCount(dst, other)
}

func appendCount(dst []byte, n int64) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func appendText(dst []byte, text string) []byte {
	return append(appendCount(dst, int64(len(text))), text...)
}

// appendSigned appends n in zigzag form: the sign is the lowest bit, so that numbers of
// small magnitude are short.
func appendSigned(dst []byte, n *uint256.Int) []byte {
	var z, sign uint256.Int
	z.Lsh(n, 1)
	return appendWide(dst, z.Xor(&z, sign.SRsh(n, 255)))
}

// appendWide is binary.AppendUvarint for 256 bits.
func appendWide(dst []byte, n *uint256.Int) []byte {
	rest := *n
	for !rest.IsUint64() {
		dst = append(dst, byte(rest[0])|0x80)
		rest.Rsh(&rest, 7)
	}
	return binary.AppendUvarint(dst, rest[0])
}
