// Package serve runs a process with rooms from its main function, and stops it without cutting a match short.
//
//   - Serve until a signal: [Run]. The first SIGTERM or interrupt drains the process, the second ends it immediately.
//   - Limit the time of a drain: [Config].Deadline.
//   - Save the rooms at the first signal, for the next process: [Config].Saved.
//   - Run HTTP or a cluster agent beside the rooms until they have ended: [Config].Beside.
//   - Give operators a command that lists, describes, copies and restores saves: [Saves].
//
// # A drain
//
// A process that drains refuses new players with rooms.ErrDraining; a fleet sends them to other processes. Players with a seat may
// reconnect. Each room calls [rooms.Hooks].Draining and continues until it is empty. When all rooms have ended, Run returns nil.
package serve
