// play is a bot of the arena in C: it joins, walks, shoots at near players, and draws the arena in the terminal. See -h. A game
// replaces think() by the player's keys and draw() by its own drawing.

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "tactus.h"

static const char *const help =
    "usage: play [-for SECONDS] [-lines] [-name NAME] [-player NUMBER] [-token FILE] [-wait MS] [HOST:PORT]\n"
    "\n"
    "Plays the arena by itself, on the server at HOST:PORT (127.0.0.1:7777): go run ./examples/arena\n"
    "\n"
    "  -for SECONDS    leave after so long; without it play until Ctrl-C\n"
    "  -lines          tell in lines, one a second, in place of a map\n"
    "  -name NAME      what others call this player, up to 16 bytes\n"
    "  -player NUMBER  who this is, where there is no token: the same number comes back as the same player\n"
    "  -token FILE     a connect token of the login service; without HOST:PORT its addresses are tried\n"
    "  -wait MS        how long it may take to be let in, in milliseconds\n";

enum { width = 78, height = 22 };            // of the map, in characters
enum { across = 1040, down = height * 1040 / width * 2 }; // in units; a character is twice as high as wide

// The options of the command line.
typedef struct wishes {
  const char *server, *token, *name;
  double seconds;
  bool lines;
  uint64_t player;
  uint32_t wait;
} wishes;

// The state of this player.
typedef struct self {
  bool seen, down;
  arena_Position at, last;
  double moved;
  int health, kills, shots, hits;
  uint8_t fired, judged; // the newest numbers of shots
} self;

static volatile sig_atomic_t stopped;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

// have returns a column of a table, or NULL if its rows lack the component.
#define have(table, component) ((const arena_##component *)(table)->columns[arena_column_##component])

// look finds this player's own row and updates its state.
static void look(const tactus_view *view, self *me) {
  const arena_Stats *stats = (const arena_Stats *)view->stats;
  me->seen = false;
  for (uint32_t i = 0; i < view->tables; i++) {
    const tactus_table *t = &view->table[i];
    const arena_Owner *owner = have(t, Owner);
    const arena_Position *at = have(t, Position);
    const arena_Fighter *is = have(t, Fighter);
    if (!owner || !at || !is) continue;
    for (uint32_t r = 0; r < t->rows; r++) {
      if (stats->Client == 0 || owner[r].Client != stats->Client) continue;
      const bool first = me->last.X == 0 && me->last.Y == 0;
      me->seen = true;
      me->last = first ? at[r] : me->at;
      me->at = at[r];
      const double step = hypot(me->at.X - me->last.X, me->at.Y - me->last.Y);
      if (step < 50) me->moved += step; // longer steps are respawns
      me->down = is[r].Down;
      me->shots += first ? 0 : (uint8_t)(is[r].Shots - me->fired);
      me->fired = is[r].Shots;
      if (have(t, Health)) me->health = have(t, Health)[r].Points;
      if (have(t, Player)) me->kills = have(t, Player)[r].Kills;
      const arena_Verdict *verdict = have(t, Verdict);
      if (verdict && verdict[r].Tick != 0 && verdict[r].Shot != me->judged) {
        me->hits += verdict[r].Whom != 0;
        me->judged = verdict[r].Shot;
      }
    }
  }
}

// think returns the input: aim at the nearest player, shoot if that player is close, and walk there in curves.
static arena_Action think(const tactus_view *view, const self *me, double now) {
  arena_Action in = {0};
  double nearest = 1e9, dx = 1, dy = 0;
  for (uint32_t i = 0; i < view->tables; i++) {
    const tactus_table *t = &view->table[i];
    const arena_Owner *owner = have(t, Owner);
    const arena_Position *at = have(t, Position);
    const arena_Fighter *is = have(t, Fighter);
    if (!at || !is) continue;
    for (uint32_t r = 0; r < t->rows; r++) {
      const double x = at[r].X - me->at.X, y = at[r].Y - me->at.Y, far = hypot(x, y);
      if (is[r].Down || far >= nearest || (owner && owner[r].Client == ((const arena_Stats *)view->stats)->Client)) continue;
      nearest = far, dx = x, dy = y;
    }
  }
  const double pi = 3.14159265358979323846, aim = atan2(dy, dx), walk = aim + (nearest < 150 ? pi / 2 : sin(now));
  in.Aim = (uint16_t)(int32_t)lround(aim / (2 * pi) * 65536);
  if (cos(walk) > 0.4) in.Buttons |= arena_Buttons_Right;
  if (cos(walk) < -0.4) in.Buttons |= arena_Buttons_Left;
  if (sin(walk) > 0.4) in.Buttons |= arena_Buttons_Down;
  if (sin(walk) < -0.4) in.Buttons |= arena_Buttons_Up;
  if (nearest < 450) in.Buttons |= arena_Buttons_Fire;
  return in;
}

// draw draws the surroundings of this player over the previous frame.
static void draw(const tactus_view *view, const self *me) {
  char map[height][width + 1];
  memset(map, ' ', sizeof map);
  for (uint32_t i = 0; i < view->tables; i++) {
    const tactus_table *t = &view->table[i];
    const arena_Position *at = have(t, Position);
    const arena_Fighter *is = have(t, Fighter);
    if (!at || !is) continue;
    for (uint32_t r = 0; r < t->rows; r++) {
      const int x = (int)floor((at[r].X - me->at.X + across / 2) * width / across), y = (int)floor((at[r].Y - me->at.Y + down / 2) * height / down);
      if (x >= 0 && x < width && y >= 0 && y < height) map[y][x] = is[r].Down ? '.' : have(t, Player) ? 'P' : 'o';
    }
  }
  map[height / 2][width / 2] = me->down ? '.' : '@';
  printf("\033[H");
  for (int y = 0; y < height; y++) printf("%.*s\033[K\n", width, map[y]);
}

// hear prints chat lines and deaths.
static void hear(const tactus_view *view) {
  for (uint32_t i = 0; i < view->news_count; i++) {
    const tactus_news *n = &view->news[i];
    if (n->kind != TACTUS_MESSAGE || n->which != arena_message_Said || n->size != sizeof(arena_Said)) continue;
    const arena_Said *said = (const arena_Said *)(view->values + n->at);
    printf("%.*s: %.*s\033[K\n", (int)said->Name.length, said->Name.items, (int)said->Text.length, said->Text.items);
  }
}

static void status(const tactus_view *view, const self *me) {
  const arena_Stats *s = (const arena_Stats *)view->stats;
  printf("tick %.0f  at %.0f %.0f  health %d  %.0f entities  %d shots  %d hits  %d kills  %.0f ms to the server", s->Tick, me->at.X, me->at.Y, me->health, s->Rows, me->shots, me->hits, me->kills, s->RTT);
}

// play plays until the end of the session. It returns the exit code of the program.
static int play(tactus_client client, const wishes *w) {
  const bool map = !w->lines && isatty(STDOUT_FILENO);
  self me = {0};
  bool named = false;
  const int64_t start = tactus_now();
  int64_t told = 0;
  double client_id = 0, rows = 0;
  if (map) printf("\033[2J");
  for (int64_t now = start; !stopped && tactus_end(client) == TACTUS_GOING; now = tactus_now()) {
    if (w->seconds > 0 && (double)(now - start) > w->seconds * 1e9) break;
    if (tactus_advance(client, now) < 0) break;
    const tactus_view *view = tactus_frame(client, now);
    if (!view) break;
    const arena_Stats *stats = (const arena_Stats *)view->stats;
    client_id = stats->Client, rows = stats->Rows;
    look(view, &me);
    if (stats->Joined != 0 && !named && w->name) {
      arena_Rename name = {0};
      name.Name.length = (uint8_t)strlen(w->name);
      memcpy(name.Name.items, w->name, name.Name.length);
      named = tactus_command(client, arena_send_Rename, &name, sizeof name) == 0;
    }
    if (map && me.seen) draw(view, &me);
    hear(view);
    if (map ? me.seen : now - told >= 1000000000) {
      status(view, &me);
      printf(map ? "\033[K\r" : "\n");
      fflush(stdout);
      told = now;
    }
    if (me.seen) {
      // The pointers of this frame are no longer needed, so other calls are allowed.
      const arena_Action input = think(view, &me, (double)(now - start) / 1e9);
      if (tactus_set_input(client, &input, sizeof input) != 0) break;
    }
    nanosleep(&(struct timespec){0, 1000000000 / 60}, NULL);
  }
  const int32_t reason = tactus_end(client);
  if (reason != TACTUS_GOING) {
    fprintf(stderr, "\nplay: the session is over (reason %d): %s\n", reason, tactus_text(client));
    return 1;
  }
  printf("\nplayed as client %.0f: saw %.0f entities, moved %.0f units, %d shots, %d hits, %d kills\n", client_id, rows, me.moved, me.shots, me.hits, me.kills);
  return 0;
}

// read_token reads a token of 2,048 bytes from a file.
static uint8_t *read_token(const char *path, size_t *size) {
  static uint8_t token[4096];
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return NULL;
  }
  *size = fread(token, 1, sizeof token, file);
  fclose(file);
  return token;
}

// read_wishes parses the command line. It returns whether it is valid.
static bool read_wishes(int n, char **args, wishes *w) {
  for (int i = 1; i < n; i++) {
    const char *name = args[i], *value = i + 1 < n ? args[i + 1] : NULL;
    if (strcmp(name, "-lines") == 0) {
      w->lines = true;
    } else if (name[0] != '-') {
      if (w->server) return false;
      w->server = name;
    } else if (!value) {
      return false;
    } else {
      char *end = NULL;
      if (strcmp(name, "-for") == 0) w->seconds = strtod(value, &end);
      else if (strcmp(name, "-player") == 0) w->player = strtoull(value, &end, 10);
      else if (strcmp(name, "-wait") == 0) w->wait = (uint32_t)strtoul(value, &end, 10);
      else if (strcmp(name, "-name") == 0 && strlen(value) <= sizeof((arena_Rename *)0)->Name.items) w->name = value;
      else if (strcmp(name, "-token") == 0) w->token = value;
      else return false;
      if (end && (end == value || *end)) return false;
      i++;
    }
  }
  if (!w->server && !w->token) w->server = "127.0.0.1:7777";
  return true;
}

int main(int n, char **args) {
  wishes w = {0};
  if (n == 2 && strcmp(args[1], "-h") == 0) {
    fputs(help, stdout);
    return 0;
  }
  if (!read_wishes(n, args, &w)) {
    fputs(help, stderr);
    return 2;
  }
  // Bindings of another protocol would read wrong fields.
  char why[4096];
  if (!arena_check(tactus_lines(), why, sizeof why)) {
    fprintf(stderr, "play: %s\n", why);
    return 1;
  }
  tactus_options options = {.size = sizeof options, .server = w.server, .player = w.player, .connect_millis = w.wait};
  if (w.token && !(options.token = read_token(w.token, &options.token_size))) return 1;
  tactus_failure failure;
  const tactus_client client = tactus_open(&options, &failure);
  if (client == 0) {
    fprintf(stderr, "play: %s (reason %d)\n", failure.text, failure.reason);
    return 1;
  }
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  const int code = play(client, &w);
  tactus_close(client);
  return code;
}
