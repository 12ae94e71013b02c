// The client of a game made with Tactus, as a library for C11, C++11 and other languages that call C: version 3 of its interface.
//
// The library is the game's own client without a window. It communicates with the server over UDP, predicts, reconciles and
// interpolates. The program reads each frame from the client's memory. The bindings of the game, a header generated from its
// protocol (arena.h), define the values. tactus.h is independent of the game.
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
// Threads. Any thread may call. Calls for one client run one after the other, but the returned memory is not protected: use a
// client from one thread at a time. Clients are independent and can run concurrently.
//
// Memory. A pointer returned for a client is valid until the next call for that client, except tactus_text and tactus_end, and
// until tactus_close. The memory does not move in this time. Only read it. The library copies all arguments. Numbers are in the
// machine's byte order. Strings are UTF-8 and end with a zero byte.
//
// Errors. Functions that return an int32_t return a negative tactus_error on an error; tactus_text describes it. NULL, wrong
// lengths, closed or unknown clients and decreasing times cause an error, and the call has no effect. An invalid pointer, or one
// to less memory than its length says, crashes, as everywhere in C.
//
// Times are Unix times in nanoseconds, as returned by tactus_now, and must not decrease. 0 means the current time.

#ifndef TACTUS_H
#define TACTUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACTUS_ABI 3

// A client; 0 is none. The numbers of closed clients are not reused for a long time.
typedef uint32_t tactus_client;

// The maximum number of clients at a time.
#define TACTUS_CLIENTS 64

typedef enum tactus_error {
  TACTUS_NO_CLIENT = -1,     // the client is closed or does not exist
  TACTUS_ARGUMENT = -2,      // NULL, or an invalid number
  TACTUS_TIME = -3,          // a time earlier than the previous one, or not the time of day
  TACTUS_VALUE = -4,         // a wrong length, or no type with this number can be sent
  TACTUS_NOT_CONNECTED = -5, // not connected
  TACTUS_FULL = -6,          // the queue is full: try again later
  TACTUS_ENDED = -7,         // the session has ended: tactus_end returns the reason
  TACTUS_FAILED = -8,        // any other error
} tactus_error;

// The reason why a session ended or was refused. The game itself defines the reasons from 128 on.
typedef enum tactus_reason {
  TACTUS_GOING = 0,         // the session continues
  TACTUS_LEFT = 1,          // the client closed the session
  TACTUS_CLOSING = 2,       // the server is shutting down
  TACTUS_KICKED = 3,        // the server removed this client
  TACTUS_REPLACED = 4,      // the same player connected with another session
  TACTUS_PROTOCOL = 5,      // one side received data that violates the protocol
  TACTUS_FLOOD = 6,         // this client sent too much
  TACTUS_TIMED_OUT = 7,     // no packet arrived for too long
  TACTUS_ELSEWHERE = 8,     // the token is for other servers
  TACTUS_EXPIRED = 9,       // the token has expired
  TACTUS_OTHER_SCHEMA = 10, // the server has another protocol; the text names both lines
  TACTUS_OTHER_VERSION = 11,
  TACTUS_SERVER_FULL = 12,
  TACTUS_SERVER_BUSY = 13, // a later attempt may succeed
  TACTUS_LOGIN_REFUSED = 14,
  TACTUS_CLOSED = 15, // the server closed the session without a reason
  TACTUS_OTHER = 16,  // see the text
  TACTUS_AWAY = 17,   // the client reported the player as away
} tactus_reason;

enum {
  TACTUS_BETWEEN_TICKS = 1, // also draw simulated entities between ticks
  TACTUS_INSECURE = 2,      // allow development mode, without a token, with servers on other machines
  TACTUS_THIN = 4,          // for bots: no prediction and no interpolation
};

// Commands of tactus_replay. Times are in milliseconds since the beginning of the recording.
typedef enum tactus_control {
  TACTUS_POSITION = 0, // returns the time of the newest frame
  TACTUS_DURATION = 1, // returns the length
  TACTUS_SEEK = 2,     // goes to a time, and returns it; the news have nothing that was skipped
  TACTUS_RATE = 3,     // sets how fast it plays: 1 is real time, 0 pauses, 64 is the most
  TACTUS_FOLLOW = 4,   // shows the view of the player with this client number, as Client and Own of the stats say; 0: nobody's
  TACTUS_MOMENT = 5,   // returns when message or event number value arrived, and sets tactus_text to "message TYPE" or "event TYPE"; -1: no more
  TACTUS_CHECK = 6,    // plays to the next frame whose hash was recorded. 1: the view is the same, 0: it differs, -1: no more
} tactus_control;

// The options of a client. Set all to zero, then set size.
typedef struct tactus_options {
  size_t size;             // sizeof(tactus_options)
  const char *server;      // "host:port"; NULL: the addresses of the token
  const void *token;       // a connect token from the login service; NULL: development mode
  size_t token_size;       //
  const void *login;       // the login request, a value of the bindings; NULL: the game's default
  size_t login_size;       //
  uint64_t player;         // the player id in development mode; 0: random
  uint32_t flags;          //
  uint32_t connect_millis; // timeout of connecting; 0: the game's default, otherwise 20,000
  int64_t now;             // 0: the current time
  const void *recording;   // a recording to play instead of connecting, which the library copies; NULL: none
  size_t recording_size;   //
  tactus_client last_of;   // a client whose last seconds to play instead of connecting; 0: none
  uint32_t keep;           // how many seconds of what the client receives are kept for last_of, up to 300; 0: none
} tactus_options;

// The reason why there is no client.
typedef struct tactus_failure {
  int32_t reason; // a tactus_reason
  char text[1020];
} tactus_failure;

// Rows of the view with the same components, in columns.
typedef struct tactus_table {
  uint64_t mask;              // bit c is set if the rows have component c
  uint32_t rows;              //
  uint32_t simulated;         // 1: this client simulates these entities
  const uint32_t *ids;        // the NetID of each row; NULL for predicted spawns, which have none yet
  const uint64_t *handles;    // the handle of each row, constant while its entity is in the view
  const void *const *columns; // by component: address of the first value; NULL if the rows lack it
} tactus_table;

typedef enum tactus_kind {
  TACTUS_GONE = 0,       // a row has left the view
  TACTUS_CAME = 1,       // a row is new in this frame
  TACTUS_LEFT_WORLD = 2, // an entity left the client's world, which is ahead of the view; which: systems.Reason
  TACTUS_ENTERED = 3,    // an entity entered the client's world; which: systems.Reason
  TACTUS_LOADED = 4,     // the whole initial state has arrived
  TACTUS_MESSAGE = 5,    // the server sent a message; which: its number in the bindings, as for events and outcomes
  TACTUS_EVENT = 6,      // the server sent an event
  TACTUS_BEGAN = 7,      // a provisional outcome began; number identifies it
  TACTUS_COMMITTED = 8,  // the outcome is final
  TACTUS_CANCELLED = 9,  // the outcome did not happen
  TACTUS_REFUSED = 10,   // a refusal; which: 0 an input, 1 too many inputs, 2 a command
} tactus_kind;

// An event since the previous frame.
typedef struct tactus_news {
  uint64_t row;    // for TACTUS_GONE and TACTUS_CAME: the handle of the row
  uint32_t id;     // the NetID of the entity concerned; 0: none, or a predicted spawn
  uint32_t tick;   // the server's tick; for outcomes, the tick that raised it
  uint32_t number; // for outcomes, its number; for refusals, the input
  uint32_t at;     // offset of the value in values of the view, a multiple of 8
  uint32_t size;   // size of the value; 0: none
  uint16_t which;
  uint8_t kind; // a tactus_kind
  uint8_t _0;
} tactus_news;

// A frame.
typedef struct tactus_view {
  uint32_t generation; // while it is constant, rows and pointers in tables are too
  uint32_t tables;
  const tactus_table *table;
  const void *const *singles; // by component: the singleton, or NULL
  const tactus_news *news;    // news_count items
  const uint8_t *values;      // values of the news
  uint32_t news_count;
  uint32_t values_size;
  const double *stats;    // figures of the connection: struct NAME_Stats of the bindings
  uint32_t stats_count;   //
  uint32_t columns_count; // of each table, and of singles
} tactus_view;

#ifndef TACTUS_TYPES_ONLY // the library itself declares its functions

// Returns the TACTUS_ABI of the library.
int32_t tactus_abi(void);

// Returns the lines that NAME_check compares, to detect bindings of another protocol. The pointer stays valid.
const char *tactus_lines(void);

// Returns the current time.
int64_t tactus_now(void);

// tactus_open creates a client and starts to connect; tactus_advance continues. It blocks for up to 5 seconds to resolve a host
// name. On an error it returns 0 and populates why, which may be NULL.
tactus_client tactus_open(const tactus_options *options, tactus_failure *why);

// tactus_set_input sets the input of the coming ticks, a value of the bindings. A field tagged edge stays pressed until one tick
// has consumed it: set it in the frame of the press only. Returns 0 or an error.
int32_t tactus_set_input(tactus_client client, const void *input, size_t size);

// tactus_advance receives datagrams, runs the ticks that are due, and sends datagrams. Returns the number of ticks or an error.
int32_t tactus_advance(tactus_client client, int64_t now);

// tactus_next returns the time of the next tick; an earlier tactus_advance does nothing. Returns 0 if there is no such client.
int64_t tactus_next(tactus_client client);

// tactus_frame updates the view to a time. Returns NULL on an error. After the end of the session the view does not change.
const tactus_view *tactus_frame(tactus_client client, int64_t now);

// These functions send a value of the bindings; which is its number there. They return 0 or an error.
int32_t tactus_send(tactus_client client, uint32_t which, const void *message, size_t size);
int32_t tactus_raise(tactus_client client, uint32_t which, const void *event, size_t size);
int32_t tactus_command(tactus_client client, uint32_t which, const void *command, size_t size);

// tactus_replay controls a client that plays a recording. command is a tactus_control. Such a client needs no input, what it sends reaches
// nobody, and tactus_frame lets its time pass. Returns a result, or value for commands without a result; NaN on an error.
double tactus_replay(tactus_client client, int32_t command, double value);

// tactus_end returns the tactus_reason why the session ended, and sets tactus_text to it; or TACTUS_NO_CLIENT.
int32_t tactus_end(tactus_client client);

// tactus_text returns the text of the newest error of a client, or of tactus_end. It is never NULL.
const char *tactus_text(tactus_client client);

// tactus_close leaves the server and frees the client, with all memory that it returned. Returns 0 or an error.
int32_t tactus_close(tactus_client client);

#endif

#ifdef __cplusplus
}
#endif
#endif
