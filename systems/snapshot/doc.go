// Package snapshot is the system Snapshot: it turns the world into packets, one state a send
// and client, of which each is told what it does not hold.
//
//   - Make it, and who is told: [New], [System.Add], [System.Remove].
//   - A send: [System.Run] captures the world and, for each client, settles what it may see
//     (visible.go), takes its own state (own.go), lays all of it out in datagrams (draft.go,
//     pack.go), where not all fits by priority (contest.go), and writes them (client.go). A
//     client that is new joins with the state of one send (join.go).
//   - Clients are laid out on workers, each in the draft of its worker; what they have in common
//     stands in shared.go and blocks.go, and nothing depends on how many workers there are.
//   - What is sent: [Client.Packets], [Client.Sent]; what arrived: [System.Acked].
//   - What a client knows, for looking: [System.Knowledge].
//
// It reads the world at each send, what clients have acknowledged (package baseline) and, by
// [Peer], how far their inputs are. It writes packets, and the accounts of their bytes
// (package traffic). It changes nothing in the world.
package snapshot
