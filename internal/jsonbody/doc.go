// Package jsonbody reads bodies of HTTP requests that are one JSON object and nothing else: [Read], [Parse]. Names count
// as they are written, once each, and what is not known is refused.
package jsonbody
