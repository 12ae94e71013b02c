// Package sessions tracks which clients are connected, which players have a reserved seat, and which have left.
//
//   - Number the sessions of players and admit clients: [Roster.Number], [Roster.Enter].
//   - Remove a client and reserve its seat if it may return: [Roster.Leave],
//     [Reservation]. Players who have left for good: [Roster.Gone].
//   - Send packets: [Roster.Send]. Send notices: the Notices of a [Client].
//   - Limit the messages that a client can make the server read: [Roster.Read], [Roster.Deliver],
//     [Roster.Refuse]. Counters: [Stats].
//   - Drop clients that acknowledge nothing: [Client.Acked], [Roster.Polled].
//
// The package reads sessions. It writes packets, closes sessions and logs. Other packages keep their own data of
// a client, for the same time.
package sessions
