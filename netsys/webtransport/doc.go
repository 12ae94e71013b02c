// Package webtransport is a wire over WebTransport: datagrams of QUIC, for browsers and for native clients. It is a module
// of its own: who does without it carries no QUIC.
//
// A message is a datagram, exactly what UDP would carry, so that sessions run on it unchanged. Unlike WebSocket, what was
// lost on the way holds nothing up: the next datagram is delivered when it arrives. What a peer sends is encrypted twice, by
// QUIC and by the session.
//
// # Index of tasks
//
//   - See it whole: examples/webtransport is the arena with a page that takes what passes.
//   - Serve: [Listen]; beside UDP or WebSocket, for one server: [Listener.Beside]. A server of rooms takes both as they are.
//   - Serve on your own machine, or without a certificate of an authority: [DevelopmentCertificate]; the page is told its hash,
//     [Listener.CertificateHashes].
//   - Connect: [DialConfig.Dial]; go by WebSocket where WebTransport does not pass: [DialConfig].WebSocket. Both also in Go's
//     js build.
//   - Name a peer in a log or a ban: [Listener.PeerAddr]. See what peers do wrong: [Listener.Stats].
//   - Bound what they may do: [Config].
//   - Compare it with WebSocket over a bad link: go -C netsys/webtransport run ./bench; in a browser: with -clients page.
//
// # What holds
//
//   - Poll and Send never block. Memory is bounded: connections in all and for each address, streams, headers, datagrams that
//     wait. A connection has one session, and ends with it; who begins none loses its place. Where a quarter of the places are
//     taken, who comes has to show first that it is at its address.
//   - Pages connect under the rules that hold for WebSocket: origin and host are checked before a session begins.
//   - A connection that has ended is silence, as it is on UDP.
//   - QUIC allocates for each datagram, some 1 kB; this is a wire for browsers, not for thousands of native clients.
package webtransport
