package config

// JudgedFields are the fields of a kind that have a rule.
func JudgedFields() (names []string) {
	for _, r := range kindRules {
		names = append(names, r.field)
	}
	return names
}
