// Package save stores the saves of servers in files: see systems.Server.Save and the package example.
//
//   - Write and read a file: [WriteFile], [ReadFile]. Check in advance that it can be written: [CheckFile].
//   - Store saves elsewhere: package codec/compression compresses them, [Replace] replaces a file.
//
// A file is a zstd frame with a checksum. The data are those of systems.Server.Save: the version of the format, the players,
// and the world with the names and kinds of its components, so that another version of the protocol can read it: see
// ecs.Netcode.Load.
package save
