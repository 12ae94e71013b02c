// Package agones tells Agones, which runs game servers in Kubernetes, how a process with rooms is.
//
//   - Beside a server: [Run]. Where there is no Agones it does nothing, so the same program runs everywhere.
//   - Learn where players reach the process, for rooms.Config.Addresses: [Addresses].
//   - Write the manifests: the names of counters and lists are [Rooms] and [Players], the label that drains is [Drain].
//     examples/fleet/deploy has a Fleet, a FleetAutoscaler and a container file.
//
// It speaks to the SDK server beside the process, over HTTP on loopback, at the port that AGONES_SDK_HTTP_PORT names.
//
// # What it says
//
// Ready at first, Allocate while somebody has a seat or the process drains, Ready again when all seats are free, Shutdown
// when it has drained or ends. So scaling down takes processes without players. Health every 2 s. The counters say how many
// rooms there are and how many seats are taken, and the lists which rooms and players that are.
//
// # What it hears
//
// Every 5 s it asks for the state of the GameServer. With the label or annotation [Drain], which a Fleet puts on the
// processes that it has too many of (allocationOverflow: those of an older version, too), the process drains.
//
// This was tested against a stand-in that was written from the OpenAPI description of Agones 1.57, not against Agones.
package agones
