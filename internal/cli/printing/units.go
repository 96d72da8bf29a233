package printing

// Units has the units of measures by their names. Tables show them in the head of a column, or beside the
// name of the measure; other formats have numbers alone.
type Units map[string]string

// label returns the name of a field with its unit: temperature (°C).
func (u Units) label(name string) string {
	if unit := u[name]; unit != "" {
		return name + " (" + unit + ")"
	}
	return name
}
