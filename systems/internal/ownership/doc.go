// Package ownership implements components that clients write, on both ends: which client may write
// which component, the values that clients write, and the game's decisions about them.
//
//   - List the client-owned components, and check whether they can be sent: [Components], [Check].
//   - Allow another client than the owner to write the components of an entity: [Grants], a resource of
//     the server's world.
//   - The server reads values from packets, asks the game, and writes the accepted ones:
//     [Server.ReadPrefix], [Server.Decide], [Server.Restore]. The data of one client are its
//     [Values], from [Server.Join] to [Server.Leave].
//   - The server notifies clients of refusals and grants: [Server.QueueNotices].
//   - The client protects its values from being overwritten, [Client.Keeps], and sends them until
//     they are acknowledged: [Client.AppendPrefix], [Client.Acked].
//   - The client processes refusals and grants: [Client.Revert], [Client.ApplyGrant].
//
// Values precede the inputs in a packet. The package reads and writes components of
// worlds and queues notices. It does not use inputs or snapshots.
package ownership
