// Package travel implements tickets, by which a server sends a client to another room. It uses no
// room and no world.
//
//   - Encode and decode a ticket: [Ticket.Append], [ParseTicket].
//   - Follow a ticket while the current session continues: [Guide].
//   - Add up the counters of several rooms: [Sum].
//
// Received bytes are hostile until they are validated. Errors wrap [ErrTicket].
package travel
