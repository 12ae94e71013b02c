// Package travel implements tickets, by which a server sends a client to another room. It uses no
// room and no world.
//
//   - Encode a ticket, and send it to a client in parts, as notices: [Ticket.Append], [QueueTicket].
//   - Assemble and decode the parts: [Journey.AddPart], [ParseTicket].
//   - Follow a ticket while the current session continues: [Guide]. Limit how often: [Journey.Allow].
//   - Add up the counters of several rooms: [Sum].
//
// Received bytes are hostile until they are validated. Errors wrap [ErrTicket].
package travel
