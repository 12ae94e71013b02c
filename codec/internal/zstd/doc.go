// Package zstd compresses and decompresses single blocks of Zstandard (RFC 8878) without the headers, which both sides
// know, and decompresses frames. Comments cite the sections of the RFC.
//
//   - Decompress a block, as every client does, or a frame, as a recording has them: [Decoder].
//   - Compress a block, as servers do: [Encoder], with a library. Programs for browsers include it only with the build tag
//     tactus_zstd, because most of them are clients.
package zstd
