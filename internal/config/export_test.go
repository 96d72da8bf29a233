package config

// FieldsWithARule returns the fields of a kind that have a rule.
func FieldsWithARule() (names []string) {
	for _, r := range kindRules {
		names = append(names, r.field)
	}
	return names
}
