// Package headless runs an example world, server and clients in one process, and
// prints what happened as one JSON object. All example worlds share its flags
// and fields, so that worlds, models and versions can be compared.
//
//   - Describe a world: [World], [Bot].
//   - Flags: [Options.Register], [Options.Validate].
//   - Run it: [Run], on real sockets or, with -virtual, in virtual time.
//   - Run it with a live view: [NewReal], [NewVirtual], [Match].
//   - Record what snapshots tell, train on it, and play with that: -record, -trained.
//   - The result: [Report].
package headless
