// Package jsonbody decodes bodies of HTTP requests that consist of exactly one JSON object: [Read], [Parse]. Field
// names are case-sensitive and must be unique. Unknown fields are errors.
package jsonbody
