// Package netcode implements the netcode 1.02 standard: encrypted and authenticated sessions over UDP. A login service
// issues connect tokens, which admit clients. Either side can be another implementation of the standard.
//
// [Server] and [Client] are state machines without sockets, goroutines or clocks. The caller passes in each datagram with
// its time of arrival; outgoing datagrams are passed to a function.
//
// # Index of tasks
//
// Admit players:
//
//   - Create the secret shared by login service and servers: [GenerateKey], [ParseKey].
//   - Issue a token: [TokenConfig.Issue], [ConnectToken.Append]. Read a token: [ParseToken].
//   - Pass data about a player to servers, hidden from the player: [TokenConfig.UserData], [Peer.UserData].
//
// Serve:
//
//   - Configure and create a server: [ServerConfig], [NewServer].
//   - Run it: call [Server.Receive] with every datagram, and [Server.Update] at least ten times per second.
//   - Handle connections, payloads and disconnections: [ServerHandler].
//   - Send: [Peer.Send]. Send to all: range over [Server.Peers]. Remove a client: [Peer.Disconnect].
//   - Follow a client to a new address: [Server.Find], [Peer.SendTo], [Server.Rebind].
//   - Let a client that lost its session reconnect immediately: [ServerConfig.Takeover].
//   - Send a client the reason before its session ends: [Farewell].
//   - Stop: [Server.StopAccepting], [Server.Close]. Drop a session without notifying its client: [Peer.Forget].
//
// Connect:
//
//   - [NewClient], [Client.Receive], [Client.Update], [Client.Send], [Client.Disconnect], [Client.Forget],
//     [ClientHandler]. Thousands in one process: [Client.Share].
//   - Distinguish the reasons for an end: errors.Is with [ErrDenied], [ErrTimeout], [ErrTokenExpired], [ErrDisconnected],
//     and on a server also [ErrReplaced], [ErrFlood].
//
// Measure:
//
//   - Count dropped datagrams by reason: [Server.Drops], [Client.Drops], [DropReason].
//   - Log refused tokens: [Server.Receive] returns a reason whose [DropReason.RefusesToken] is true. Do not send the reason
//     to clients.
//
// # Guarantees
//
//   - A payload arrives at most once, unchanged, and only from a sender with the key. Payloads may be reordered or lost.
//   - Every field is checked before use, cheapest check first. A datagram that fails a check changes only a counter and,
//     for requests and responses, rate limits.
//   - An answer is never longer than its request.
//   - A flood of requests from forged addresses affects no existing session, and costs a bounded number of decryptions:
//     [ServerConfig.RequestsPerSecond] per address, [ServerConfig.TokensPerSecond] in total. Connecting clients may have to
//     repeat their requests. One attack remains: an attacker who reads a client's request and delivers it first from
//     another address keeps the client out for as long as the attack lasts.
//   - A session that sends too much costs no decryptions above its rate and ends after two seconds:
//     [ServerConfig.PacketsPerSecond].
//   - A network that uses up tokens takes no room from other networks: [ServerConfig.MaxUsedPerNetwork]. The server
//     remembers no token for longer than [ServerConfig.MaxLifetime].
//   - A session keeps its address until the caller moves it. The search for the session of a datagram from a new address is
//     bounded: [Server.Find].
//   - A client id has at most one session. With [ServerConfig.Takeover], a newer token ends the old session once the client
//     has answered the challenge. The old session's end is reported before the new session's beginning.
//   - Memory is bounded: about 100 kB per server, 1 kB per slot, 1 kB per half-open handshake, 100 B per used token until
//     it expires.
//   - Sessions, handshakes and rate limits survive a change of the system clock. Tokens depend on the time of day.
//   - Sending and receiving in a session allocate nothing.
//   - The caller provides time and random bytes: equal calls give equal results.
//   - No verb of package fmt and no log/slog handler prints a key.
//
// # Stricter than the standard
//
//   - A token that got a slot cannot be used again until it expires, not even from the same address: two sessions with one
//     token would use the same nonces under the same keys. The exception is a network with thousands of used tokens, which
//     loses its earliest entries.
//   - A token that expires in more than 65 minutes is refused: [ServerConfig.MaxLifetime].
//   - The first sequence number of both sides depends on the remaining lifetime of the token instead of being zero.
//     Therefore no nonce repeats when a restarted server has forgotten used tokens, when the next server of the token is
//     tried, or when another client uses the token, if both sides send at most 1,000 packets per second on average. The
//     first number comes from the time of day and is never random: a session that began below an earlier session of its
//     token would accept recordings of the earlier one. This costs two bytes per packet in the first seconds and one byte
//     in the first minutes. A client whose clock is more than an hour slow begins at zero, as in the standard; a client
//     whose clock is fast begins higher. Challenges and denials have their own sequence numbers, from a random start above
//     1<<63.
//   - A session's packets begin with the response on a server, and with the first keep-alive on a client. Packets with
//     lower sequence numbers belong to an earlier session or to another server of the token.
//   - A known token is recognized by its last 16 bytes, before decryption.
//   - A challenge is valid only for the address, client and handshake for which it was created.
//   - A token serves one [Client]. A server that has forgotten the token also accepts a later client with it; two clients
//     at the same time would reuse nonces.
package netcode
