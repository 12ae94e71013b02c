// Package scene has 250 asteroids that collide inside a sphere. examples/bodies shows them, and internal/bench/bodies measures
// the bytes that a client receives.
//
//   - Define the components and the physics: [Protocol]. Spawn the asteroids: [Populate].
//   - The components that clients receive: [Place], [Turn], [Size]. The state of the physics: [Body].
//
// The scene and its settings are those of UnityNetworkTransformBenchmark by KinematicSoup: 30 sends a second, a precision of 0.01
// for positions and 0.001 for rotations. See https://github.com/KinematicSoup/benchmarks, folder UnityNetworkTransformBenchmark,
// commit 5c354e8 of 2025-10-30. Its readme publishes these rates, measured by Wireshark over two minutes on one machine:
//
//	Reactor 1.1.0                   15 kB/s over TCP, 20 kB/s over UDP
//	PurrNet 1.14.0                 100 kB/s
//	FishNet 4.6.12R                103 kB/s
//	Photon Fusion 2.0.6            112 kB/s
//	Mirror 96.0.1                  122 kB/s
//	Netcode for GameObjects 2.4.4  185 kB/s
//
// In the original, PhysX computes the collisions of convex meshes. Here, spheres collide. Their radius is the mean distance of the
// meshes' corners from the center.
package scene
