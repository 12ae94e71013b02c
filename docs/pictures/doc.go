// Package pictures has the pictures of the documents, and no code. Those of worlds are made by bots that play in a window, and
// beside which a browser plays; it needs what Ebitengine needs, xvfb-run, npm and Chromium:
//
//	go -C docs/pictures generate -run custom
//
// bodies.jpg is a screenshot of the page of examples/bodies, at 1280 by 800.
package pictures

//go:generate xvfb-run -a go -C ../../examples/play run . arena -auto -name Ada -seed 5 -bots 24 -npcs 150 -movie ../../docs/pictures/arena.gif
//go:generate xvfb-run -a go -C ../../examples/play run . arena -auto -name Ada -picture ../../docs/pictures/arena.png
//go:generate xvfb-run -a go -C ../../examples/play run . custom -auto -name Ada -picture ../../docs/pictures/custom.png
//go:generate xvfb-run -a go -C ../../examples/play run . duel -auto -name Ada -picture ../../docs/pictures/duel.png
//go:generate xvfb-run -a go -C ../../examples/play run . physics -auto -name Ada -picture ../../docs/pictures/physics.png
//go:generate xvfb-run -a go -C ../../examples/play run . platformer -auto -name Ada -picture ../../docs/pictures/platformer.png
//go:generate xvfb-run -a go -C ../../examples/play run . snake -auto -name Ada -picture ../../docs/pictures/snake.png
//go:generate xvfb-run -a go -C ../../examples/play run . snowball -auto -name Ada -picture ../../docs/pictures/snowball.png
//go:generate env THREE_PICTURES=../../docs/pictures xvfb-run -a go -C ../../examples/play test -vet=off -run TestThreePictures -timeout 20m .
