package columns

// textTitles are the titles, without spaces and in lower case, of columns whose digits are a name and not an
// amount: 1.10 of a firmware is not 1.1.
var textTitles = map[string]bool{
	"firmware": true, "firmwareversion": true, "fw": true, "fwversion": true, "fwver": true, "software": true,
	"softwareversion": true, "swversion": true, "hwversion": true, "hardwareversion": true, "version": true,
	"ver": true, "release": true, "build": true, "revision": true, "rev": true, "zip": true, "zipcode": true,
	"postcode": true, "postalcode": true, "plz": true, "serial": true, "serialnumber": true, "serialno": true,
	"sn": true, "code": true, "barcode": true, "ean": true, "eancode": true,
	"isbn": true, "sku": true, "imei": true,
	"iccid": true, "imsi": true, "mac": true, "phone": true, "telephone": true, "wmo": true, "stationcode": true,
	"frshtt": true,
}
