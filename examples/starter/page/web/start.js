// Gets a seat in the room whose code is in the page's address, or in an open one, and starts the client. ?name=Ann in the page's
// address is the name of the player.
const status = document.getElementById("status");
const invite = document.getElementById("invite");

// player returns the number of this tab's player, which a reload keeps.
function player() {
  const number = sessionStorage.getItem("player") ?? String(1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1)));
  sessionStorage.setItem("player", number);
  return number;
}

async function start() {
  const code = location.hash.slice(1);
  const [kept, id] = (sessionStorage.getItem("room") ?? "").split(" ");
  const room = code && code === kept ? id : code; // after a restart of the server, only the id leads to a saved room
  const answer = await fetch(room ? `rooms/${encodeURIComponent(room)}/join` : "rooms/join", {
    method: "POST",
    headers: { "Content-Type": "application/json", Player: player() },
    body: JSON.stringify(room ? {} : { kind: "game" }),
  });
  const seat = await answer.json();
  if (!answer.ok) {
    status.replaceChildren(`${seat.message} `, Object.assign(document.createElement("a"), { href: location.pathname + location.search, textContent: "Play in another room" }));
    return;
  }
  sessionStorage.setItem("room", `${seat.code} ${seat.room}`);
  history.replaceState(null, "", `${location.pathname}${location.search}#${seat.code}`);
  invite.href = `${location.pathname}#${seat.code}`;
  invite.textContent = `Invite: ${seat.code}`;
  invite.onclick = (event) => {
    event.preventDefault();
    navigator.clipboard.writeText(invite.href).then(() => { invite.textContent = "Link copied"; }, () => prompt("The link to this room:", invite.href));
  };
  const websocket = seat.endpoints.ws || (await (await fetch("connect.json", { cache: "no-store" })).json()).websocket;
  const go = new Go();
  go.argv = ["page", "-connect", websocket, "-token", seat.token, "-name", new URLSearchParams(location.search).get("name") || "guest"];
  const game = await WebAssembly.instantiateStreaming(fetch("game.wasm"), go.importObject);
  status.textContent = "";
  await go.run(game.instance);
}

start().catch((error) => {
  console.error(error);
  status.textContent = "The game does not load. Check your network, and reload the page.";
});
