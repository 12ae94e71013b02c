// Package passage decides, for each player on the way from one room to another, which of the two has what it carries: one
// of them, at any time. It knows no session, no world and no game.
//
//   - Write it down where both can read it, by compare-and-set: [Note]. Who may change it from what to what: [State].
//   - Lead players away: [List.Depart], and [List.Turn] until it is decided.
//   - Take in who comes: [Desk.Knock] when its token is shown, [Claim.Granted] when it is to be let in, [Desk.Enter] or
//     [Desk.Return] when that has come to an end.
//   - Do what may wait on none of the rooms' goroutines: [Errands].
package passage
