// Package netcode is the netcode 1.02 session standard: encrypted, authenticated sessions of payloads over UDP,
// admitted by connect tokens that a login service hands out. Other implementations of the standard can be put
// on either side.
//
// A [Server] and a [Client] are state machines without sockets, goroutines or clocks: datagrams go in with the
// time of their arrival, and come out through a function. Program examples/echo puts both on a net.UDPConn.
//
// # Index of tasks
//
// Admit players:
//
//   - Make the secret that login service and servers share: [GenerateKey], [ParseKey].
//   - Hand out a token: [TokenConfig.Issue], [ConnectToken.Append]. Read one: [ParseToken].
//   - Tell servers about a player, out of sight of the player: [TokenConfig.UserData], [Peer.UserData].
//
// Serve:
//
//   - Configure: [ServerConfig]. Make one: [NewServer].
//   - Feed it: [Server.Receive] with every datagram, [Server.Update] at 10 Hz or more often.
//   - Learn who comes, what arrives, who goes: [ServerHandler].
//   - Send: [Peer.Send]. To all: range over [Server.Peers]. Throw out: [Peer.Disconnect].
//   - Follow a client to another address: [Server.Find], [Peer.SendTo], [Server.Rebind].
//   - Let a client that lost its session come back at once: [ServerConfig.Takeover].
//   - Tell a client why the server ends its session: [Farewell].
//   - Stop: [Server.StopAccepting], [Server.Close]. End one session as if the client had died: [Peer.Forget].
//
// Connect:
//
//   - [NewClient], [Client.Receive], [Client.Update], [Client.Send], [Client.Disconnect], [Client.Forget],
//     [ClientHandler]. Thousands in one process: [Client.Share].
//   - Understand an end: errors.Is with [ErrDenied], [ErrTimeout], [ErrTokenExpired], [ErrDisconnected]; on a
//     server also [ErrReplaced], [ErrFlood].
//
// Measure:
//
//   - What was thrown away and why: [Server.Drops], [Client.Drops], [DropReason]. Printed, they have names.
//   - Whose token was refused: [Server.Receive] returns a reason of which [DropReason.RefusesToken] is true. Clients are
//     not to learn it.
//
// # What holds
//
//   - Payloads arrive at most once, unchanged, from who has the key; in any order, or not at all.
//   - What comes from the wire is bounded before it is used; the cheapest test comes first. Nothing that fails a
//     test changes anything but a counter and, for strangers, allowances.
//   - No answer is longer than what it answers.
//   - A flood of requests from forged addresses takes no session, slot or packet from anybody, and costs a bounded
//     number of decryptions, whatever it consists of: [ServerConfig.RequestsPerSecond] for one address, and
//     [ServerConfig.TokensPerSecond] for all. Who connects meanwhile may have to ask more than once. But somebody who
//     sees a request on its way, and is there first from another address, keeps its client out by going on so.
//   - A session that floods costs no decryption beyond its rate, and ends after two seconds of that:
//     [ServerConfig.PacketsPerSecond].
//   - Who burns tokens takes no room from other networks: [ServerConfig.MaxUsedPerNetwork]. No token is remembered for
//     longer than [ServerConfig.MaxLifetime].
//   - A session stays at its address, until the caller lets it go on at another one. Looking for the session of a
//     datagram from a new address is bounded as well: [Server.Find].
//   - A client id has one session. Where [ServerConfig.Takeover] is set, a newer token ends it, once its owner has
//     answered the challenge: the end of the one is reported before the beginning of the other.
//   - Memory is bounded: about 100 kB a server, 1 kB a slot, 1 kB a half-open handshake, 100 B a used token that has
//     not expired.
//   - The clock may be set: sessions, handshakes and allowances go on. Tokens go by the time of day.
//   - Sending and receiving on a session allocate nothing.
//   - Time and randomness come from the caller: equal calls give equal results.
//   - Keys are not printed by any verb of package fmt, nor by log/slog.
//
// # Stricter than the standard asks
//
//   - A token that has been given a slot is burnt until it expires, also for the address that used it: two
//     sessions on one token would use the same nonces under the same keys. Only a network that burns thousands has
//     its earliest forgotten.
//   - A token that expires in more than 65 minutes is not taken: [ServerConfig.MaxLifetime].
//   - The sequences of both ends begin at a place that depends on how long the token has left, instead of at zero:
//     after a server was restarted and forgot what is burnt, on the next server of the same token, and by another
//     client of it, no nonce is repeated, as long as no end sends more than 1,000 packets a second on average. They begin by
//     the time of day and never at random, since a session of the token that began lower than one before would take what
//     was recorded of that. It costs two bytes a packet in the first seconds, and one in the first minutes. A client
//     whose clock is wrong begins elsewhere: more than an hour slow at zero, as the standard says, and fast higher.
//     Challenges and denials have sequences of their own, from a random place above 1<<63.
//   - The packets of a session begin with the response on a server, and on a client with the keep-alive that tells of
//     the slot: lower sequence numbers are of an earlier session, or were meant for another server of the token.
//   - A token that was seen before is recognized before it is decrypted, by its last 16 bytes.
//   - A challenge counts for the address, the client and the handshake that it was made for only.
//   - A token serves one [Client]. Another one that comes with it later, to a server that has forgotten it, is served;
//     both at once would repeat nonces.
package netcode
