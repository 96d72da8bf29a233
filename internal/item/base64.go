package item

// hashText is how long a hash is in base64.
const hashText = 24

// setHash reads what base64.StdEncoding writes of 16 bytes: 22 digits of 6 bits, the
// last of which has bits to spare, and two signs that there are no more.
func (f *found) setHash(text []byte) bool {
	if len(text) != hashText || text[22] != '=' || text[23] != '=' {
		return false
	}
	var all uint8
	for i := range 5 {
		four := text[4*i : 4*i+4 : 4*i+4]
		a, b, c, d := sixBits[four[0]], sixBits[four[1]], sixBits[four[2]], sixBits[four[3]]
		all |= a | b | c | d
		f.hash[3*i], f.hash[3*i+1], f.hash[3*i+2] = a<<2|b>>4, b<<4|c>>2, c<<6|d
	}
	a, b := sixBits[text[20]], sixBits[text[21]]
	f.hash[15] = a<<2 | b>>4
	return (all|a|b)&noDigit == 0
}

// sixBits is what a digit of base64 says; noDigit is set for what is none.
var sixBits = func() (table [256]uint8) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for c := range table {
		table[c] = noDigit
	}
	for value, c := range []byte(digits) {
		table[c] = uint8(value)
	}
	return table
}()

const noDigit = 1 << 7
