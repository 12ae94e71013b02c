// Package serve runs a process with rooms from its main function, and stops it without cutting a match short.
//
//   - Serve until the process is told to stop: [Run]. The first SIGTERM or interrupt drains, the second ends at once.
//   - Say how long a drain may take: [Config].Deadline.
//   - Serve HTTP, a lobby or an agent of the cluster beside the rooms, until they have ended: [Config].Beside.
//
// # A drain
//
// Nobody gets a seat any more but who has one: joins are refused with rooms.ErrDraining, and in a fleet go to other
// processes, as this one says in the directory that it drains. Each room's game hears of it ([rooms.Hooks].Draining),
// and plays on until nobody has a seat. Then Run returns nil: a main that returns has exit code 0.
package serve
