// Package ownership is components that clients write, at both ends: which client may write
// which of them, what it wrote, and what the game makes of that.
//
//   - Which components clients write, and whether they can travel: [Components], [Check].
//   - Who may write those of an entity, where that is not its owner: [Grants], a resource of
//     the server's world.
//   - The server takes values out of packets, asks the game and writes what stands:
//     [Server.TakePrefix], [Server.Decide], [Server.Restore]; what it keeps of one client is
//     [Values], from [Server.Join] to [Server.Leave].
//   - It tells of what it refused and granted: [Server.Tell].
//   - The client keeps what it wrote from being overwritten, [Client.Keeps], and sends it until
//     the server has it: [Client.AppendPrefix], [Client.Acked].
//   - The client hears of refusals and grants: [Client.Revert], [Client.Entitle].
//
// Values travel in front of the inputs of a packet. The room reads and writes components of
// worlds and queues notices; it knows nothing of inputs and snapshots.
package ownership
