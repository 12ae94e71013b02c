// Starts the client. connect.json, which web.Dist in server/main.go serves, has the address of the game. ?name=Ann in the
// page's address is the name of the player.
const status = document.getElementById("status");

async function start() {
  const { websocket } = await (await fetch("connect.json", { cache: "no-store" })).json();
  const go = new Go();
  go.argv = ["page", "-connect", websocket, "-name", new URLSearchParams(location.search).get("name") || "guest"];
  const game = await WebAssembly.instantiateStreaming(fetch("game.wasm"), go.importObject);
  status.textContent = "";
  await go.run(game.instance);
}

start().catch((error) => {
  console.error(error);
  status.textContent = "The game does not load. Check your network, and reload the page.";
});
