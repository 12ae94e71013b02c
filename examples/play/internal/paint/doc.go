// Package paint draws with Ebitengine: shapes with smooth edges, text, flat worlds seen
// from above, and worlds with depth. It keeps no textures but letters, and a frame
// allocates nothing.
//
//   - In pixels, for what lies over the world: [Canvas].
//   - A flat world in its own units: [Plane], a camera that follows somebody or stands.
//   - A world with depth: [Space], boxes and balls in perspective.
//   - Colours that all worlds share: [Own], [Of], [White], [Glass].
package paint

import _ "github.com/tactusgo/tactus/examples/play/internal/screen" // before Ebitengine looks for it
