// Package sessions is who is here, who is waited for, and who has left.
//
//   - Number the sessions of players, and let clients in: [Roster.Number], [Roster.Enter].
//   - Let go of a client, and keep its place where it may come back: [Roster.Leave],
//     [Reservation]; who is gone for good, [Roster.Gone].
//   - Bound what a client may make the server read: [Roster.Read], [Roster.Hear],
//     [Roster.Refuse], [Roster.Flooded].
//   - Drop who acknowledges nothing: [Client.Sent], [Client.Acked], [Roster.Polled].
//
// The room reads sessions and writes nothing but the log and goodbyes. What else is kept of
// a client lies with the room that it concerns, which begins and ends with it as this one does.
package sessions
