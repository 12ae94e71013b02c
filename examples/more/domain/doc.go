// Package domain contains the end-to-end tests of the flag -domain: a process with rooms obtains a certificate from pebble, the test
// server of the ACME protocol, and players connect by HTTPS, WebSocket and WebTransport. Behind a proxy, they connect under a path.
// All of it is on loopback.
package domain
