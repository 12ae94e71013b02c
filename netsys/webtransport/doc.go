// Package webtransport is a datagram transport over WebTransport, the datagrams of QUIC in HTTP/3, for browsers and native
// clients. It is its own module, so other programs do not link QUIC.
//
// A message is one datagram with the same content as over UDP, so sessions work unchanged. Unlike with WebSocket, a lost
// datagram does not delay the next. Data is encrypted twice, by QUIC and by the session.
//
// # Index of tasks
//
//   - See a complete program: examples/more/webtransport is the arena with a page that uses WebTransport if possible.
//   - Serve: [Listen]. Serve UDP or WebSocket from the same server: [Listener.Beside]. A server of rooms accepts both kinds
//     of transport.
//   - Serve on your own machine, without a certificate of an authority: leave Config.TLS nil, and pass the hash to the
//     page, [Listener.CertificateHashes].
//   - Connect: [DialConfig.Dial]. Fall back to WebSocket: [DialConfig].WebSocket. Both also work in Go's js build.
//   - Get a peer's plain address for a log or a ban: [Listener.PeerAddr]. See misbehaving peers: [Listener.Stats].
//   - Limit peers: [Config].
//
// # Guarantees
//
//   - Poll and Send never block. Memory is bounded by limits on connections in total and per address, streams, headers and
//     waiting datagrams. A connection has one session and ends with it. A connection that starts no session is closed. When
//     a quarter of the places is taken, new connections must first prove their address.
//   - Pages connect under the same rules as for WebSocket: the listener checks origin and host before a session starts.
//   - A closed connection looks like silence, as with UDP.
//   - QUIC allocates about 1 kB per datagram. Use this transport for browsers, not for thousands of native clients.
package webtransport
