package config

// FieldsWithARule returns the fields of a kind that have a rule.
func FieldsWithARule() (names []string) {
	for _, r := range kindRules {
		names = append(names, r.field)
	}
	return names
}

// Reasons returns the reason of each ruling, by the name of the ruling.
func Reasons() map[string]string {
	all := map[string]string{}
	for name, r := range rulings {
		all[name] = r.Why
	}
	return all
}
