package config

import "slices"

// presets are the rows of sources whose messages have a form of their own. Each follows the form that the
// program documents: zigbee2mqtt.io "MQTT topics and messages"; tasmota.github.io/docs "MQTT";
// shelly-api-docs.shelly.cloud "Notifications" of generation 2; thethingsindustries.com/docs "Data formats"
// of 3.34; chirpstack.io "Event types" of version 4; merbanan/rtl_433 docs/DATA_FORMAT.md; RFC 8428.
// Ecowitt documents none: djjudas21/ecowitt-exporter, issue 16, has an upload of a GW2000. Weather
// Underground has the "PWS Upload Protocol".
var presets = []SourceRow{
	{
		Match: "zigbee2mqtt", Subject: "{device.friendlyName}", Time: SourceTime{From: []string{"last_seen"}},
		Tags: dropped("device.*", "update.*", "update_available"),
	},
	{
		// Its times are local and have no offset: with time.zone they are read.
		Match: "tasmota", Time: SourceTime{From: []string{"Time"}},
		Tags: dropped("*.Id", "*.TotalStartTime", "StatusSNS.Time", "StatusSTS.Time"),
		// The response to a command names what the regular messages have.
		Fields: []Rename{{From: "StatusSNS.*", To: "*"}, {From: "StatusSTS.*", To: "*"}},
	},
	{
		Match: "shelly", Subject: "{src}", Time: SourceTime{From: []string{"params.ts"}, Format: "s"},
		Tags: dropped("dst", "method", "*.id", "id", "params.sys.*",
			"params.wifi.*", "params.cloud.*", "params.mqtt.*", "params.ble.*", "params.ht_ui.*",
			"*.minute_ts", "*.by_minute"),
		Fields: []Rename{
			{From: "params.temperature:0.tC", To: "temperature"}, {From: "params.humidity:0.rh", To: "humidity"},
			{From: "params.devicepower:0.battery.percent", To: "battery"}, {From: "params.*", To: "*"},
		},
	},
	{
		Match: "ttn", Subject: "{end_device_ids.device_id}", Time: SourceTime{From: []string{"received_at"}},
		Fields: []Rename{
			{From: "uplink_message.decoded_payload.*", To: "*"},
			{From: "uplink_message.f_cnt", To: "f_cnt"}, {From: "uplink_message.f_port", To: "f_port"},
		},
		OtherFields: RoleDrop,
		Wrapper:     "result", // of its storage
	},
	{
		Match: "chirpstack", Subject: "{deviceInfo.devEui}", Time: SourceTime{From: []string{"time"}},
		Fields: []Rename{
			{From: "object.*", To: "*"}, {From: "batteryLevel", To: "battery"},
			{From: "fCnt", To: "f_cnt"}, {From: "fPort", To: "f_port"},
		},
		OtherFields: RoleDrop,
	},
	{
		Match: "rtl_433", Subject: "{model}-{id}", Stream: "{channel}",
		Time:   SourceTime{From: []string{"time"}},
		Tags:   dropped("mic", "mod"),
		Fields: []Rename{{From: "temperature_C", To: "temperature"}},
	},
	{
		// Units are in the names, tempf, and stay as they are sent. The key identifies the station.
		Match: "ecowitt", Time: SourceTime{From: []string{"dateutc"}, Zone: "UTC"}, Tags: dropped("PASSKEY"),
		Missing: missingSensor,
	},
	{
		// The same, in the URL. The password is of the account there.
		Match: "wunderground", Subject: "{ID}", Time: SourceTime{From: []string{"dateutc"}, Zone: "UTC"},
		Tags: dropped("PASSWORD", "action", "realtime", "rtfreq"), Missing: missingSensor,
	},
	{Match: "senml", Subject: "{bn}", Form: FormSenML},
}

// missingSensor is what weather stations send for a sensor that they do not hear.
var missingSensor = []string{"-9999"}

// dropped returns the role drop for some names.
func dropped(names ...string) (tags []SourceTag) {
	for _, name := range names {
		tags = append(tags, SourceTag{Name: name, Role: RoleDrop})
	}
	return tags
}

// Preset returns the row for the messages of a program, by its name in sources, as events of a kind.
func Preset(name, kind string) (SourceRow, bool) {
	i := slices.IndexFunc(presets, func(r SourceRow) bool { return r.Match == name })
	if i < 0 {
		return SourceRow{}, false
	}
	row := presets[i]
	row.Kind = kind
	row.Measurement = RoleDrop
	row.OtherTags = RoleDrop
	return row, true
}

// Presets returns the names of the presets, in the order of the documentation.
func Presets() (names []string) {
	for _, r := range presets {
		names = append(names, r.Match)
	}
	return names
}
