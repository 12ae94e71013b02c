// Package agones connects a process with rooms to Agones, which runs game servers in Kubernetes.
//
//   - Connect a server: [Run]. Without Agones it does nothing, so the same program runs everywhere.
//   - Get the public addresses of the process, for rooms.Config.Addresses: [Addresses].
//   - Write the manifests: the names of the counters are [Rooms] and [Players], the label that drains is [Drain].
//     examples/more/fleet/deploy has a Fleet, a FleetAutoscaler and a container file.
//
// It calls the SDK server beside the process by HTTP on loopback, at the port in AGONES_SDK_HTTP_PORT.
//
// # What it reports
//
// The state is Ready while all seats are free, Allocated while a player has a seat or the process drains, and Shutdown when the process
// has drained or ends. So scaling down removes processes without players. Health is reported every 2 s. The counters have the
// numbers of rooms and of seats that are not free.
//
// # What drains the process
//
// Every 5 s it asks for the GameServer. The process drains if that has the label or annotation [Drain]. A Fleet sets it on surplus and
// outdated processes (allocationOverflow).
//
// The package was tested against a stand-in written from the OpenAPI description of Agones 1.57, not against Agones.
package agones
