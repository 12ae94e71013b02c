// Package sessions is who is here, who is waited for, and who has left.
//
//   - Number the sessions of players, and let clients in: [Roster.Number], [Roster.Enter].
//   - Let go of a client, and keep its place where it may come back: [Roster.Leave],
//     [Reservation]; who is gone for good, [Roster.Gone].
//   - Send packets, and what clients are to be told of refusals: [Roster.Send],
//     [Roster.SendNotices].
//   - Bound what a client may make the server read: [Roster.Read], [Roster.Deliver],
//     [Roster.Refuse]; what came of that: [Stats].
//   - Drop who acknowledges nothing: [Client.Acked], [Roster.Polled].
//
// The room reads sessions and writes nothing but packets, goodbyes and the log. What else is kept of
// a client lies with the room that it concerns, which begins and ends with it as this one does.
package sessions
