// Package envelope decodes the payloads that AWS sends to the functions and encodes the responses that AWS
// expects: HTTP requests of each gateway, messages of IoT rules, batches of queues and streams, and
// on-failure messages. No other package of the domain depends on a payload format of AWS.
package envelope
