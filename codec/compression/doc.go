// Package compression compresses whole byte slices to zstd frames (RFC 8878) with checksums, for files and stores: [Compress],
// [Decompress].
package compression
