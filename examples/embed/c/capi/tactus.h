// The client of a game made with Tactus, as a library for C11, C++11 and whatever calls C: version 1 of its interface.
//
// The library is the game's own client, without a window: it talks to the server over UDP, predicts, reconciles and
// interpolates, and a frame is memory to read. What the values mean is in the bindings of the game, a header that is
// generated from its protocol (arena.h); tactus.h knows no game.
//
//   tactus_failure why;
//   tactus_options options = {sizeof options};
//   options.server = "127.0.0.1:7777";
//   if (!arena_check(tactus_lines(), why.text, sizeof why.text)) return complain(why.text);
//   tactus_client client = tactus_open(&options, &why);
//   if (client == 0) return complain(why.text);
//   while (tactus_end(client) == TACTUS_GOING) {
//     tactus_set_input(client, &input, sizeof input);
//     tactus_advance(client, 0);
//     const tactus_view *view = tactus_frame(client, 0);
//     for (uint32_t t = 0; view && t < view->tables; t++) draw(&view->table[t]);
//   }
//   tactus_close(client);
//
// Threads. Any thread may call. Calls for one client wait for each other, but what they return does not: let one client
// be one thread's at a time. Clients have nothing in common, and can run beside each other.
//
// Memory. What a call for a client returns a pointer to is good until the next call for that client but tactus_text and
// tactus_end, and not after tactus_close. It does not move meanwhile. Only read it. What a call is given is copied.
// Numbers lie in the byte order of the machine. Strings end with a zero byte and are UTF-8.
//
// Errors. What returns an int32_t returns a number below 0 for an error, one of tactus_error; tactus_text has the words.
// NULL, other lengths, clients that are closed or never were, times that go back: all of that is an error, and nothing has
// happened then. A pointer that leads nowhere, or to less memory than its length says, is a crash, as in all of C.
//
// Times are of the day, in nanoseconds since 1970, as tactus_now has them; they do not go back. 0 is the present.

#ifndef TACTUS_H
#define TACTUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACTUS_ABI 1

// A client; 0 is none. Numbers of closed clients do not come again for a long time.
typedef uint32_t tactus_client;

// How many clients there can be at a time.
#define TACTUS_CLIENTS 64

typedef enum tactus_error {
  TACTUS_NO_CLIENT = -1,     // there is no such client: it is closed, or never was
  TACTUS_ARGUMENT = -2,      // NULL, or a number that means nothing
  TACTUS_TIME = -3,          // a time that goes back, or is not of today
  TACTUS_VALUE = -4,         // another length than the value has, or there is nothing of that number to send
  TACTUS_NOT_CONNECTED = -5, // it is not connected yet, or not any more
  TACTUS_FULL = -6,          // too much waits to be sent: try again later
  TACTUS_ENDED = -7,         // the session is over: tactus_end says why
  TACTUS_FAILED = -8,        // anything else
} tactus_error;

// Why a session ended, or did not begin. From 128 on reasons are the game's own.
typedef enum tactus_reason {
  TACTUS_GOING = 0,         // it goes on
  TACTUS_LEFT = 1,          // this end closed it
  TACTUS_CLOSING = 2,       // the server stops
  TACTUS_KICKED = 3,        // the server does not want this client any more
  TACTUS_REPLACED = 4,      // the same player came with another session
  TACTUS_PROTOCOL = 5,      // one of the two ends sent what an honest one cannot
  TACTUS_FLOOD = 6,         // this client sent too much
  TACTUS_TIMED_OUT = 7,     // nobody answered for too long
  TACTUS_ELSEWHERE = 8,     // the token is for other servers
  TACTUS_EXPIRED = 9,       // the token's time is over
  TACTUS_OTHER_SCHEMA = 10, // the server has another protocol; the text names both lines
  TACTUS_OTHER_VERSION = 11,
  TACTUS_SERVER_FULL = 12,
  TACTUS_SERVER_BUSY = 13, // later may do
  TACTUS_LOGIN_REFUSED = 14,
  TACTUS_CLOSED = 15, // the server closed it, and said nothing more
  TACTUS_OTHER = 16,  // the text says why
  TACTUS_AWAY = 17,   // this end said that the player is away
} tactus_reason;

enum {
  TACTUS_BETWEEN_TICKS = 1, // draw what the client simulates between ticks, too
  TACTUS_INSECURE = 2,      // let development mode, without a token, leave this machine
  TACTUS_THIN = 4,          // for bots: predict nothing, and show the newest state that came
};

// What a client is opened with. Zero it, and set size.
typedef struct tactus_options {
  size_t size;             // sizeof(tactus_options)
  const char *server;      // "host:port"; NULL: the addresses of the token
  const void *token;       // a connect token, of the login service; NULL: development mode
  size_t token_size;       //
  const void *login;       // what the player asks to be: a value, as the bindings have it; NULL: the game's
  size_t login_size;       //
  uint64_t player;         // in development mode, who the player is; 0: a random number
  uint32_t flags;          //
  uint32_t connect_millis; // how long it may take to be let in; 0: the game's, else 20,000
  int64_t now;             // 0: the present
} tactus_options;

// Why there is no client.
typedef struct tactus_failure {
  int32_t reason; // a tactus_reason
  char text[1020];
} tactus_failure;

// Rows of the view that have the same components, in columns.
typedef struct tactus_table {
  uint64_t mask;              // bit c: the rows have component c
  uint32_t rows;              //
  uint32_t simulated;         // 1: this client simulates these entities
  const uint32_t *ids;        // the name of each row's entity, as the server has it; NULL: predicted spawns, without names
  const uint64_t *handles;    // a number of each row, the same as long as its entity is in the view
  const void *const *columns; // by component: its first value, others follow; NULL where bit c is 0
} tactus_table;

typedef enum tactus_kind {
  TACTUS_GONE = 0,       // a row is in the view no more
  TACTUS_CAME = 1,       // a row is in the view since this frame
  TACTUS_LEFT_WORLD = 2, // an entity left the world of the client, which is ahead of the view; which: systems.Reason
  TACTUS_ENTERED = 3,    // one came into it
  TACTUS_LOADED = 4,     // all of the state with which the client joins is there
  TACTUS_MESSAGE = 5,    // the server sent a message; which: its number in the bindings, as for events and outcomes
  TACTUS_EVENT = 6,      // the server told of an event
  TACTUS_BEGAN = 7,      // an outcome seems to have happened; number tells it from others
  TACTUS_COMMITTED = 8,  // it is final
  TACTUS_CANCELLED = 9,  // it did not happen
  TACTUS_REFUSED = 10,   // the server refused something; which: 0 an input, 1 a change, 2 too much, 3 a command
} tactus_kind;

// Something that happened since the frame before.
typedef struct tactus_news {
  uint64_t row;    // the handle of the row that came or is gone
  uint32_t id;     // the entity that it is about; 0: none, or one without a name yet
  uint32_t tick;   // of the server; of outcomes, the tick that raised it
  uint32_t number; // of outcomes, which; of what was refused, the input
  uint32_t at;     // where in the view's values its value begins, a multiple of 8
  uint32_t size;   // how long that is; 0: it has none
  uint16_t which;
  uint8_t kind; // a tactus_kind
  uint8_t _0;
} tactus_news;

// A frame.
typedef struct tactus_view {
  uint32_t generation; // while it is the same, rows and pointers of tables are; values are not
  uint32_t tables;
  const tactus_table *table;
  const void *const *singles; // by component: what the world has one of, or NULL
  const tactus_news *news;    // as many as news_count
  const uint8_t *values;      // of the news
  uint32_t news_count;
  uint32_t values_size;
  const double *stats;    // how the netcode does: the struct NAME_Stats of the bindings
  uint32_t stats_count;   //
  uint32_t columns_count; // of each table, and of singles
} tactus_view;

#ifndef TACTUS_TYPES_ONLY // the library itself declares its functions

// TACTUS_ABI, as the library was built.
int32_t tactus_abi(void);

// What NAME_check of the bindings compares: whether library and bindings are of one protocol. It stays good.
const char *tactus_lines(void);

// The present.
int64_t tactus_now(void);

// tactus_open makes a client and begins to connect; tactus_advance goes on with that. It waits up to 5 seconds for the
// address of a name, and for nothing else. 0: there is none, and why, which may be NULL, is filled.
tactus_client tactus_open(const tactus_options *options, tactus_failure *why);

// tactus_set_input gives the input of the coming ticks, a value of the bindings. What is marked edge there is pressed in
// one tick: set it in the frame of the press only. 0, or an error.
int32_t tactus_set_input(tactus_client client, const void *input, size_t size);

// tactus_advance receives, runs the ticks that are due, and sends. It returns how many ticks that were, or an error.
int32_t tactus_advance(tactus_client client, int64_t now);

// tactus_next is when the next tick is due: tactus_advance does nothing before. 0: there is no such client.
int64_t tactus_next(tactus_client client);

// tactus_frame makes the view that of a moment. NULL: an error. After the end of the session it stands as it stood.
const tactus_view *tactus_frame(tactus_client client, int64_t now);

// These send a value of the bindings, by its number there. 0, or an error.
int32_t tactus_send(tactus_client client, uint32_t which, const void *message, size_t size);
int32_t tactus_raise(tactus_client client, uint32_t which, const void *event, size_t size);
int32_t tactus_command(tactus_client client, uint32_t which, const void *command, size_t size);

// tactus_end is why the session ended, a tactus_reason, and makes tactus_text say it; or TACTUS_NO_CLIENT.
int32_t tactus_end(tactus_client client);

// tactus_text is what the newest error of a client, or tactus_end, says. It is never NULL.
const char *tactus_text(tactus_client client);

// tactus_close leaves the server. The number, and all that was read of the client, is not good any more. 0, or an error.
int32_t tactus_close(tactus_client client);

#endif

#ifdef __cplusplus
}
#endif
#endif
