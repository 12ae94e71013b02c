// Package domain contains the end-to-end tests of the flag -domain: the command of a world and the server of the template obtain a
// certificate from pebble, the test server of the ACME protocol, and players connect by HTTPS, WebSocket and WebTransport, one of them
// in Chromium. Behind a proxy, they connect under a path. All of it is on loopback.
package domain
