// Gets a seat in the room whose code is in the page's address, or in an open one, and starts the client. ?name=Ann in the page's
// address is the name of the player. With ?watch the page shows that room to a spectator, or the one with the most players.
const query = new URLSearchParams(location.search), watch = query.has("watch");
query.delete("watch");
const status = document.getElementById("status");
const invite = document.getElementById("invite");

// kept is what a reload keeps. A sandboxed frame has no storage.
let kept = {};
try {
  kept = sessionStorage;
} catch {}

// ask sends a request about rooms. body is null for a question.
function ask(path, body) {
  kept.player ??= 1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1));
  const headers = { "Content-Type": "application/json", Player: kept.player };
  return fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
}

// crowded returns the id of the room with the most players, undefined if there is no room.
async function crowded() {
  const { rooms } = await (await ask("rooms?kind=game&limit=100", null)).json();
  return rooms.sort((a, b) => b.capacity - b.free - (a.capacity - a.free))[0]?.id;
}

// play returns a link to a room in which this tab plays.
function play(text, code) {
  return Object.assign(document.createElement("a"), { href: `${location.pathname}?${query}${code}`, textContent: text });
}

async function start() {
  const code = location.hash.slice(1);
  const [last, id] = (kept.room ?? "").split(" ");
  const room = code && code === last ? id : code || (watch ? await crowded() : ""); // after a restart of the server, only the id leads to a saved room
  if (watch && !room) return status.replaceChildren("Nobody plays now. ", play("Play", ""));
  const answer = await (room ? ask(`rooms/${encodeURIComponent(room)}/${watch ? "spectate" : "join"}`, {}) : ask("rooms/join", { kind: "game" }));
  const seat = await answer.json();
  if (!answer.ok) return status.replaceChildren(`${seat.message} `, play("Play in another room", ""));
  kept.room = `${seat.code} ${seat.room}`;
  history.replaceState(null, "", `${location.pathname}${location.search}#${seat.code}`);
  if (watch) invite.replaceWith("You are watching. ", play("Play", `#${seat.code}`));
  invite.href = `${location.pathname}#${seat.code}`;
  invite.textContent = `Invite: ${seat.code}`;
  invite.onclick = (event) => {
    event.preventDefault();
    navigator.clipboard.writeText(invite.href).then(() => { invite.textContent = "Link copied"; }, () => prompt("The link to this room:", invite.href));
  };
  const websocket = seat.endpoints.ws || (await (await fetch("connect.json", { cache: "no-store" })).json()).websocket;
  const go = new Go();
  go.argv = ["page", "-connect", websocket, "-token", seat.token, "-name", query.get("name") || "guest", ...(watch ? ["-spectate"] : [])];
  const game = await WebAssembly.instantiateStreaming(fetch("game.wasm"), go.importObject);
  status.textContent = "";
  await go.run(game.instance);
}

start().catch((error) => {
  console.error(error);
  status.textContent = "The game does not load. Check your network, and reload the page.";
});
