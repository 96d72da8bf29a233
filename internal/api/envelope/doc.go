// Package envelope decodes the payloads that AWS sends to the functions and encodes the responses that AWS
// expects: messages of IoT rules, batches of queues and streams, and what aggregate is invoked with. With
// packages httpevent and tablestream, it is all that depends on a payload format of AWS.
package envelope
