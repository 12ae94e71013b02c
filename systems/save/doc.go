// Package save stores the saves of servers in files.
//
//		data, err := server.Save()() // between two ticks
//		err = save.WriteFile("world.save", data)
//
//		data, err := save.ReadFile("world.save")
//		server, err := systems.NewServer(wire, protocol, systems.ServerConfig{Load: data})
//
//	  - Write and read a file: [WriteFile], [ReadFile].
//	  - Store saves elsewhere: [Compress], [Decompress].
//
// A file is a zstd frame with a checksum. The data are those of systems.Server.Save: the version of the format, the players,
// and the world with the names and kinds of its components, so that another version of the protocol can read it: see
// ecs.Netcode.Load.
package save
