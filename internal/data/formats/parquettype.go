package formats

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// leaf is how the values of a column of Parquet are written as text, and the type of that text.
type leaf struct {
	columns.Column
	text func(parquet.Value) string
	utc  bool // its times need no zone
}

// newLeaf returns how values of a column are read, by its logical type, or by the older converted type, or
// by the physical type if it has neither. The error is for a type that has no text.
func newLeaf(s *parquetformat.SchemaElement) (leaf, error) {
	switch logical := s.LogicalType.Value.(type) {
	case *parquetformat.DecimalType:
		return decimalLeaf(logical.Scale), nil
	case *parquetformat.DateType:
		return leaf{text: dateText}, nil
	case *parquetformat.TimeType:
		return textLeaf(timeOfDay(logical.Unit.Value.Duration())), nil
	case *parquetformat.TimestampType:
		return timestampLeaf(logical.Unit.Value.Duration(), logical.IsAdjustedToUTC), nil
	case *parquetformat.IntType:
		return intLeaf(logical.IsSigned), nil
	case *parquetformat.UUIDType:
		return textLeaf(uuidText), nil
	case *parquetformat.Float16Type:
		return numberLeaf(func(v parquet.Value) string { return floatText(half(v.ByteArray()), 32) }), nil
	case *parquetformat.StringType, *parquetformat.EnumType, *parquetformat.JsonType:
		return textLeaf(bytesText), nil
	case nil:
		return convertedLeaf(s)
	default:
		return leaf{}, fmt.Errorf("has the type %s, which is not read", logical)
	}
}

// convertedLeaf is newLeaf for files of writers that know no logical types.
func convertedLeaf(s *parquetformat.SchemaElement) (leaf, error) {
	if !s.ConvertedType.Valid {
		return physicalLeaf(s.Type.V)
	}
	switch s.ConvertedType.V {
	case deprecated.Decimal:
		return decimalLeaf(s.Scale.V), nil
	case deprecated.Date:
		return leaf{text: dateText}, nil
	case deprecated.TimeMillis:
		return textLeaf(timeOfDay(time.Millisecond)), nil
	case deprecated.TimeMicros:
		return textLeaf(timeOfDay(time.Microsecond)), nil
	case deprecated.TimestampMillis:
		return timestampLeaf(time.Millisecond, true), nil
	case deprecated.TimestampMicros:
		return timestampLeaf(time.Microsecond, true), nil
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return intLeaf(false), nil
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return textLeaf(bytesText), nil
	case deprecated.Interval:
		return textLeaf(intervalText), nil
	case deprecated.Bson:
		return leaf{}, fmt.Errorf("has the type BSON, which is not read")
	}
	return physicalLeaf(s.Type.V)
}

// physicalLeaf is newLeaf for columns without a further type.
func physicalLeaf(t parquetformat.Type) (leaf, error) {
	switch parquet.Kind(t) {
	case parquet.Boolean:
		text := func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }
		return leaf{Column: columns.Column{Type: columns.Bool}, text: text}, nil
	case parquet.Int32, parquet.Int64:
		return intLeaf(true), nil
	case parquet.Int96:
		return leaf{text: int96Text, utc: true}, nil
	case parquet.Float:
		return numberLeaf(func(v parquet.Value) string { return floatText(float64(v.Float()), 32) }), nil
	case parquet.Double:
		return numberLeaf(func(v parquet.Value) string { return floatText(v.Double(), 64) }), nil
	}
	return textLeaf(bytesText), nil
}

func textLeaf(text func(parquet.Value) string) leaf {
	return leaf{Column: columns.Column{Type: columns.Text}, text: text}
}

func numberLeaf(text func(parquet.Value) string) leaf {
	return leaf{Column: columns.Column{Type: columns.Number, Mark: columns.Point}, text: text, utc: true}
}

// floatText returns the shortest text of a number without an exponent, so that an epoch is digits.
func floatText(f float64, bits int) string { return strconv.FormatFloat(f, 'f', -1, bits) }

func intLeaf(signed bool) leaf {
	return numberLeaf(func(v parquet.Value) string {
		switch small := v.Kind() == parquet.Int32; {
		case small && !signed:
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		case !signed:
			return strconv.FormatUint(v.Uint64(), 10)
		case small:
			return strconv.FormatInt(int64(v.Int32()), 10)
		}
		return strconv.FormatInt(v.Int64(), 10)
	})
}

// decimalLeaf reads the unscaled integer of a decimal, in whichever physical type it is.
func decimalLeaf(scale int32) leaf {
	return numberLeaf(func(v parquet.Value) string {
		digits := new(big.Int).Abs(unscaled(v)).Text(10)
		digits = strings.Repeat("0", max(0, int(scale)+1-len(digits))) + digits
		whole, decimals := digits[:len(digits)-int(scale)], digits[len(digits)-int(scale):]
		sign := map[bool]string{true: "-"}[unscaled(v).Sign() < 0]
		return sign + strings.TrimSuffix(whole+"."+decimals, ".")
	})
}

func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // two's complement, most significant byte first
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// timestampLeaf reads a time. One that is not adjusted to UTC has no offset: the zone of the input says which
// time it is.
func timestampLeaf(unit time.Duration, utc bool) leaf {
	layout := localTime
	if utc {
		layout += "Z"
	}
	perSecond := int64(time.Second / unit)
	text := func(v parquet.Value) string {
		n := v.Int64()
		seconds := n / perSecond
		return time.Unix(seconds, (n-seconds*perSecond)*int64(unit)).UTC().Format(layout)
	}
	return leaf{Column: columns.Column{Type: columns.Time}, text: text, utc: utc}
}

// localTime is a time without an offset, to the millisecond.
const localTime = "2006-01-02T15:04:05.000"

const secondsPerDay = 24 * 60 * 60

func dateText(v parquet.Value) string {
	return time.Unix(int64(v.Int32())*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

func timeOfDay(unit time.Duration) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n := v.Int64()
		if v.Kind() == parquet.Int32 {
			n = int64(v.Int32())
		}
		return time.Unix(0, n*int64(unit)).UTC().Format("15:04:05.999999999")
	}
}

// julianUnixDay is the Julian day of 1970-01-01.
const julianUnixDay = 2_440_588

// int96Text returns the time of Spark, Hive and Impala: nanoseconds of a Julian day, in UTC.
func int96Text(v parquet.Value) string {
	n := v.Int96()
	nanos := int64(n[1])<<32 | int64(n[0])
	return time.Unix((int64(n[2])-julianUnixDay)*secondsPerDay, nanos).UTC().Format(localTime + "Z")
}

// bytesText returns bytes as text, or their Base64 if they are not UTF-8.
func bytesText(v parquet.Value) string {
	if b := v.ByteArray(); !utf8.Valid(b) {
		return base64.StdEncoding.EncodeToString(b)
	}
	return string(v.ByteArray())
}

func uuidText(v parquet.Value) string {
	b := v.ByteArray()
	if len(b) != 16 {
		return bytesText(v)
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// intervalText returns an interval as ISO 8601 writes it.
func intervalText(v parquet.Value) string {
	b := v.ByteArray()
	if len(b) != 12 {
		return bytesText(v)
	}
	part := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	return fmt.Sprintf("P%dM%dDT%sS", part(0), part(4), floatText(float64(part(8))/1000, 64))
}

// half returns a number of 16 bits, as IEEE 754 defines it.
func half(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	bits := binary.LittleEndian.Uint16(b)
	sign := 1 - 2*float64(bits>>15)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
